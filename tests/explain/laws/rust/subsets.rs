// input: lone 3 4 5 6 8 10 12, 16
// law: 2**(n+1)-1
use std::io::Read;

fn choose(place: usize, n: usize, total: u64) -> u64 { //@
    if place == n { //@
        return total;
    }
    choose(place + 1, n, total) + choose(place + 1, n, total + place as u64)
} //@

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let sum = choose(0, n, 0);
    println!("{}", sum);
}
