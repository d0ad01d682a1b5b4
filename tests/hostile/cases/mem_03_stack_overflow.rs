// mem_03_stack_overflow.rs: endless recursion (Rust aborts; a PID 1 abort looks like SIGSEGV)
// Expected: RE/MLE. For our own grader's acceptance run only, never outside the sandbox.
#[allow(unconditional_recursion)]
fn f(n: u64) -> u64 { let pad = [n as u8; 4096]; unsafe { std::ptr::read_volatile(&pad[7]) }; f(n + 1) + pad[(n & 4095) as usize] as u64 }
fn main() {
    if std::process::id() > 64 { println!("LEAK not-in-private-pid-namespace"); std::process::exit(3); }
    println!("{}", f(0));
}
