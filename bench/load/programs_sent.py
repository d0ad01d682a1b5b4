"""The programs that bench/deadline.py and bench/draining.py submit: they add two numbers, at some cost."""

from dataclasses import dataclass

_CPP = """\
// {mark}
#include <cstdio>
#include <ctime>
int main() {{
    long long a, b;
    if (std::scanf("%lld %lld", &a, &b) != 2) return 1;
    while (std::clock() < {burn_ms} * (CLOCKS_PER_SEC / 1000)) {{}}
    std::printf("%lld\\n", a + b);
}}
"""
_PYTHON = """\
# {mark}
import time
while time.process_time() * 1000 < {burn_ms}:
    pass
print(sum(map(int, input().split())))
"""
_RUST = """\
// {mark}
use std::io::read_to_string;
use std::time::{{Duration, Instant}};
fn main() {{
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis({burn_ms}) {{}}
    let text = read_to_string(std::io::stdin()).unwrap();
    println!("{{}}", text.split_whitespace().map(|n| n.parse::<i64>().unwrap()).sum::<i64>());
}}
"""
_TEMPLATES = {"cpp": _CPP, "python": _PYTHON, "rust": _RUST}


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """A submitted program."""

    language: str
    source: str


def program(language: str, *, burn_ms: int = 0, mark: str = "") -> Program:
    """One that burns so much CPU time in each run. Another `mark` makes it a program that was never compiled before."""
    return Program(language=language, source=_TEMPLATES[language].format(burn_ms=burn_ms, mark=mark))
