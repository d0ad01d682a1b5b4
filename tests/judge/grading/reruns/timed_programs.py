"""Programs that say beside a line its share of the CPU time, in per cent: "@" its own, "@@" with all that it calls."""

import re

_OWN = re.compile(r"(?://|#)@ (\d+)")
_TOTAL = re.compile(r"@@ (\d+)")

PROGRAMS: dict[str, tuple[str, str]] = {
    "cpp: one hot line beside a cool one": (
        "cpp",
        """
        #include <cstdio>
        int main() {
            unsigned x = 1;
            for (long i = 0; i < 120'000'000; i++) x = x * 1664525u + 1013904223u; //@ 75
            std::printf("%u\\n", x);
            for (long i = 0; i < 40'000'000; i++) x = x * 1664525u + 1013904223u; //@ 25
            std::printf("%u\\n", x);
        }""",
    ),
    "cpp: inlined functions": (
        "cpp",
        """
        #include <cstdio>
        static inline unsigned step(unsigned x) {
            return x * 1664525u + 1013904223u; //@ 49
        }
        static inline unsigned steps(unsigned x, long count) {
            for (long i = 0; i < count; i++) x = step(x); //@ 49 @@ 97
            return x;
        }
        int main() {
            unsigned x = steps(1, 120'000'000); // @@ 75
            std::printf("%u\\n", x);
            x = steps(x, 40'000'000); // @@ 25
            std::printf("%u\\n", x);
        }""",
    ),
    "cpp: a recursion counts once": (
        "cpp",
        """
        #include <cstdio>
        [[gnu::noinline]] long fib(long n) {
            if (n < 2)
                return n;
            return fib(n - 1) + fib(n - 2); // @@ 95
        }
        int main() {
            std::printf("%ld\\n", fib(38)); // @@ 97
        }""",
    ),
    "cpp: a library that sorts": (
        "cpp",
        """
        #include <algorithm>
        #include <cstdio>
        #include <vector>
        int main() {
            unsigned x = 1;
            std::vector<unsigned> values(2'000'000);
            for (auto &value : values) value = x = x * 1664525u + 1013904223u;
            std::sort(values.begin(), values.end()); //@ 95
            std::printf("%u\\n", values[7]);
        }""",
    ),
    "cpp: a library without frame pointers": (
        "cpp",
        """
        #include <cstdio>
        #include <cstdlib>
        #include <cstring>
        int main() {
            char text[64];
            long sum = 0;
            for (int i = 0; i < 1'500'000; i++) {
                std::snprintf(text, sizeof text, "%d.%d", i, i); //@ 90
                sum += text[1];
            }
            std::printf("%ld\\n", sum);
        }""",
    ),
    "cpp: the kernel": (
        "cpp",
        """
        #include <cstdio>
        #include <unistd.h>
        int main() {
            int ends[2];
            if (pipe(ends)) return 1;
            char byte = 0;
            for (int i = 0; i < 400'000; i++) {
                if (write(ends[1], &byte, 1) != 1) return 1; //@ 50
                if (read(ends[0], &byte, 1) != 1) return 1; //@ 50
            }
        }""",
    ),
    "cpp: threads": (
        "cpp",
        """
        #include <cstdio>
        #include <thread>
        unsigned burn(unsigned x, long count) {
            for (long i = 0; i < count; i++) x = x * 1664525u + 1013904223u; //@ 100
            return x;
        }
        unsigned results[2];
        int main() {
            std::thread one([] { results[0] = burn(1, 120'000'000); }); // @@ 75
            std::thread other([] { results[1] = burn(1, 40'000'000); }); // @@ 25
            one.join();
            other.join();
            std::printf("%u\\n", results[0] + results[1]);
        }""",
    ),
    "cpp: a child": (
        "cpp",
        """
        #include <sys/wait.h>
        #include <unistd.h>
        volatile unsigned x = 1;
        [[gnu::noinline]] void burn(long count) {
            for (long i = 0; i < count; i++) x = x * 1664525u + 1013904223u; //@ 100
        }
        int main() {
            if (fork() == 0) {
                burn(60'000'000); // @@ 75
                _exit(0);
            }
            burn(20'000'000); // @@ 25
            wait(nullptr);
        }""",
    ),
    "rust: one hot line beside a cool one": (
        "rust",
        """
        fn burn(mut x: u32, count: u32) -> u32 {
            for i in 0..count {
                x = x.wrapping_mul(1664525).wrapping_add(1013904223) ^ i; //@ 95
            }
            x
        }
        fn main() {
            let first = burn(1, 120_000_000); // @@ 75
            let second = burn(first, 40_000_000); // @@ 25
            println!("{}", second);
        }""",
    ),
    "rust: a library that sorts": (
        "rust",
        """
        fn main() {
            let mut x: u32 = 1;
            let mut values = vec![0u32; 2_000_000];
            for value in values.iter_mut() {
                x = x.wrapping_mul(1664525).wrapping_add(1013904223);
                *value = x;
            }
            values.sort(); //@ 90
            println!("{}", values[7]);
        }""",
    ),
    "rust: formatting in the standard library": (
        "rust",
        """
        fn main() {
            let mut sum = 0;
            for i in 0..1_500_000u32 {
                let text = format!("{:.6}", i as f64 / 7.0); //@ 90
                sum += text.len();
            }
            println!("{}", sum);
        }""",
    ),
    "rust: a recursion in a thread": (
        "rust",
        """
        #[inline(never)]
        fn fib(n: u64) -> u64 {
            if n < 2 { return n; }
            fib(n - 1) + fib(n - 2) // @@ 90
        }
        fn main() {
            let thread = std::thread::spawn(|| fib(36)); // @@ 95
            println!("{}", thread.join().unwrap());
        }""",
    ),
    "python: one hot line beside a cool one": (
        "python",
        """
        def main():
            x = 1
            for i in range(3_000_000): x = x * 5 + 3 & 0xFFFFFF #@ 73
            for i in range(1_000_000): x = x * 5 + 3 & 0xFFFFFF #@ 24
            print(x)
        main()""",
    ),
    "python: a recursion counts once": (
        "python",
        """
        def fib(n):
            if n < 2:
                return n
            return fib(n - 1) + fib(n - 2) # @@ 95
        print(fib(31)) # @@ 95""",
    ),
    "python: a library that sorts": (
        "python",
        """
        import random
        values = [random.random() for i in range(400_000)]
        for i in range(3):
            again = sorted(values) #@ 80
        print(again[7])""",
    ),
    "python: a library in Python": (
        "python",
        """
        import random
        total = 0
        for i in range(400_000):
            total += random.randrange(9) #@ 85
        print(total)""",
    ),
    "python: threads and a child": (
        "python",
        """
        import os, threading
        def burn(count):
            x = 1
            for i in range(count): x = x * 5 + 3 & 0xFFFFFF #@ 95
        thread = threading.Thread(target=burn, args=[1_000_000])
        thread.start()
        thread.join()
        if os.fork() == 0:
            burn(2_000_000) # @@ 50
            os._exit(0)
        burn(1_000_000) # @@ 25
        os.wait()""",
    ),
}


def own_shares(source: str) -> dict[int, int]:
    """The lines, from 1, that are marked with their own share."""
    return _marked(_OWN, source)


def total_shares(source: str) -> dict[int, int]:
    """The lines that are marked with the share of all that they call, too."""
    return _marked(_TOTAL, source)


def _marked(mark: re.Pattern[str], source: str) -> dict[int, int]:
    rows = enumerate(source.strip().split("\n"), 1)
    return {number: int(match[1]) for number, line in rows if (match := mark.search(line))}
