use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    #[allow(unused_mut)]
    let mut values: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let n = values.len();
    #[allow(unused_mut)]
    let mut result = 0u64;
    let mut heap = std::collections::BinaryHeap::new();
    for x in &values {
        heap.push(*x);
    }
    while let Some(x) = heap.pop() {
        result = (result * 31 + x) % 1_000_007;
    }
    println!("{result}");
}
