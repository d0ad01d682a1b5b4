// own_72_odd_but_honest.rs: honest: panics that are caught, sixty threads, large stacks, other programs, refused memory
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
use std::hint::black_box;
use std::io::{read_to_string, stdin, stdout, Read, Write};
use std::process::{exit, Command, Stdio};
use std::{fs, panic, sync::mpsc, thread};
fn deep(n: u32) -> u64 { let room = black_box([1u64; 64]); if n == 0 { 0 } else { deep(n - 1) + black_box(room)[7] } }
fn main() {
    let sum: i64 = read_to_string(stdin()).unwrap().split_whitespace().map(|x| x.parse::<i64>().unwrap()).sum();
    panic::set_hook(Box::new(|_| {}));
    assert!(panic::catch_unwind(|| panic!("x")).is_err() && thread::spawn(|| panic!("y")).join().is_err());
    assert_eq!(deep(50_000) + thread::Builder::new().stack_size(128 << 20).spawn(|| deep(100_000)).unwrap().join().unwrap(), 150_000);
    let (tell, told) = mpsc::channel();
    thread::scope(|all| { for i in 0..60 { let tell = tell.clone(); all.spawn(move || tell.send(i).unwrap()); } });
    drop(tell); assert_eq!(told.iter().sum::<i32>(), 1770);
    let mut cat = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    cat.stdin.take().unwrap().write_all(b"hey").unwrap(); assert_eq!(cat.wait_with_output().unwrap().stdout, b"hey");
    assert!(Command::new("nonesuch").spawn().is_err() && !Command::new("sh").args(["-c", "kill -9 $$"]).status().unwrap().success());
    fs::create_dir_all("a/b").unwrap(); fs::write("a/b/c", "x").unwrap(); fs::copy("a/b/c", "/tmp/c").unwrap(); fs::remove_dir_all("a").unwrap();
    let (a, mut b) = std::os::unix::net::UnixStream::pair().unwrap(); (&a).write_all(b"z").unwrap(); b.read_exact(&mut [0]).unwrap();
    let mut far: Vec<u8> = Vec::new(); assert!(far.try_reserve(isize::MAX as usize).is_err());
    assert!(thread::available_parallelism().is_ok() && std::env::current_exe().is_ok());
    print!("{sum}"); stdout().flush().unwrap(); exit(0);
}
