use std::collections::BTreeMap;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let values: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let mut seen: BTreeMap<u64, u64> = BTreeMap::new();
    for &x in &values {
        *seen.entry(x % 100).or_insert(0) += 1;
    }
    let mut total = 0;
    for i in 0..values.len() {
        let mut j = 0;
        while j < i && values[j] != values[i] {
            j += 1;
        }
        if j == i {
            total += values[i];
        }
    }
    println!("{total}");
}
