use std::fs::File;
use std::io::Read;
use std::os::unix::io::FromRawFd;

// bytes() of a File without a BufReader around it is a read call for every byte.
fn main() {
    let stdin = unsafe { File::from_raw_fd(0) };
    let mut words = Vec::new();
    let mut word = String::new();
    for byte in stdin.bytes() {
        let byte = byte.unwrap();
        if byte == b'\n' {
            words.push(word.parse::<i64>().unwrap());
            word.clear();
        } else {
            word.push(byte as char);
        }
    }
    println!("{}", words[1..].iter().sum::<i64>());
}
