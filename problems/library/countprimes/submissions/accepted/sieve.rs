use std::io::stdin;

fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let bounds: Vec<usize> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let (a, b) = (bounds[0], bounds[1]);
    let mut is_prime = vec![true; b + 1];
    is_prime[0] = false;
    is_prime[1] = false;
    let mut p = 2;
    while p * p <= b {
        if is_prime[p] {
            for multiple in (p * p..=b).step_by(p) {
                is_prime[multiple] = false;
            }
        }
        p += 1;
    }
    println!("{}", is_prime[a..].iter().filter(|&&prime| prime).count());
}
