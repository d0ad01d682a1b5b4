// input: sorted 10 20 50 100 200 400, 2000
// law: n*(n+1)//2
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let a: Vec<u64> = words.map(|word| word.parse().unwrap()).collect();
    let mut sum: u64 = 0;
    for i in 0..n {
        for j in 0..n { //@
            if a[j] == a[i] { //@
                break;
            } //@ n*(n-1)//2
            sum += 1; //@ n*(n-1)//2
        }
    }
    println!("{}", sum);
}
