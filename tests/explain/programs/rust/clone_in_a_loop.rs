use std::hint::black_box;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let a: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let mut total = 0;
    for i in 0..a.len() {
        let copy = a.clone();  //~ copying
        total += black_box(copy)[i];
    }
    println!("{total}");
}
