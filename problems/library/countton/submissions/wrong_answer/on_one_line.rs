use std::io::{stdin, stdout, BufWriter, Write};

// Right numbers, but with spaces between them instead of line ends.
fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut out = BufWriter::new(stdout().lock());
    for i in 0..n {
        write!(out, "{} ", i).unwrap();
    }
}
