use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let a: Vec<i64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let n = a.len() as i64;
    let mut i: i64 = 0;
    let mut total = 0i64;
    while i < n {
        total = total.wrapping_mul(31) ^ a[(i.rem_euclid(n)) as usize];
        i -= 1;  //~ may-never-end
    }
    println!("{total}");
}
