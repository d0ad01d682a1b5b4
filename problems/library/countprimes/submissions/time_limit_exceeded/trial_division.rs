use std::io::stdin;

fn is_prime(number: u32) -> bool {
    number > 1 && (2..).take_while(|divisor| divisor * divisor <= number).all(|divisor| number % divisor != 0)
}

fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let bounds: Vec<u32> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    println!("{}", (bounds[0]..=bounds[1]).filter(|&number| is_prime(number)).count());
}
