use std::io::{self, BufRead};

fn main() {
    let stdin = io::stdin();
    let mut lines = stdin.lock().lines();
    let n: u64 = lines.next().unwrap().unwrap().trim().parse().unwrap();
    (1..=n).for_each(|i| println!("{}", i));
}
