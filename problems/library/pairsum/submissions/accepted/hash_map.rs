use std::collections::HashMap;
use std::io::{stdin, Read};

fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let mut numbers = input.split_ascii_whitespace().map(|word| word.parse::<i64>().unwrap());
    let (_, target) = (numbers.next(), numbers.next().unwrap());
    let mut seen = HashMap::new();
    for (i, price) in numbers.enumerate() {
        if let Some(j) = seen.get(&(target - price)) {
            println!("{} {}", i + 1, j);
            return;
        }
        seen.insert(price, i + 1);
    }
    println!("impossible");
}
