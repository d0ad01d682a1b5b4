use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_ascii_whitespace().map(|token| token.parse::<i64>().unwrap());
    let (n, _, w) = (numbers.next().unwrap(), numbers.next().unwrap(), numbers.next().unwrap());
    let (mut start, mut count) = (1, 0);
    for s in numbers.chain([n + w + 1]) {
        if s - w > start {
            count += (s - w - start + 2 * w) / (2 * w + 1);
        }
        start = start.max(s + w + 1);
        println!("station {s}: {count}"); //~ leftover-output flush-per-line
    }
    println!("{count}");
}
