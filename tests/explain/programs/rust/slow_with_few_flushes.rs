use std::hint::black_box;
use std::io::{self, Write};

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    for i in 1..=n {
        let mut x = i;
        for _ in 0..3_000_000 {
            x = black_box(x).wrapping_mul(1_103_515_245).wrapping_add(12_345);
        }
        println!("{i}");
        io::stdout().flush().unwrap();
    }
}
