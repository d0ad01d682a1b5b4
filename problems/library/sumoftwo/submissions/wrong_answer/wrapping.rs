use std::io::stdin;

// Reads 64 bits, then keeps 32 of them.
fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let numbers: Vec<i64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    println!("{}", (numbers[0] as i32).wrapping_add(numbers[1] as i32));
}
