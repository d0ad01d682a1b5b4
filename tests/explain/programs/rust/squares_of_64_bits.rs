use std::io;

fn main() {
    let mut text = String::new();
    io::stdin().read_line(&mut text).unwrap();
    let n: u64 = text.trim().parse().unwrap();
    let mut count = 0;
    for m in 2..=n {
        let mut is_prime = true;
        let mut d: u64 = 2;
        while d * d <= m {
            is_prime &= m % d != 0;
            d += 1;
        }
        count += is_prime as u64;
    }
    println!("{count}");
}
