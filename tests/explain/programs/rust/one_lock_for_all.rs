use std::hint::black_box;
use std::io::{self, Read};
use std::sync::Mutex;
use std::thread;

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let values: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let (n, total) = (values.len(), values.iter().sum::<u64>());
    let steps = Mutex::new(0u64);
    thread::scope(|all| {
        for _ in 0..8 {
            all.spawn(|| {  //~? lock-storm taking-turns waiting
                for _ in 0..400 * n {
                    let mut held = steps.lock().unwrap();
                    for _ in 0..300 {
                        *held = black_box(*held + 1);
                    }
                }
            });
        }
    });
    println!("{total}");
}
