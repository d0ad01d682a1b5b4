use std::io::{self, Write};

fn main() -> io::Result<()> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    let n: u32 = line.trim().parse().unwrap();
    let mut stdout = io::stdout();
    for i in 1..=n {
        writeln!(stdout, "{}", i)?;
        stdout.flush()?;
    }
    Ok(())
}
