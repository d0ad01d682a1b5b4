use std::io::*;

fn main() {
    let mut text = String::new();
    stdin().read_to_string(&mut text).unwrap();
    let (mut total, mut value, mut lines) = (0u64, 0u64, 0);
    for i in 0..text.len() {
        let c = text.chars().nth(i).unwrap(); //~ costly-container
        if c == '\n' {
            if lines > 0 {
                total += value;
            }
            lines += 1;
            value = 0;
        } else {
            value = 10 * value + c as u64 - '0' as u64;
        }
    }
    println!("{}", total);
}
