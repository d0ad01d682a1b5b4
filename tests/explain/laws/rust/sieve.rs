// input: lone 500 1000 2000 4000 8000 16000 32000 64000, 500000
// law: about sum((n-p*p)//p+1 for p in primes(n))
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let mut sum: u64 = 0;
    let mut composite = vec![false; n + 1];
    let mut p = 2;
    while p * p <= n {
        if !composite[p] {
            let mut k = p * p;
            while k <= n { //@ about sum((n-p*p)//p+2 for p in primes(n))
                composite[k] = true; //@
                k += p; //@
            }
        }
        p += 1;
    }
    sum += composite[n] as u64;
    println!("{}", sum);
}
