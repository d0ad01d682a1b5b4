use std::io;

struct Answers {
    values: Vec<u32>,
}

impl Answers {
    fn show(&self) {
        for value in &self.values {
            print!("{}", value);
            println!();
        }
    }
}

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let answers = Answers { values: (1..=n).collect() };
    answers.show();
}
