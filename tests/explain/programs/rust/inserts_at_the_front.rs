use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut stack: Vec<u64> = Vec::new();
    for word in text.split_ascii_whitespace().skip(1) {
        stack.insert(0, word.parse().unwrap());  //~ costly-container
    }
    println!("{}", stack.iter().sum::<u64>());
}
