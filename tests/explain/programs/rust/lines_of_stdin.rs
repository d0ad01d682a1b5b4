use std::io;

fn main() {
    let mut lines = io::stdin().lines();
    let n: usize = lines.next().unwrap().unwrap().trim().parse().unwrap();
    let mut total = 0i64;
    for _ in 0..n {
        let x: i64 = lines.next().unwrap().unwrap().trim().parse().unwrap();
        if x < 0 {
            eprintln!("negative: {x}");
        }
        total += x;
    }
    println!("{total}");
}
