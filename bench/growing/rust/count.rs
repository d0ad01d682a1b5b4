use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    #[allow(unused_mut)]
    let mut values: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let n = values.len();
    #[allow(unused_mut)]
    let mut result = 0u64;
    let mut counts = vec![0u64; 1000];
    for x in &values {
        counts[(x % 1000) as usize] += 1;
    }
    result += counts.iter().max().unwrap();
    println!("{result}");
}
