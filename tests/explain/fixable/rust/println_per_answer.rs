use std::io;

fn read_number() -> i64 {
    let mut line = String::new();
    io::stdin().read_line(&mut line).expect("a line");
    line.trim().parse().expect("a number")
}

fn main() {
    let n = read_number();
    for _ in 0..n {
        let x = read_number();
        println!("{}", x * 2);
    }
}
