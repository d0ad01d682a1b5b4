use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: usize = line.trim().parse().unwrap();
    let mut a = Vec::new();
    for _ in 0..n {
        let mut line = String::new();
        io::stdin().read_line(&mut line).unwrap();
        a.push(line.trim().parse::<u32>().unwrap());
    }
    for i in 0..n {
        for j in i + 1..n {
            if a[j] < a[i] {
                a.swap(i, j);
            }
        }
    }
    for x in a {
        println!("{}", x);
    }
}
