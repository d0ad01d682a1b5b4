use std::io;

fn main() {
    let stdin = io::stdin();
    let mut line = String::new();
    stdin.read_line(&mut line).unwrap();
    let n: usize = line.trim().parse().unwrap();
    let mut total = 0u64;
    for _ in 0..n {
        let mut line = String::new();
        stdin.read_line(&mut line).unwrap();  //~ line-by-line
        total += line.len() as u64;
    }
    println!("{total}");
}
