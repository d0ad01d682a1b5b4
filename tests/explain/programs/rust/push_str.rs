use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut text = String::new();
    for i in 1..=n {
        text.push_str(&i.to_string());
        text.push('\n');
    }
    print!("{text}");
}
