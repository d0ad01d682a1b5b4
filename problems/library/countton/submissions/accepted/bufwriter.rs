use std::io::{stdin, stdout, BufWriter, Write};

fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut out = BufWriter::new(stdout().lock());
    for i in 0..n {
        writeln!(out, "{}", i).unwrap();
    }
}
