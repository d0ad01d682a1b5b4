use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut stack: Vec<u32> = (0..n).collect();
    while let Some(x) = stack.pop() {
        if x > n {
            return;
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
