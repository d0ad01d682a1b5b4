fn main() {
    let mut x: u32 = 1;
    let mut values = Vec::new();
    for _ in 0..9_000 { x = x.wrapping_mul(1664525).wrapping_add(1013904223); values.push(x); }
    for i in 0..values.len() {
        for j in 0..values.len() - i - 1 { if values[j] > values[j + 1] { values.swap(j, j + 1); } }
    }
    println!("{}", values[5]);
}
