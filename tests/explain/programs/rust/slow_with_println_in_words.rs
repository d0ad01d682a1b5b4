use std::io;

#[allow(dead_code)]
fn trace(values: &[u32]) {
    for value in values {
        println!("{value}");
        eprintln!("{value}");
    }
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let hint = r#"for i in 1..=n { println!("{i}"); }"#;
    let mut count = 0;
    for i in 2..=n {
        // println!("{i}");
        /* eprintln!("{i}"); /* nested: println!() */ println!("{i}"); */
        if (2..i).filter(|d| i % d == 0).count() == 0 {
            count += 1;
        }
    }
    if count > n {
        print!("{hint}");
    }
    println!("{count}");
}
