// println! flushes at every line; the process ends in the way that the argument names.
use std::io::{self, BufRead, Write};

fn main() {
    let way = std::env::args().nth(1).unwrap();
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        println!("{line}");
        eprintln!("{} {}", "seen", line);
    }
    print!("no newline at the end");
    match way.as_str() {
        "exits" => std::process::exit(7),
        "panics" => panic!("on purpose"),
        "aborts" => {
            io::stdout().flush().unwrap();
            std::process::abort()
        }
        "crashes" => println!("{}", unsafe { std::ptr::read_volatile(std::hint::black_box(8) as *const u8) }),
        "overflows" => println!("{}", deeper(1)),
        _ => io::stdout().flush().unwrap(),
    }
}

#[allow(unconditional_recursion)]
fn deeper(depth: u64) -> u64 {
    let frame = [depth; 512];
    let below = deeper(depth + 1);
    below + unsafe { std::ptr::read_volatile(&frame[(below % 512) as usize]) }
}
