// input: values 10 20 50 100 200 400 1000, 20000
// law: n*(n.bit_length()-1)
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let mut sum: u64 = 0;
    for _ in 0..n {
        let mut k = n;
        while k > 1 { //@ n*n.bit_length()
            sum += k as u64; //@
            k /= 2; //@
        }
    }
    println!("{}", sum);
}
