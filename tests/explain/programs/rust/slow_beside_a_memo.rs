use std::io;

fn rabbits(i: usize, memo: &mut Vec<u64>) -> u64 {
    if i < 2 {
        return i as u64;
    }
    if memo[i] == 0 {
        memo[i] = rabbits(i - 1, memo) + rabbits(i - 2, memo);
    }
    memo[i]
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let mut memo = vec![0; 91];
    if rabbits(90, &mut memo) == 0 {
        return;
    }
    let mut count = 0;
    for i in 2..=n {
        let mut j = 2;
        while j < i && i % j != 0 {
            j += 1;
        }
        count += u32::from(j == i);
    }
    println!("{count}");
}
