use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut a: Vec<i64> = text.split_ascii_whitespace().skip(1).map(|token| token.parse().unwrap()).collect();
    for _ in 0..a.len() {
        for j in 1..a.len() {
            if a[j - 1] > a[j] {
                a.swap(j - 1, j);
            }
        }
    }
    for x in a {
        println!("{x}");
    }
}
