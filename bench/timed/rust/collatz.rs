fn length(start: u64) -> u64 {
    let mut n = start;
    let mut count = 1;
    while n != 1 { n = if n % 2 == 1 { 3 * n + 1 } else { n / 2 }; count += 1; }
    count
}
fn main() {
    let mut best = (0, 0);
    for start in 1..400_000 {
        best = best.max((length(start), start));
    }
    println!("{:?}", best);
}
