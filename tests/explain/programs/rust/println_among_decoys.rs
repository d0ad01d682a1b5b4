use std::fmt::Write;
use std::io;

#[allow(dead_code)]
fn unused(values: &[u32]) {
    for value in values {
        println!("{value}");
    }
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut words = String::new();
    for i in 0..3 {
        writeln!(words, "println!({i})").unwrap();
    }
    for i in 1..n {
        println!("{i}"); //~ flush-per-line
    }
    println!("{n}");
    eprintln!("{words}");
}
