// input: lone 5 10 20 40 80 160 320, 2000
// law: n*n
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let mut sum: u64 = 0;
    for i in 0..n {
        for j in 0..n { //@
            sum += (i ^ j) as u64; //@
        }
    }
    println!("{}", sum);
}
