use std::io::{stdin, stdout, BufWriter, Write};

fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let n: u64 = line.trim().parse().unwrap();
    let mut out = BufWriter::new(stdout().lock());
    for i in 1..=n {
        writeln!(out, "{}", i * i).unwrap();
    }
}
