use std::io::{stdin, Read};

const MOST: usize = 1_000_000;

fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let mut tree = vec![0i64; MOST + 1]; // a Fenwick tree: how often each number was seen
    let mut inversions = 0;
    for (seen, word) in input.split_ascii_whitespace().skip(1).enumerate() {
        let number: usize = word.parse().unwrap();
        let mut not_larger = 0;
        let mut place = number;
        while place > 0 {
            not_larger += tree[place];
            place &= place - 1;
        }
        inversions += seen as i64 - not_larger;
        place = number;
        while place <= MOST {
            tree[place] += 1;
            place += place & place.wrapping_neg();
        }
    }
    println!("{}", inversions);
}
