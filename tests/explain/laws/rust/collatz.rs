// input: lone 27 40 97 171 231 313 703, 871
// law: none
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let mut sum: u64 = 0;
    let mut k = n;
    while k != 1 {
        k = if k % 2 == 1 { 3 * k + 1 } else { k / 2 };
        sum += 1;
    }
    println!("{}", sum);
}
