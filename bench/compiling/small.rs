use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers: Vec<i64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    numbers.sort();
    println!("{} {:?}", numbers.iter().sum::<i64>(), numbers.first());
}
