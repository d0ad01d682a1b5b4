use std::io::{stdin, stdout, BufWriter, Read, Write};

// The range ends one letter early.
fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let letters = input.split_ascii_whitespace().nth(1).unwrap().as_bytes();
    let mut out = BufWriter::new(stdout().lock());
    for i in 0..letters.len() - 1 {
        writeln!(out, "{}", letters[i].to_ascii_uppercase() as char).unwrap();
    }
}
