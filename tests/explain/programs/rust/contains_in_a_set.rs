use std::collections::HashSet;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut values: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    for i in 0..values.len() {
        for j in i + 1..values.len() {
            if values[j] < values[i] {
                values.swap(i, j);
            }
        }
    }
    let mut seen = HashSet::new();
    let mut total = 0;
    for x in values {
        if !seen.contains(&x) {
            seen.insert(x);
            total += x;
        }
    }
    println!("{total}");
}
