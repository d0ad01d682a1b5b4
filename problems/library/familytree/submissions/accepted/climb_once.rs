use std::io::{stdin, Read};

// Climbs until somebody with a known generation is met, and notes the generations on the way back.
fn main() {
    let mut input = String::new();
    stdin().read_to_string(&mut input).unwrap();
    let numbers: Vec<usize> = input.split_ascii_whitespace().map(|word| word.parse().unwrap()).collect();
    let n = numbers[0];
    let mut generation = vec![0; n + 1];
    generation[1] = 1;
    let mut path = Vec::new();
    for mut person in 2..=n {
        while generation[person] == 0 {
            path.push(person);
            person = numbers[person - 1];
        }
        let mut known = generation[person];
        while let Some(descendant) = path.pop() {
            known += 1;
            generation[descendant] = known;
        }
    }
    println!("{}", generation.iter().max().unwrap());
}
