use std::io::{stdin, Read};

fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let lines: Vec<&str> = input.lines().collect();
    let mut train = String::new();
    for (wagon, side) in lines[1].chars().zip(lines[2].chars()) {
        if side == 'F' {
            train.insert(0, wagon);
        } else {
            train.push(wagon);
        }
    }
    println!("{}", train);
}
