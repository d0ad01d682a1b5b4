use std::io::{stdout, BufWriter, Write};

fn main() {
    let mut out = BufWriter::new(stdout().lock());
    for i in 0..500_000 {
        writeln!(out, "{}", i).unwrap();
    }
}
