// Ends without a word.
fn main() {}
