// input: pair 5 10 20 40 60 100 150, 800
// law: n*m
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let m: usize = words.next().unwrap().parse().unwrap();
    let mut sum: u64 = 0;
    let mut best = vec![0; m + 1];
    for i in 0..n {
        for j in (1..=m).rev() { //@
            best[j] = best[j].max(best[j - 1] + i % 3); //@
        }
    }
    sum += best[m] as u64;
    println!("{}", sum);
}
