// own_18_streams_by_name.rs: honest: opens its streams by their names in /dev
// Expected: AC. For our own grader's acceptance run only, never outside the sandbox.
use std::fs::{read_to_string, OpenOptions};
use std::io::Write;
fn main() {
    let sum: i64 = read_to_string("/dev/stdin").unwrap().split_whitespace().map(|x| x.parse::<i64>().unwrap()).sum();
    writeln!(OpenOptions::new().write(true).open("/dev/stderr").unwrap(), "INFO {}", sum).unwrap();
    writeln!(OpenOptions::new().write(true).open("/dev/stdout").unwrap(), "{}", sum).unwrap();
}
