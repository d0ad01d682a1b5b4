// As work.c, in the ways of Rust.
use std::io::{self, BufRead, Read, Write};
use std::time::Duration;
use std::{env, fs, hint, ptr, thread};

extern "C" {
    fn fork() -> i32;
    fn wait(status: *mut i32) -> i32;
    fn pipe(ends: *mut i32) -> i32;
    fn close(descriptor: i32) -> i32;
    fn read(descriptor: i32, buffer: *mut u8, size: usize) -> isize;
    fn setpgid(pid: i32, group: i32) -> i32;
    fn sigprocmask(how: i32, set: *const u64, old: *mut u64) -> i32;
    fn pause() -> i32;
    fn _exit(code: i32) -> !;
}

const HOARD: usize = 1 << 30;
const SIGCHLD: u32 = 17;
const SIG_BLOCK: i32 = 0;

fn say(what: &str, times: u32) {
    for i in 0..times {
        println!("{what} {i}");
    }
}

unsafe fn children(lingers: bool) {
    let mut done = [0; 2];
    let mut quiet = [0u64; 16];
    quiet[0] = 1 << (SIGCHLD - 1); // under strace it interrupts a read even when nobody handles it
    sigprocmask(SIG_BLOCK, quiet.as_ptr(), ptr::null_mut());
    pipe(done.as_mut_ptr());
    if fork() == 0 {
        say("child", 40);
        _exit(0);
    }
    wait(ptr::null_mut());
    if fork() == 0 {
        say("orphan", 30);
        _exit(0);
    }
    if fork() == 0 {
        if fork() == 0 {
            setpgid(0, 0);
            say("grandchild", 20);
            if lingers {
                close(done[1]);
                pause();
            }
            _exit(close(done[1]));
        }
        _exit(0);
    }
    close(done[1]);
    read(done[0], &mut 0, 1);
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let ending = arguments[1].as_str();
    let bytes: u64 = arguments.get(3).map_or(0, |count| count.parse().unwrap());
    let mut hoard: Vec<u8> = Vec::with_capacity(HOARD);

    let mut sum = 0;
    for line in io::stdin().lock().lines() {
        sum += line.unwrap().parse::<u64>().unwrap();
    }
    println!("{sum}");
    {
        let mut out = io::BufWriter::new(io::stdout().lock());
        for i in 0..20_000 {
            writeln!(out, "{i}").unwrap();
        }
    }
    fs::write("scratch", "x".repeat(30_000)).unwrap();
    let mut text = String::new();
    fs::File::open("scratch").unwrap().read_to_string(&mut text).unwrap();
    eprintln!("{} characters", text.len());
    for _ in 0..2 {
        let one = thread::spawn(|| {
            say("thread", 100);
            thread::sleep(Duration::from_millis(20));
        });
        one.join().unwrap();
    }
    unsafe { children(arguments[2] == "lingers") };
    let mut out = io::stdout();
    let mut written = 0;
    while written < bytes || ending == "flood" {
        out.write_all(b"x").unwrap();
        out.flush().unwrap();
        written += 1;
    }
    while ending == "spin" {
        hint::black_box(());
    }
    if ending == "sleep" {
        thread::sleep(Duration::from_secs(3600));
    }
    let mut page = 0;
    while ending == "hoard" {
        unsafe { ptr::write_volatile(hoard.as_mut_ptr().add(page % HOARD), 1) };
        page += 4096;
    }
    unsafe { _exit(0) }
}
