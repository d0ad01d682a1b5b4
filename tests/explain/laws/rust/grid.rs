// input: grid 3 5 8 13 21 34, 150
// law: 4*n*m
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let m: usize = words.next().unwrap().parse().unwrap();
    let cells: Vec<&[u8]> = words.map(|word| word.as_bytes()).collect();
    let mut sum: u64 = 0;
    for i in 0..n {
        for j in 0..m {
            for d in 0..4 { //@
                sum += (i + d > 0 && cells[i][j] == b'.') as u64; //@
            }
        }
    }
    println!("{}", sum);
}
