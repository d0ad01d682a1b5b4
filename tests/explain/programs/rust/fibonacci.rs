use std::io;

fn rabbits(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    rabbits(n - 1) + rabbits(n - 2)  //~ branching-recursion
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u64 = line.trim().parse().unwrap();
    if rabbits(n) > 0 {
        for i in 1..=n {
            println!("{}", i);
        }
    }
}
