use std::collections::VecDeque;
use std::io::{stdin, Read};

fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let lines: Vec<&str> = input.lines().collect();
    let mut train = VecDeque::new();
    for (wagon, side) in lines[1].chars().zip(lines[2].chars()) {
        if side == 'F' {
            train.push_front(wagon);
        } else {
            train.push_back(wagon);
        }
    }
    println!("{}", train.iter().collect::<String>());
}
