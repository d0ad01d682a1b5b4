use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut out = String::new();
    for i in 1..=n {
        let line = format!("{}\n", i);  //~ conversion
        out.push_str(&line);
        if out.len() > 4000 {
            print!("{out}");
            out.clear();
        }
    }
    print!("{out}");
}
