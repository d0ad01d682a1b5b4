use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let a: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let mut i: usize = a.len();
    let mut total = 0u64;
    while i >= 0 {  //~ may-never-end
        total = total.wrapping_mul(31).wrapping_add(a[i % a.len()]);
        i = i.wrapping_sub(1);
    }
    println!("{total}");
}
