use std::{io, sync::mpsc, thread};

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    let (ask, asked) = mpsc::sync_channel::<u32>(0);
    let (answer, answered) = mpsc::sync_channel::<bool>(0);
    let worker = thread::spawn(move || { //~ taking-turns
        for i in asked {
            answer.send((2..i).take_while(|d| d * d <= i).all(|d| i % d != 0)).unwrap();
        }
    });
    let mut count = 0;
    for i in 2..=n {
        ask.send(i).unwrap();
        count += u32::from(answered.recv().unwrap());
    }
    drop(ask);
    worker.join().unwrap();
    println!("{count}");
}
