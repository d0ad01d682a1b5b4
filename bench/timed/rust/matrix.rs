const N: usize = 360;
fn main() {
    let mut a = vec![0f64; N * N];
    let mut b = vec![0f64; N * N];
    let mut c = vec![0f64; N * N];
    for i in 0..N * N { a[i] = i as f64; b[i] = (i % 7) as f64; }
    for _ in 0..8 {
        for i in 0..N {
            for k in 0..N {
                let factor = a[i * N + k];
                for j in 0..N { c[i * N + j] += factor * b[k * N + j]; }
            }
        }
    }
    println!("{}", c[1234]);
}
