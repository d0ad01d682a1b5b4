use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let mut largest = 0u64;
    loop {  //~ failed-read
        line.clear();
        io::stdin().read_line(&mut line).unwrap();
        let x = line.trim().parse().unwrap_or(1);
        if x == 0 {
            break;
        }
        largest = largest.max(x);
    }
    println!("{largest}");
}
