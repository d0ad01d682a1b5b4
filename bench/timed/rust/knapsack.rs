fn main() {
    let room = 100_000;
    let mut best = vec![0u32; room + 1];
    let mut x: u32 = 1;
    for _ in 0..1_000 {
        x = x.wrapping_mul(1664525).wrapping_add(1013904223);
        let (weight, value) = (1 + (x >> 16) as usize % 1_000, 1 + (x >> 8) % 1_000);
        for have in (weight..=room).rev() { best[have] = best[have].max(best[have - weight] + value); }
    }
    println!("{}", best[room]);
}
