use std::io::{stdin, Read};

fn count_missing(n: i64, stations: &[i64], w: i64) -> i64 {
    let width = 2 * w + 1;
    let mut count = 0;
    let mut start = 1; // the first flat that may not be served yet
    for &station in stations {
        let gap = station - w - start;
        if gap > 0 {
            count += (gap + 2 * w) / width;
        }
        start = station + w + 1;
    }
    let gap = n + 1 - start;
    if gap > 0 {
        count += (gap + 2 * w) / width;
    }
    count
}

fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let mut numbers = input.split_ascii_whitespace().map(|word| word.parse::<i64>().unwrap());
    let n = numbers.next().unwrap();
    let m = numbers.next().unwrap() as usize;
    let q = numbers.next().unwrap() as usize;
    let stations: Vec<i64> = numbers.by_ref().take(m).collect();
    let answers: Vec<String> = numbers.take(q).map(|w| count_missing(n, &stations, w).to_string()).collect();
    println!("{}", answers.join("\n"));
}
