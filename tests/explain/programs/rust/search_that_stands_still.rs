use std::fmt::Write;
use std::hint::black_box;
use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: usize = line.trim().parse().unwrap();
    let mut out = String::new();
    for i in 1..=n {
        let (mut low, mut high) = (0, n);
        while low < high {  //~ may-never-end
            let middle = black_box((low + high) / 2);
            if middle <= i {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        writeln!(out, "{low}").unwrap();
    }
    print!("{out}");
}
