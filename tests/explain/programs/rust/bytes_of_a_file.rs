use std::fs::File;
use std::io::Read;
use std::os::fd::FromRawFd;

fn main() {
    let stdin = unsafe { File::from_raw_fd(0) };
    let (mut total, mut number, mut lines) = (0u64, 0u64, 0);
    for byte in stdin.bytes() { //~ tiny-reads
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
