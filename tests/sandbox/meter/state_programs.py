"""Small C++ programs that never end, and such of which nobody may say so, though they look the same for a while."""

# name: (source, visits of the same place until the state repeats; None: any number)
ENDLESS: dict[str, tuple[str, int | None]] = {
    "empty loop": ('int main() { for (;;) asm volatile(""); }', 1),
    "middle of two": (
        "int main() { volatile int wish = 7; int low = 0, high = 8; while (low < high) {"
        " int mid = (low + high) / 2; if (mid <= wish) low = mid; else high = mid - 1; } return low; }",
        None,
    ),
    "three numbers": (
        "int next_of[] = {1, 2, 0}; int main() { volatile int at = 0; while (at >= 0) at = next_of[at]; }",
        3,
    ),
    "list of 1000": (
        "#include <vector>\nint main() { std::vector<int> to(1000);"
        " for (int i = 0; i < 1000; i++) to[i] = (i + 1) % 1000; volatile int at = 0; while (at != -1) at = to[at]; }",
        1000,
    ),
    "linked list with a loop": (
        "#include <cstdio>\nstruct Node { int value; Node* next; };\n"
        "int main() { Node* first = nullptr; Node* last = nullptr; for (int i = 0; i < 50; i++) {"
        " first = new Node{i, first}; if (!last) last = first; } last->next = first;"
        ' long sum = 0; for (Node* at = first; at; at = at->next) sum ^= at->value; printf("%ld\\n", sum); }',
        None,
    ),
    "two runners": (
        "#include <cstdlib>\nint to[4000]; int main() { for (int i = 0; i < 4000; i++) to[i] = (i + 7) % 4000;"
        " int slow = 0, fast = 1; while (slow != fast || to[slow] == slow + 7) {"
        " slow = to[slow]; fast = to[to[fast]]; if (slow == fast) { slow = to[fast]; } } return slow; }",
        None,
    ),
    "input that cannot be read": (
        "#include <iostream>\nint main() { int x = 1, sum = 0; while (true) { std::cin >> x; if (x == 7) break;"
        " sum ^= 1; } std::cout << sum; }",
        None,
    ),
    "end of the input": (
        '#include <cstdio>\nint main() { int x = 0; while (x != 7) scanf("%d", &x); printf("%d", x); }',
        None,
    ),
    "lines without end": (
        "#include <iostream>\n#include <string>\n"
        'int main() { std::string s; while (s != "end") getline(std::cin, s); }',
        None,
    ),
    "prints the same": ('#include <iostream>\nint main() { while (true) std::cout << "1234567\\n"; }', None),
    "flushes the same": ("#include <iostream>\nint main() { while (true) std::cout << 12345 << std::endl; }", None),
    "numbers with a point": (
        "int main() { volatile double x = 0.1; while (x != 1.0) { x = x + 0.9; x = x - 0.9; } }",
        None,
    ),
}

UNKNOWN: dict[str, tuple[str, str]] = {
    "counter": ("int main() { volatile long i = 0; while (i >= 0) i = i + 1; }", "time"),
    "counter that overflows": ("int main() { volatile unsigned i = 1; while (i) i = i + 1; }", "time"),
    "thread": (
        "#include <thread>\n#include <unistd.h>\nint main() { volatile bool done = false;"
        " std::thread other([&] { sleep(30); done = true; }); while (!done) {} other.join(); }",
        "processes",
    ),
    "child": (
        "#include <sys/mman.h>\n#include <unistd.h>\nint main() { auto* done = (volatile int*)mmap(nullptr, 4096,"
        " PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); if (!fork()) { sleep(30); *done = 1; _exit(0); }"
        " while (!*done) {} }",
        "processes",
    ),
    "shared": (
        "#include <sys/mman.h>\nint main() { auto* done = (volatile int*)mmap(nullptr, 4096,"
        " PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); while (!*done) {} }",
        "shared",
    ),
    "shared that it only reads": (
        "#include <sys/mman.h>\nint main() { auto* done = (volatile int*)mmap(nullptr, 4096, PROT_READ,"
        " MAP_SHARED | MAP_ANONYMOUS, -1, 0); while (!*done) {} }",
        "shared",
    ),
    "reads at a place": (
        "#include <unistd.h>\nint main() { char c; while (pread(0, &c, 1, 100) == 0) {} }",
        "calls",
    ),
    "seconds": (
        "#include <ctime>\nint main() { auto until = time(nullptr) + 30; while (time(nullptr) < until) {} }",
        "clock",
    ),
    "chrono": (
        "#include <chrono>\nint main() { using clock = std::chrono::steady_clock;"
        " auto until = clock::now() + std::chrono::seconds(30); while (clock::now() < until) {} }",
        "clock",
    ),
    "CPU time": ("#include <ctime>\nint main() { while (clock() < 30 * CLOCKS_PER_SEC) {} }", "clock"),
    "counter of the processor": (
        "#include <x86intrin.h>\nint main() { auto until = __rdtsc() + 90'000'000'000; while (__rdtsc() < until) {} }",
        "clock",
    ),
    "random device": (
        "#include <random>\nint main() { std::random_device device; while (device() || device() || device()) {} }",
        "",
    ),
    "random numbers": (
        "#include <random>\nint main() { std::mt19937_64 numbers(1); while (numbers() >> 20) {} }",
        "time",
    ),
    "alarm": ("#include <unistd.h>\nint main() { alarm(30); volatile int i = 0; while (!i) {} }", "timer"),
    "timer": (
        "#include <csignal>\n#include <ctime>\nint main() { timer_t t; timer_create(CLOCK_MONOTONIC, nullptr, &t);"
        " itimerspec when{{0, 0}, {30, 0}}; timer_settime(t, 0, &when, nullptr); volatile int i = 0; while (!i) {} }",
        "timer",
    ),
    "signals": ("#include <csignal>\nint main() { signal(SIGUSR1, SIG_IGN); for (;;) raise(SIGUSR1); }", ""),
    "prints a counter": (
        "#include <iostream>\nint main() { for (long i = 0;; i++) std::cout << i << '\\n'; }",
        "time",
    ),
}
