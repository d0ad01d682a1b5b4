use std::io::stdin;

fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let input: Vec<i64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let (n, mut reading, a, c, m) = (input[0], input[1], input[2], input[3], input[4]);
    let (mut largest, mut records, mut difference) = (reading, 1, 0);
    for _ in 1..n {
        let next = (a * reading + c) % m;
        if next > largest {
            largest = next;
            records += 1;
        }
        difference = difference.max((next - reading).abs());
        reading = next;
    }
    println!("{} {}", records, difference);
}
