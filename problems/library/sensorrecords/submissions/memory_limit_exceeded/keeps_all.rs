use std::io::stdin;

fn main() {
    let mut line = String::new();
    stdin().read_line(&mut line).unwrap();
    let input: Vec<i64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let (n, a, c, m) = (input[0] as usize, input[2], input[3], input[4]);
    let mut readings = vec![input[1]];
    while readings.len() < n {
        readings.push((a * readings[readings.len() - 1] + c) % m);
    }
    let (mut largest, mut records) = (-1, 0);
    for &reading in &readings {
        if reading > largest {
            largest = reading;
            records += 1;
        }
    }
    let difference = readings.windows(2).map(|pair| (pair[1] - pair[0]).abs()).max().unwrap();
    println!("{} {}", records, difference);
}
