// own_48_rust_tools.rs: tells the linker and the compiler more: arguments in attributes, libraries by path, a crate of its own name, other files
// Expected: CE/WA. For our own grader's acceptance run only, never outside the sandbox.
#![crate_type = "bin"]
#![no_builtins]
#![feature(link_args)]
#[link(name = "/etc/oj-canary-host", kind = "static", modifiers = "+verbatim")]
#[link(name = "x -Wl,-T,/etc/passwd")]
extern "C" {}
mod r#mod { include!("/proc/self/environ"); }
const X: &str = include_str!(concat!("/proc/self/", "cmdline"));
const Y: &[u8] = include_bytes!("/etc/oj-canary-host");
fn main() { println!("{}{:?}", X, Y); }
