use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    #[allow(unused_mut)]
    let mut values: Vec<u64> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    let n = values.len();
    #[allow(unused_mut)]
    let mut result = 0u64;
    let mut width = 1;
    let mut other = vec![0; n];
    while width < n {
        for low in (0..n).step_by(2 * width) {
            let (middle, high) = ((low + width).min(n), (low + 2 * width).min(n));
            let (mut i, mut j) = (low, middle);
            for place in low..high {
                if i < middle && (j >= high || values[i] < values[j]) {
                    other[place] = values[i];
                    i += 1;
                } else {
                    other[place] = values[j];
                    j += 1;
                }
            }
        }
        std::mem::swap(&mut values, &mut other);
        width *= 2;
    }
    result += values[n / 2];
    println!("{result}");
}
