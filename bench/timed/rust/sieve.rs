fn main() {
    let most = 20_000;
    let mut count = 0;
    for _ in 0..5_000 {
        let mut is_composite = vec![false; most + 1];
        for i in 2..142 {
            if !is_composite[i] {
                for j in (i * i..=most).step_by(i) { is_composite[j] = true; }
            }
        }
        count += is_composite[19_997] as u32;
    }
    println!("{}", count);
}
