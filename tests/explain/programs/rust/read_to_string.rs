use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let total: i64 = text.split_ascii_whitespace().skip(1).map(|token| token.parse::<i64>().unwrap()).sum();
    println!("{total}");
}
