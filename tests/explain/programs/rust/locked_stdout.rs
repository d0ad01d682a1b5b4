use std::io::{self, Write};

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    // the lock saves locking, the buffer behind it still ends with each line
    let mut out = io::stdout().lock(); //~? flush-per-line
    for i in 1..=n {
        writeln!(out, "{i}").unwrap(); //~ flush-per-line
    }
}
