use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: usize = line.trim().parse().unwrap();
    let mut composite = vec![false; n + 1];
    let mut primes = Vec::with_capacity(n / 2);
    for i in 2..=n {
        if !composite[i] {
            primes.push(i);
            for j in (i * i..=n).step_by(i) {
                composite[j] = true;
            }
        }
    }
    println!("{}", primes.len());
}
