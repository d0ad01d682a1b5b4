use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut known = std::collections::HashMap::new();
    for i in 0..n {
        if !known.contains_key(&i) {
            known.insert(i, i);
        }
    }
    let mut count = 0;
    for i in 2..=n {
        let mut j = 2;
        while j < i && i % j != 0 {
            j += 1;
        }
        count += u32::from(j == i);
    }
    println!("{count}");
}
