use std::io::stdin;

fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let n: u64 = line.trim().parse().unwrap();
    for i in 1..=n {
        println!("{}", i * i);
    }
}
