use std::hint::black_box;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let total: u64 = text.split_ascii_whitespace().skip(1).map(|word| word.parse::<u64>().unwrap()).sum();
    let mut table = vec![0u64; 20_000_000];
    for i in 1..table.len() {
        table[i] = (table[i - 1] * 31 + total) % 1_000_003;
    }
    black_box(&table);
    println!("{total}");
}
