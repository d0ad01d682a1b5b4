use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let a: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let n = a.len();
    let i = 0;
    let mut total = 0u64;
    while i < n {  //~ may-never-end
        total = total.wrapping_mul(31).wrapping_add(a[i]);
    }
    println!("{total}");
}
