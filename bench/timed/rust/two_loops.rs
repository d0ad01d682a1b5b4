fn burn(mut x: u32, count: u32) -> u32 {
    for i in 0..count { x = x.wrapping_mul(1664525).wrapping_add(1013904223) ^ i; }
    x
}
fn cool(mut x: u32, count: u32) -> u32 {
    for i in 0..count { x = x.wrapping_mul(22695477).wrapping_add(1) ^ i; }
    x
}
fn main() {
    let x = burn(std::env::args().count() as u32, 120_000_000);
    println!("{}", cool(x, 60_000_000));
}
