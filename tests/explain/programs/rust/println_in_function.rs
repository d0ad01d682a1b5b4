use std::io;

fn show(value: u32) {
    println!("{value}"); //~ flush-per-line
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    (1..=n).for_each(show); //~? flush-per-line
}
