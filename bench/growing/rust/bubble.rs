use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    #[allow(unused_mut)]
    let mut values: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let n = values.len();
    #[allow(unused_mut)]
    let mut result = 0u64;
    for _ in 0..n {
        for j in 1..n {
            if values[j - 1] > values[j] {
                values.swap(j - 1, j);
            }
        }
    }
    result += values[0];
    println!("{result}");
}
