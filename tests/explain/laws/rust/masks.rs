// input: lone 3 4 5 6 8 10 12, 15
// law: n*2**n
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let mut sum: u64 = 0;
    for mask in 0..1usize << n {
        for bit in 0..n { //@
            sum += (mask >> bit & 1) as u64; //@
        }
    }
    println!("{}", sum);
}
