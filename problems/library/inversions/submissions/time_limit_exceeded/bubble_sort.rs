use std::io::{stdin, Read};

// Every swap of neighbours undoes one inversion.
fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let mut numbers: Vec<u32> = input.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let mut inversions = 0u64;
    for end in (1..numbers.len()).rev() {
        for i in 0..end {
            if numbers[i] > numbers[i + 1] {
                numbers.swap(i, i + 1);
                inversions += 1;
            }
        }
    }
    println!("{}", inversions);
}
