use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut a: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    a.sort();
    let mut total = 0;
    for i in 0..a.len() {
        let (mut low, mut high) = (0, a.len() - 1);
        while low <= high {
            let mid = low + (high - low) / 2;
            if a[mid] < a[i] {
                low = mid + 1;
            } else {
                high = mid;  //~ may-never-end
            }
        }
        total += a[low];
    }
    println!("{total}");
}
