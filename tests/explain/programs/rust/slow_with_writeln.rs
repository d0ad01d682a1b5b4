use std::io::{self, BufWriter, Read, Write};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut a: Vec<u32> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    for i in 0..a.len() {
        let mut j = i;
        while j > 0 && a[j - 1] > a[j] {
            a.swap(j - 1, j);
            j -= 1;
        }
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for x in a {
        writeln!(out, "{}", x).unwrap();
    }
}
