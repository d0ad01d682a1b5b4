use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let (mut i, mut count) = (2, 0);
    loop {
        if i > n {
            break;
        }
        let mut j = 2;
        while j < i && i % j != 0 {
            j += 1;
        }
        count += u32::from(j == i);
        i += 1;
    }
    println!("{count}");
}
