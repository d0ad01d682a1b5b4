use std::io::{stdin, BufRead};

fn main() {
    let sum: i64 = stdin().lock().lines().skip(1).map(|line| line.unwrap().trim().parse::<i64>().unwrap()).sum();
    println!("{}", sum);
}
