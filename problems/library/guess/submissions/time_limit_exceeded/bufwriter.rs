use std::io::{stdin, stdout, BufWriter, Write};

fn read() -> String {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    line.trim().to_string()
}

// What makes a program with much output fast keeps the question in the buffer here.
fn main() {
    let mut out = BufWriter::new(stdout());
    let mut low = 1;
    let mut high: i32 = read().parse().unwrap();
    while low < high {
        let middle = (low + high) / 2;
        writeln!(out, "? {}", middle).unwrap();
        match read().as_str() {
            "=" => (low, high) = (middle, middle),
            "<" => high = middle - 1,
            _ => low = middle + 1,
        }
    }
    writeln!(out, "! {}", low).unwrap();
}
