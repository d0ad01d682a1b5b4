use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{stdin, Read};

fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    input.make_ascii_lowercase();
    let mut words = input.split_ascii_whitespace();
    let k: usize = words.nth(1).unwrap().parse().unwrap();
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    let mut order: Vec<_> = counts.into_iter().map(|(word, count)| (Reverse(count), word)).collect();
    order.sort_unstable();
    for (Reverse(count), word) in &order[..k] {
        println!("{} {}", word, count);
    }
}
