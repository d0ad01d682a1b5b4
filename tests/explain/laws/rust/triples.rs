// input: lone 6 10 15 20 30 40 60, 120
// law: n*(n-1)*(n-2)//6
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let mut sum: u64 = 0;
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n { //@
                sum += (i ^ j ^ k) as u64; //@
            }
        }
    }
    println!("{}", sum);
}
