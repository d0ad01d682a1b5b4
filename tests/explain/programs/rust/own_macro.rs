use std::io;

macro_rules! answer {
    ($value:expr) => {
        print!("{}\n", $value) //~? flush-per-line
    };
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut i = 1;
    while i <= n {
        answer!(i); //~? flush-per-line
        i += 1;
    }
}
