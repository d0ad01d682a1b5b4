use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let (mut total, mut smallest_before, mut best) = (0i64, 0i64, i64::MIN);
    for gain in text.split_ascii_whitespace().skip(1) {
        total += gain.parse::<i64>().unwrap();
        best = best.max(total - smallest_before);
        smallest_before = smallest_before.min(total);
    }
    println!("{best}");
}
