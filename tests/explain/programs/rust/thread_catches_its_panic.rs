use std::io::{stdin, Read};
use std::panic::catch_unwind;
use std::thread;

fn main() {
    let mut text = String::new();
    stdin().read_to_string(&mut text).unwrap();
    let values: Vec<i64> = text.split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let adder = thread::spawn(move || {
        let tried = catch_unwind(|| (0..=values.len()).map(|i| values[i]).sum::<i64>());
        println!("{}", tried.unwrap_or_else(|_| values.iter().sum()));
    });
    adder.join().unwrap();
}
