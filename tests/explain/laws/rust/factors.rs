// input: prime 101 503 1009 5003 20011 100003 500009, 10000019
// law: isqrt(n)-1
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let mut sum: u64 = 0;
    let mut d = 2;
    while d * d <= n { //@ isqrt(n)
        if n % d == 0 { //@
            sum += d as u64;
        } //@
        d += 1; //@
    }
    println!("{}", sum);
}
