use std::io::{self, Read};

fn main() {
    let (mut total, mut number, mut lines) = (0u64, 0u64, 0);
    for byte in io::stdin().lock().bytes() {
        let byte = byte.unwrap();
        if byte == b'\n' {
            total += if lines > 0 { number } else { 0 };
            lines += 1;
            number = 0;
        } else {
            number = 10 * number + u64::from(byte - b'0');
        }
    }
    println!("{total}");
}
