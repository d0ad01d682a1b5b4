use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut total: i64 = 0;
    for token in text.split_ascii_whitespace().skip(1) {
        let x: i64 = token.parse().unwrap();
        total = dbg!(total + x); //~ unbuffered-stderr
    }
    println!("{total}");
}
