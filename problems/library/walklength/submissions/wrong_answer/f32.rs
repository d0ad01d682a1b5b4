use std::io::{stdin, Read};

fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let numbers: Vec<f32> = input.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let places: Vec<&[f32]> = numbers.chunks(2).collect();
    let length: f32 = places.windows(2).map(|pair| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1])).sum();
    println!("{}", length);
}
