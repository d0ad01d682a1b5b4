use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut text = String::new();
    for i in 0..n {
        text.push_str(if i % 2 == 0 { "a" } else { "b" });
    }
    if text.is_empty() {
        return;
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
