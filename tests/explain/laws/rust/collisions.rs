// input: values 10 20 50 100 200 400, 2000
// law: n*(n-1)//2
use std::io::Read;

fn main() {
    let mut text_in = String::new();
    std::io::stdin().read_to_string(&mut text_in).unwrap();
    let mut words = text_in.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let mut sum: u64 = 0;
    let mut buckets = vec![Vec::new(); 64];
    for i in 0..n {
        let key = 64 * i;
        for &other in &buckets[key % 64] { //@
            sum += (other == key) as u64; //@
        }
        buckets[key % 64].push(key);
    }
    println!("{}", sum);
}
