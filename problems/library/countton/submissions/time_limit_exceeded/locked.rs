use std::io::{stdin, stdout, Write};

// Locks standard output once, but it still is line-buffered: a write call per line.
fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut out = stdout().lock();
    for i in 0..n {
        writeln!(out, "{}", i).unwrap();
    }
}
