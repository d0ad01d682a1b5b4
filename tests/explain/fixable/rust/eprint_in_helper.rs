use std::io::{self, Read};

fn note(place: usize, value: i64) {
    eprint!("{place}:");
    eprintln!(" {value}");
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut total = 0i64;
    for (place, token) in text.split_ascii_whitespace().skip(1).enumerate() {
        let value: i64 = token.parse().unwrap();
        note(place, value);
        total += value;
    }
    println!("{total}");
}
