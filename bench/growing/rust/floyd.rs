use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    #[allow(unused_mut)]
    let mut values: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let n = values.len();
    #[allow(unused_mut)]
    let mut result = 0u64;
    let mut distance: Vec<Vec<u64>> =
        values.iter().map(|x| values.iter().map(|y| x * y % 1_000_003).collect()).collect();
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                distance[i][j] = distance[i][j].min(distance[i][k] + distance[k][j]);
            }
        }
    }
    result += distance[0][n - 1];
    println!("{result}");
}
