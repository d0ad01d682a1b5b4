use std::fs::File;
use std::io::{BufReader, Read};

fn number(input: &mut impl Read) -> u64 {
    let mut byte = [0u8; 1];
    let mut value = 0;
    while input.read(&mut byte).unwrap() == 1 && byte[0] != b'\n' { //~? tiny-reads
        value = 10 * value + u64::from(byte[0] - b'0');
    }
    value
}

fn main() {
    let mut input = BufReader::with_capacity(2, File::open("/dev/stdin").unwrap()); //~? tiny-reads
    let n = number(&mut input); //~? tiny-reads
    let total: u64 = (0..n).map(|_| number(&mut input)).sum(); //~? tiny-reads
    println!("{total}");
}
