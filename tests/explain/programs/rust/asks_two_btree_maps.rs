use std::collections::BTreeMap;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let values: Vec<i64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let mut first = BTreeMap::<i64, usize>::new();
    let mut counted: BTreeMap<i64, u32> = BTreeMap::new();
    for (i, &x) in values.iter().enumerate() {
        if !first.contains_key(&x) {  //~ costly-map
            first.insert(x, i);  //~ costly-map
        }
        *counted.entry(x).or_insert(0) += 1;  //~ costly-map
    }
    let mut total = 0;
    for (i, &x) in values.iter().enumerate() {
        if first[&x] == i && counted[&x] > 0 {  //~ costly-map
            total += x;
        }
    }
    println!("{total}");
}
