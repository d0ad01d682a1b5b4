"""Small programs in three languages that never end, and such that look alike and of which nobody can tell."""

from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True, slots=True)
class Loop:
    """A program. `lines`: of its loop; `visits`: of the line until the state repeats, 0: any number."""

    language: str
    source: str
    lines: range = range(0)
    visits: int = 0


def _loop(language: str, source: str, first: int = 0, last: int = 0, visits: int = 0) -> Loop:
    return Loop(language, dedent(source).lstrip("\n"), range(first, last + 1), visits)


ENDLESS = {
    "low stays": _loop(
        "cpp",
        """
        #include <iostream>
        int main() {
            int n;
            std::cin >> n;
            int low = 0, high = n;
            while (low < high) {
                int middle = (low + high) / 2;
                if (middle * middle <= 4) low = middle;
                else high = middle - 1;
            }
            std::cout << low;
        }
        """,
        6,
        10,
    ),
    "failed read": _loop(
        "cpp",
        """
        #include <iostream>
        int main() {
            int x, sum = 0;
            while (true) {
                std::cin >> x;
                if (x == 7) break;
                sum = x;
            }
            std::cout << sum;
        }
        """,
        4,
        8,
    ),
    "scanf at the end": _loop(
        "cpp",
        """
        #include <cstdio>
        int main() {
            int x = 0;
            while (x != 7) {
                scanf("%d", &x);
            }
            printf("%d", x);
        }
        """,
        4,
        6,
    ),
    "cycle of 1000": _loop(
        "cpp",
        """
        #include <vector>
        int main() {
            std::vector<int> to(1000);
            for (int i = 0; i < 1000; i++) to[i] = (i + 1) % 1000;
            volatile int at = 0;
            while (at != -1) {
                at = to[at];
            }
            return at;
        }
        """,
        6,
        8,
        1000,
    ),
    "in Rust": _loop(
        "rust",
        """
        use std::io::Read;
        fn main() {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).unwrap();
            let n: usize = text.trim().parse().unwrap();
            let next: Vec<usize> = (0..n).map(|i| (i + 1) % n).collect();
            let mut at = 0;
            while at < n {
                at = next[at];
            }
            println!("{}", at);
        }
        """,
        8,
        10,
        3,
    ),
}

UNKNOWN = {
    "counter in C++": _loop("cpp", "int main() { volatile unsigned long i = 1; while (i) i = i + 1; }"),
    "thread": _loop(
        "cpp",
        """
        #include <thread>
        #include <unistd.h>
        int main() {
            volatile bool done = false;
            std::thread other([&] { sleep(20); done = true; });
            while (!done) {}
            other.join();
        }
        """,
    ),
    "clock in Rust": _loop(
        "rust",
        """
        use std::time::{Duration, Instant};
        fn main() {
            let start = Instant::now();
            while start.elapsed() < Duration::from_secs(20) {}
        }
        """,
    ),
}
