use std::collections::HashMap;
use std::io::{stdin, Read};

// Takes it for granted that there is a pair.
fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let numbers: Vec<i64> = input.split_ascii_whitespace().map(|word| word.parse().unwrap()).collect();
    let (target, prices) = (numbers[1], &numbers[2..]);
    let mut seen = HashMap::new();
    let mut i = 0;
    while !seen.contains_key(&(target - prices[i])) {
        seen.insert(prices[i], i + 1);
        i += 1; // past the end: index out of bounds
    }
    println!("{} {}", seen[&(target - prices[i])], i + 1);
}
