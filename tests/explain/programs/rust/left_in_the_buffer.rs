use std::io::{stdin, stdout, BufWriter, Read, Write};

fn main() {
    let mut text = String::new();
    stdin().read_to_string(&mut text).unwrap();
    let sum: u64 = text.split_whitespace().skip(1).map(|word| word.parse::<u64>().unwrap()).sum();
    let mut out = BufWriter::new(stdout());
    writeln!(out, "{}", sum).unwrap();
    std::process::exit(0); //~ lost-buffer
}
