use std::io::{stdin, Read};

// Takes it for granted that parents have smaller numbers than their children: the index is out of bounds.
fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let mut generation = vec![0, 1];
    for word in input.split_ascii_whitespace().skip(1) {
        let parent: usize = word.parse().unwrap();
        generation.push(generation[parent] + 1);
    }
    println!("{}", generation.iter().max().unwrap());
}
