use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::FromRawFd;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let stdout = unsafe { File::from_raw_fd(1) };
    let mut out = BufWriter::with_capacity(1, stdout); //~? flush-per-line
    for i in 1..=n {
        out.write_all(format!("{i}\n").as_bytes()).unwrap(); //~? flush-per-line
    }
}
