use std::io::{self, Read, Write};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut a: Vec<i64> = text.split_ascii_whitespace().skip(1).map(|token| token.parse().unwrap()).collect();
    a.sort_unstable();
    let mut out = Vec::new();
    for x in &a {
        writeln!(&mut out, "{x}").unwrap();
    }
    io::stdout().write_all(&out).unwrap();
}
