use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    #[allow(unused_mut)]
    let mut values: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let n = values.len();
    #[allow(unused_mut)]
    let mut result = 0u64;
    for i in 0..n {
        for j in 0..i {
            result = (result * 3 + u64::from(values[i] < values[j])) % 10_007;
        }
    }
    println!("{result}");
}
