// As touches.c, in Rust: heap, threads, child, memfd.
use std::io::Write;
use std::os::fd::FromRawFd;
use std::{env, fs, hint, process, ptr, thread};

extern "C" {
    fn fork() -> i32;
    fn wait(status: *mut i32) -> i32;
    fn memfd_create(name: *const i8, flags: u32) -> i32;
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let size = arguments[2].parse::<usize>().unwrap() << 20;
    let held = |bytes: usize| hint::black_box(vec![b'x'; bytes]);
    match arguments[1].as_str() {
        "heap" => drop(held(size)),
        "threads" => {
            let threads: Vec<_> = (0..4).map(|_| thread::spawn(move || held(size / 4))).collect();
            let pieces: Vec<_> = threads.into_iter().map(|one| one.join().unwrap()).collect();
            hint::black_box(pieces);
        }
        "child" => unsafe {
            if fork() == 0 {
                drop(held(size));
                process::exit(0);
            }
            wait(ptr::null_mut());
        },
        "memfd" => {
            let mut file = unsafe { fs::File::from_raw_fd(memfd_create(c"touched".as_ptr(), 0)) };
            for _ in 0..size >> 20 {
                file.write_all(&[b'x'; 1 << 20]).unwrap();
            }
        }
        _ => {}
    }
}
