fn main() {
    for i in 0..500_000 {
        println!("{}", i);
    }
}
