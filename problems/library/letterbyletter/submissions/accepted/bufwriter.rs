use std::io::{stdin, stdout, BufWriter, Read, Write};

fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let letters = input.split_ascii_whitespace().nth(1).unwrap();
    let mut out = BufWriter::new(stdout().lock());
    for letter in letters.chars() {
        writeln!(out, "{}", letter.to_ascii_uppercase()).unwrap();
    }
}
