// mem_03_stack_overflow.rs: endless recursion (Rust aborts; a PID 1 abort looks like SIGSEGV)
// Expected: RE/MLE. For our own grader's acceptance run only, never outside the sandbox.
#[allow(unconditional_recursion)]
fn f(n: u64) -> u64 {
    let mut pad = [0u8; 4096];
    unsafe { std::ptr::write_volatile(&mut pad[7], n as u8) }
    f(n + 1) + unsafe { std::ptr::read_volatile(&pad[(n & 4095) as usize]) } as u64 // after the call: no loop can do it
}
fn main() {
    if std::process::id() > 64 { println!("LEAK not-in-private-pid-namespace"); std::process::exit(3); }
    println!("{}", f(0));
}
