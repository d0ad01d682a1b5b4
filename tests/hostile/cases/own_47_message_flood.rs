// own_47_message_flood.rs: a compiler message of megabytes in one line, with bytes that terminals and pages obey
// Expected: CE. For our own grader's acceptance run only, never outside the sandbox.
macro_rules! grow { ($($t:tt)*) => { compile_error!(concat!($($t)* "LEAK-not-at-line-start \u{1b}[2J\u{202e}<script>document.title='LEAK-XSS'</script>")); } }
macro_rules! twice { ($n:tt $($t:tt)*) => { twice2!($($t)* $($t)* "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", ); } }
macro_rules! twice2 { ($($t:tt)*) => { grow!($($t)* $($t)* $($t)* $($t)*); } }
twice!(x "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "c", "d", );
fn main() { let x: i32 = "y"; }
