use std::io::{self, BufWriter, Write};

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    {
        let mut out = BufWriter::new(io::stdout());
        writeln!(out, "1").unwrap();
    }
    for i in 2..=n {
        println!("{i}"); //~ flush-per-line
    }
}
