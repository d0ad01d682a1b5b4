use std::hint::black_box;
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut total = text.len();
    loop {  //~ may-never-end
        total = black_box(total).wrapping_add(1);
    }
}
