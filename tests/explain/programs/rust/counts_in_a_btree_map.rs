use std::collections::BTreeMap;
use std::io::{self, BufRead};

fn main() {
    let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
    let mut first: BTreeMap<u32, usize> = BTreeMap::new();
    let mut last: BTreeMap<u32, usize> = BTreeMap::new();
    let mut total: u64 = 0;
    for (i, line) in io::stdin().lock().lines().skip(1).enumerate() {
        let x: u32 = line.unwrap().parse().unwrap();
        let count = seen.entry(x).or_insert(0);  //~ costly-map
        *count += 1;
        if *count == 1 {
            total += x as u64;
        }
        first.entry(x).or_insert(i);  //~ costly-map
        last.insert(x, i);  //~ costly-map
    }
    println!("{total}");
    assert!(last.len() == seen.len() && first.len() == seen.len());
}
