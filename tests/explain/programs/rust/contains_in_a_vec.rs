use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut seen: Vec<u64> = Vec::new();
    let mut total = 0;
    for word in text.split_ascii_whitespace().skip(1) {
        let x: u64 = word.parse().unwrap();
        if !seen.contains(&x) {  //~ costly-container
            seen.push(x);
            total += x;
        }
    }
    println!("{total}");
}
