use std::io::{stdin, Read};
use std::thread;

fn main() {
    let mut text = String::new();
    stdin().read_to_string(&mut text).unwrap();
    let values: Vec<i64> = text.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let adder = thread::spawn(move || {
        let mut total = 0;
        for i in 0..=values.len() {
            total += values[i]; //~ lost-part
        }
        println!("{}", total);
    });
    let _ = adder.join();
}
