use std::io;

fn main() {
    let mut text = String::new();
    io::stdin().read_line(&mut text).unwrap();
    let n: u64 = text.trim().parse().unwrap();
    let (mut p, mut count) = (2u64, 0u64);
    loop {
        if p > n {
            break;
        }
        let mut d = 2;
        while p % d != 0 {
            d += 1;
        }
        count += (d == p) as u64;
        p += 1;
    }
    println!("{count}");
}
