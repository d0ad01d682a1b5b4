use std::io::stdin;

// Takes the reply for a number.
fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    println!("? {}", line.trim());
    line.clear();
    stdin().read_line(&mut line).unwrap();
    let difference: i32 = line.trim().parse().unwrap();
    println!("! {}", difference);
}
