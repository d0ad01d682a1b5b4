use std::fs::{self, File};
use std::io::{self, BufWriter, Write};

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut file = BufWriter::new(File::create("/tmp/numbers").unwrap());
    for i in 1..=n {
        writeln!(file, "{i}").unwrap();
    }
    file.flush().unwrap();
    io::stdout().write_all(&fs::read("/tmp/numbers").unwrap()).unwrap();
}
