use std::io::{stdin, Read};

// The bars hang from the top.
fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let heights: Vec<usize> = input.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    for level in 1..=*heights.iter().max().unwrap() {
        let row: Vec<&str> = heights.iter().map(|&height| if height >= level { "##" } else { "  " }).collect();
        println!("{}", row.join(" ").trim_end());
    }
    println!("{}", "=".repeat(3 * heights.len() - 1));
}
