// Does what its input says: one word per limit of the self-test.
use std::io::Write;
use std::{io, thread, time::Duration};

fn main() {
    let mut word = String::new();
    io::stdin().read_line(&mut word).unwrap();
    match word.trim() {
        "right" => println!("right"),
        "spin" => loop { std::hint::spin_loop() },
        "wait" => thread::sleep(Duration::from_secs(60)),
        "grow" => { let mut kept = Vec::new(); loop { kept.push(vec![1u8; 1_000_000]) } }
        "shout" => { let text = vec![b'x'; 65_536]; loop { io::stdout().write_all(&text).unwrap() } }
        "fork" => for _ in 0..100 { thread::spawn(|| thread::sleep(Duration::from_secs(60))); },
        _ => {}
    }
}
