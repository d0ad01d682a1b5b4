use std::io;

fn is_prime(number: usize) -> bool {
    let mut divides = vec![1u8; 48 << 20];
    for d in 2..number {
        divides[d] = u8::from(number % d != 0);
    }
    divides[..number].iter().all(|&each| each == 1)
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: usize = line.trim().parse().unwrap();
    println!("{}", (2..=n).filter(|&i| is_prime(i)).count());
}
