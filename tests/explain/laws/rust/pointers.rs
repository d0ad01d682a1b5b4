// input: sorted 10 20 50 100 200 400, 5000
// law: n
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let a: Vec<u64> = words.map(|word| word.parse().unwrap()).collect();
    let mut sum: u64 = 0;
    let mut right = 0;
    for left in 0..n { //@
        while right < n && a[right] <= a[left] + 3 { //@ 2*n
            right += 1; //@
        } //@
        sum += (right - left) as u64; //@
    } //@
    println!("{}", sum);
}
