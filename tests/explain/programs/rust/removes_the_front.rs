use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut queue: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let mut total = 0;
    while !queue.is_empty() {
        total += queue.remove(0);  //~ costly-container
    }
    println!("{total}");
}
