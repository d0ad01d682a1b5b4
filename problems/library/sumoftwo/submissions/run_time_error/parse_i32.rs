use std::io::stdin;

// Panics when a number does not fit into 32 bits.
fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let sum: i64 = line.split_whitespace().map(|word| i64::from(word.parse::<i32>().unwrap())).sum();
    println!("{}", sum);
}
