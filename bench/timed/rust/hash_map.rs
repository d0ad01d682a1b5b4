use std::collections::HashMap;
fn main() {
    let mut x: u32 = 1;
    let mut counts: HashMap<u32, u32> = HashMap::new();
    for _ in 0..5_000_000 {
        x = x.wrapping_mul(1664525).wrapping_add(1013904223);
        *counts.entry(x >> 22).or_insert(0) += 1;
    }
    println!("{}", counts[&7]);
}
