"""Programs that say beside each line how often it writes."""

import re
import textwrap

COUNT = re.compile(r"(?://|#)@ (\d+)$")

# Each line that writes ends with "@" and how often. "elsewhere" is what the program leaves for its end.
PROGRAMS: dict[str, tuple[str, int, str]] = {
    "endl in a helper that is called from two places": (
        "cpp",
        0,
        """
        #include <iostream>
        using namespace std;
        void say(int number) {
            cout << number
                 << endl; //@ 1500
        }
        int main() {
            for (int i = 0; i < 1000; i++) say(i);
            for (int i = 0; i < 500; i++)
                say(i);
        }""",
    ),
    "a helper that ends with fflush": (
        "cpp",
        0,
        """
        #include <cstdio>
        __attribute__((noinline)) void say(int number) {
            printf("%d\\n", number);
            fflush(stdout); //@ 700
        }
        int main() {
            for (int i = 0; i < 700; i++) say(i);
        }""",
    ),
    "printf that fills the buffer": (
        "cpp",
        1,
        """
        #include <cstdio>
        int main() {
            for (int i = 0; i < 5000; i++)
                printf("%7d\\n", i); //@ 9
            printf("end\\n");
        }""",
    ),
    "three times << on cerr": (
        "cpp",
        0,
        """
        #include <iostream>
        int main() {
            for (int i = 0; i < 400; i++)
                std::cerr << i << ' ' << "\\n"; //@ 1200
        }""",
    ),
    "threads, a recursion and a lambda given to an algorithm": (
        "cpp",
        0,
        """
        #include <algorithm>
        #include <iostream>
        #include <thread>
        #include <unistd.h>
        #include <vector>
        void walk(int depth) {
            if (!depth) return;
            walk(depth - 1);
            std::cout << depth << std::endl; //@ 2047
            walk(depth - 1);
        }
        void work() {
            for (int i = 0; i < 300; i++) (void)!write(1, "x\\n", 2); //@ 1200
        }
        int main() {
            std::vector<std::thread> all;
            for (int i = 0; i < 4; i++) all.emplace_back(work);
            for (auto &one : all) one.join();
            walk(11);
            std::vector<int> numbers(50);
            std::for_each(numbers.begin(), numbers.end(), [](int number) {
                std::cerr << number; //@ 50
            });
        }""",
    ),
    "unsynchronised streams and a stream of the program's own": (
        "cpp",
        1,
        """
        #include <fstream>
        #include <iostream>
        int main() {
            std::ios::sync_with_stdio(false);
            std::ofstream out("own.txt");
            for (int i = 0; i < 90; i++) out << i << std::flush; //@ 90
            for (int i = 0; i < 30; i++) std::cout << i << '\\n' << std::flush; //@ 30
            std::cout << "end";
        }""",
    ),
    "println in a closure": (
        "rust",
        0,
        """
        fn main() {
            let say = |number: i32| {
                println!("{}", number); //@ 800
            };
            for i in 0..500 { say(i); }
            (0..300).for_each(say);
        }""",
    ),
    "a display of one's own, eprintln and recursion": (
        "rust",
        0,
        """
        use std::fmt;
        struct Pair(i32, i32);
        impl fmt::Display for Pair {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "{}/{}", self.0, self.1) }
        }
        fn walk(depth: i32) {
            if depth == 0 { return; }
            walk(depth - 1);
            println!("{}", Pair(depth, depth)); //@ 1023
            walk(depth - 1);
        }
        fn main() {
            walk(10);
            for i in 0..20 {
                eprintln!("{}", i); //@ 40
            }
        }""",
    ),
    "a BufWriter that is dropped": (
        "rust",
        0,
        """
        use std::io::{stdout, BufWriter, Write};
        fn main() {
            let mut out = BufWriter::new(stdout().lock());
            for i in 0..3000 {
                writeln!(out, "{:7}", i).unwrap(); //@ 2
            }
            drop(out); //@ 1
            let worker = std::thread::spawn(|| {
                for _ in 0..60 { println!("x"); } //@ 60
            });
            worker.join().unwrap();
        }""",
    ),
    "helpers that flush, and one whose last call is a jump": (
        "rust",
        0,
        """
        use std::io::{self, stdout, BufWriter, StdoutLock, Write};
        #[inline(never)]
        fn say(out: &mut BufWriter<StdoutLock>, number: i32) -> io::Result<()> {
            writeln!(out, "{}", number)?;
            out.flush() //@ 100
        }
        #[inline(never)]
        fn pass_on(out: &mut dyn Write, text: &[u8]) -> io::Result<usize> {
            out.write(text)
        }
        fn main() {
            let mut out = BufWriter::new(stdout().lock());
            for i in 0..100 { say(&mut out, i).unwrap(); }
            drop(out);
            for _ in 0..50 {
                pass_on(&mut stdout(), b"x\\n").unwrap(); //@ 50
            }
        }""",
    ),
    "nested functions, stderr and os.write": (
        "python",
        1,
        """
        import os, sys
        def say(number):
            def inner():
                print(number, flush=True) #@ 600
            inner()
        for i in range(400): say(i)
        list(map(say, range(200)))
        for i in range(70):
            print(i, "at", file=sys.stderr) #@ 70
        for i in range(30):
            os.write(1, b"raw\\n") #@ 30
        print("end")""",
    ),
    "a full buffer, a file, a thread and a logger": (
        "python",
        0,
        """
        import logging, sys, threading
        for i in range(5000):
            print("%7d" % i) #@ 4
        sys.stdout.flush() #@ 1
        out = open(1, "w", closefd=False)
        for i in range(40):
            print(i, file=out, flush=True) #@ 40
        with open("own.txt", "w") as own: #@ 1
            own.write("x" * 10)
        def work():
            for i in range(100):
                sys.stdout.write("x\\n"); sys.stdout.flush() #@ 100
        threads = [threading.Thread(target=work) for _ in range(1)]
        for one in threads: one.start()
        for one in threads: one.join()
        logging.basicConfig(stream=sys.stderr)
        for i in range(25):
            logging.warning("number %d", i) #@ 25
        """,
    ),
}


def code_of(source: str) -> bytes:
    """A program as it is submitted."""
    return textwrap.dedent(source).strip().encode() + b"\n"


def marked(source: str) -> dict[int, int]:
    """The writes that it says of its lines."""
    lines = enumerate(code_of(source).decode().splitlines(), 1)
    found = {number: COUNT.search(line) for number, line in lines}
    return {number: int(mark[1]) for number, mark in found.items() if mark}
