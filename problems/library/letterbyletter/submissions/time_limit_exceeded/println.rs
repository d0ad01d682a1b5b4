use std::io::{stdin, Read};

fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let letters = input.split_ascii_whitespace().nth(1).unwrap();
    for letter in letters.chars() {
        println!("{}", letter.to_ascii_uppercase());
    }
}
