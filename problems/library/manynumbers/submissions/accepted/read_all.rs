use std::io::{stdin, Read};

fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let sum: i64 = input.split_ascii_whitespace().skip(1).map(|word| word.parse::<i64>().unwrap()).sum();
    println!("{}", sum);
}
