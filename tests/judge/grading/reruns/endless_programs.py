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
    "Python, condition that nothing changes": _loop(
        "python",
        """
        n = int(input())
        total = 5
        while total != n:
            if n > 10:
                total += 1
        print(total)
        """,
        3,
        4,
    ),
    "Python, inside of a for": _loop(
        "python",
        """
        import sys
        input = sys.stdin.readline
        def search(values, wish):
            low, high = 0, len(values) - 1
            while low < high:
                middle = (low + high) // 2
                if values[middle] <= wish:
                    low = middle
                else:
                    high = middle - 1
            return low
        n = int(input())
        for number in range(n):
            print(search(list(range(10)), 5))
        """,
        5,
        8,
    ),
    "Python, three in turn": _loop(
        "python",
        """
        def main():
            following = {0: 1, 1: 2, 2: 0}
            at = 0
            while at < 5:
                at = following[at]
            print(at)
        main()
        """,
        4,
        5,
        3,
    ),
    "Python, reads at the end": _loop(
        "python",
        """
        import sys
        word = ""
        while word != "end":
            word = sys.stdin.readline().strip()
        """,
        3,
        4,
    ),
    "Python, input that fails": _loop(
        "python",
        """
        while True:
            try:
                n = int(input())
            except EOFError:
                continue
            if n == 0:
                break
        """,
        1,
        6,
    ),
}

UNKNOWN = {
    "Python, counter": _loop("python", "i = 1\nwhile i > 0:\n    i += 1\n"),
    "Python, iterator": _loop("python", "for x in [1] * 10**8:\n    y = x\n"),
    "Python, iterator of a variable": _loop(
        "python", "ones = iter([1] * 10**7)\nx = 1\nwhile x == 1:\n    x = next(ones, 2)\n"
    ),
    "Python, clock": _loop("python", "import time\nend = time.time() + 20\nwhile time.time() < end:\n    pass\n"),
    "Python, chance": _loop("python", "import random\nwhile random.random() > 1e-9:\n    pass\n"),
    "Python, generator": _loop(
        "python",
        "def numbers():\n    for i in range(10**8):\n        yield 1\n\nfor x in numbers():\n    y = x\n",
    ),
    "Python, list that grows": _loop(
        "python", "found = []\nwhile True:\n    if len(found) < 10**7:\n        found.append(1)\n"
    ),
    "Python, thread": _loop(
        "python",
        "import threading, time\ndone = []\n"
        "threading.Thread(target=lambda: (time.sleep(20), done.append(1))).start()\nwhile not done:\n    pass\n",
    ),
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
