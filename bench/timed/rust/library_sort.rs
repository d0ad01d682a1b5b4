fn main() {
    let mut x: u32 = 1;
    let mut values = Vec::with_capacity(1_500_000);
    for _ in 0..1_500_000 {
        x = x.wrapping_mul(1664525).wrapping_add(1013904223);
        values.push(x);
    }
    values.sort();
    println!("{}", values[7]);
}
