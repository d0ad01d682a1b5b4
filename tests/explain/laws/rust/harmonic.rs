// input: lone 100 200 400 800 1600 3200 6400 12800, 100000
// law: about sum(n//i for i in range(1,n+1))
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let mut sum: u64 = 0;
    for i in 1..=n {
        for k in (i..=n).step_by(i) { //@
            sum += k as u64; //@
        }
    }
    println!("{}", sum);
}
