fn main() {
    let mut sum = 0;
    for i in 0..1_000_000u32 {
        let text = format!("{:.3} {}", i as f64 / 7.0, i);
        sum += text.len();
    }
    println!("{}", sum);
}
