use std::io::stdin;

fn read() -> String {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    line.trim().to_string()
}

// println! writes each line at once: no flush is needed.
fn main() {
    let mut low = 1;
    let mut high: i32 = read().parse().unwrap();
    while low < high {
        let middle = (low + high) / 2;
        println!("? {}", middle);
        match read().as_str() {
            "=" => (low, high) = (middle, middle),
            "<" => high = middle - 1,
            _ => low = middle + 1,
        }
    }
    println!("! {}", low);
}
