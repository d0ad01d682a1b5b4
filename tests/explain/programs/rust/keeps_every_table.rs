use std::io::*;

fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let mut tables: Vec<Vec<u64>> = Vec::new();
    for word in input.split_whitespace().skip(1) {
        let value: u64 = word.parse().unwrap();
        tables.push(vec![value; 100_000]); //~ memory-limit
    }
    let total: u64 = tables.iter().map(|table| table[0]).sum();
    println!("{}", total);
}
