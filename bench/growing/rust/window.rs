use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    #[allow(unused_mut)]
    let mut values: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let n = values.len();
    #[allow(unused_mut)]
    let mut result = 0u64;
    let mut total = 0;
    for i in 0..n {
        total += values[i];
        if i >= 100 {
            total -= values[i - 100];
        }
        result = result.max(total);
    }
    println!("{result}");
}
