use std::io;

fn main() {
    let mut a: Vec<u64> = Vec::new();
    let mut line = String::new();
    loop {
        line.clear();
        if io::stdin().read_line(&mut line).unwrap() == 0 {
            break;
        }
        a.push(line.trim().parse().unwrap());
    }
    let mut others = 0u64;
    for x in &a[1..] {
        for y in &a[1..] {
            others = others.wrapping_mul(31).wrapping_add(x ^ y);
        }
    }
    println!("{}", a[1..].iter().sum::<u64>() + (others == 1) as u64);
}
