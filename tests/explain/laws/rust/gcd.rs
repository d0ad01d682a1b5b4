// input: pair 13 34 89 144 377 610 987, 2584
// law: none
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let m: usize = words.next().unwrap().parse().unwrap();
    let mut sum: u64 = 0;
    let (mut x, mut y) = (n * 1000 + 7, m * 77 + 13);
    while y > 0 {
        (x, y) = (y, x % y);
        sum += 1;
    }
    sum += x as u64;
    println!("{}", sum);
}
