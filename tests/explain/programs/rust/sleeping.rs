use std::{io, thread, time::Duration};

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut count = 0;
    for i in 2..=n {
        if (2..i).all(|d| i % d != 0) {
            count += 1;
        }
        thread::sleep(Duration::from_millis(8)); //~ waiting
    }
    println!("{count}");
}
