// input: lone 8 10 12 14 16 18 20, 25
// law: about 2*fibonacci(n+1)-1
use std::io::Read;

fn fibonacci(k: u64) -> u64 { //@
    if k < 2 { //@
        return k;
    }
    fibonacci(k - 1) + fibonacci(k - 2)
}

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let sum = fibonacci(n as u64);
    println!("{}", sum);
}
