use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    #[allow(unused_mut)]
    let mut values: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let n = values.len();
    #[allow(unused_mut)]
    let mut result = 0u64;
    let step = (n as f64).sqrt() as usize;
    for i in 0..n {
        for start in (0..n).step_by(step.max(1)) {
            result = (result * 5 + u64::from(values[start] < values[i])) % 10_007;
        }
    }
    println!("{result}");
}
