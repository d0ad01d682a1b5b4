use std::io;

fn main() {
    let mut total: i64 = 0;
    for (i, line) in io::stdin().lines().skip(1).enumerate() {
        let x: i64 = line.unwrap().trim().parse().unwrap();
        total += x;
        eprintln!("{} {} {}", i, x, total); //~ unbuffered-stderr
    }
    println!("{total}");
}
