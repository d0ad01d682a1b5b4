use std::io::{stdin, Read};

fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let numbers: Vec<i64> = input.split_ascii_whitespace().map(|word| word.parse().unwrap()).collect();
    let (target, prices) = (numbers[1], &numbers[2..]);
    for i in 0..prices.len() {
        for j in 0..i {
            if prices[i] + prices[j] == target {
                println!("{} {}", j + 1, i + 1);
                return;
            }
        }
    }
    println!("impossible");
}
