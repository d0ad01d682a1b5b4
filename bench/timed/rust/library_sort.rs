fn main() {
    let mut x: u32 = 1;
    let mut values = vec![0; 1_500_000];
    for _ in 0..4 {
        for value in values.iter_mut() {
            x = x.wrapping_mul(1664525).wrapping_add(1013904223);
            *value = x;
        }
        values.sort();
    }
    println!("{}", values[7]);
}
