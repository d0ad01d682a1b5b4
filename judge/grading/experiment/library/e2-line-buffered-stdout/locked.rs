use std::io::{stdout, Write};

fn main() {
    let mut out = stdout().lock();
    for i in 0..500_000 {
        writeln!(out, "{}", i).unwrap();
    }
}
