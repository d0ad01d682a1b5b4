use std::io::{self, BufWriter, Write};

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: usize = line.trim().parse().unwrap();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut composite = vec![false; n + 1];
    let mut count = 0;
    for i in 2..=n {
        writeln!(out, "candidate {i}: {}", composite[i]).unwrap(); //~? leftover-output
        if !composite[i] {
            count += 1;
            for j in (i * i..=n).step_by(i) {
                composite[j] = true;
            }
        }
    }
    writeln!(out, "{count}").unwrap();
}
