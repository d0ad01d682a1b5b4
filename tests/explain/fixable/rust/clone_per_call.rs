use std::io::{self, Read};

fn has(values: Vec<u32>, value: u32) -> bool {
    values.contains(&value)
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut seen: Vec<u32> = Vec::new();
    let mut sum = 0u64;
    for word in text.split_whitespace().skip(1) {
        let value: u32 = word.parse().unwrap();
        let known = has(seen.clone(), value);
        if !known {
            seen.push(value);
            sum += value as u64;
        }
    }
    println!("{}", sum);
}
