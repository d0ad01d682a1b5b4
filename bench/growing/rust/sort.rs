use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    #[allow(unused_mut)]
    let mut values: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let n = values.len();
    #[allow(unused_mut)]
    let mut result = 0u64;
    for round in 0..4 {
        let mut copy: Vec<u64> = values.iter().map(|x| x * 7919 % (1_000_003 + round)).collect();
        copy.sort();
        result += copy[n / 2];
    }
    println!("{result}");
}
