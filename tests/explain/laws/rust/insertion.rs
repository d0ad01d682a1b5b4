// input: reversed 10 20 50 100 200 400, 2000
// law: n*(n-1)//2
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let mut a: Vec<u64> = words.map(|word| word.parse().unwrap()).collect();
    let mut sum: u64 = 0;
    for i in 1..n {
        let mut j = i;
        while j > 0 && a[j] < a[j - 1] { //@ n*(n-1)//2+n-1
            a.swap(j, j - 1); //@
            j -= 1; //@
        }
    }
    sum += a[0];
    println!("{}", sum);
}
