use std::{io, thread};

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let workers: Vec<_> = (0..2)
        .map(|first| {
            thread::spawn(move || {
                let is_prime = |i: &u32| (2..*i).filter(|d| *i % d == 0).count() == 0;
                (2 + first..=n).step_by(2).filter(is_prime).count()
            })
        })
        .collect();
    let count: usize = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
    println!("{count}");
}
