use std::fs::File;
use std::io::{self, LineWriter, Write};
use std::os::fd::FromRawFd;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut out = LineWriter::new(unsafe { File::from_raw_fd(1) }); //~? flush-per-line
    for i in 1..=n {
        writeln!(out, "{i}").unwrap(); //~? flush-per-line
    }
}
