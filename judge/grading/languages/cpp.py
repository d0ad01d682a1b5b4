"""C++, compiled by g++.

Why with a check of integer divisors: at -O2 g++ turns `1 / z` into a comparison that never traps, and a student whose
divisor is zero gets a wrong answer without a hint. The check ends the program with SIGILL. Code without such a division
stays the same to the byte. The other way, -fnon-call-exceptions, keeps SIGFPE but also keeps loops from being
vectorised, which makes such a loop several times slower.
"""

import re
import signal

from judge.grading.languages.language import (
    Advice,
    Costs,
    Counting,
    Editor,
    Header,
    Keepers,
    Language,
    Lookup,
    Piecework,
    ReadsThatFlush,
)
from judge.grading.languages.runtime import BOX, NATIVE
from judge.grading.languages.toolchain import Tool
from judge.grading.reading.places import Deed
from problems.languages import CPP as IN_PACKAGES
from problems.translation import gettext_noop as _

_KNOWN_EXCEPTIONS = frozenset({"int", "char", "bool", "long", "double", "char const*"}) | {
    f"std::{name}"
    for name in (
        *("exception", "bad_alloc", "bad_array_new_length", "bad_cast", "bad_typeid", "bad_function_call"),
        *("bad_optional_access", "bad_variant_access", "bad_any_cast", "bad_weak_ptr", "logic_error", "domain_error"),
        *("invalid_argument", "length_error", "out_of_range", "future_error", "runtime_error", "range_error"),
        *("overflow_error", "underflow_error", "system_error", "regex_error", "ios_base::failure", "format_error"),
        "string",
    )
}
_OF_WINDOWS = frozenset(
    {"conio.h", "windows.h", "Windows.h", "tchar.h", "process.h", "io.h", "direct.h"}
    | {"scanf_s", "sscanf_s", "fscanf_s", "printf_s", "sprintf_s", "gets_s", "fopen_s", "strcpy_s", "strcat_s"}
    | {"strtok_s", "_getch", "getch", "_kbhit", "kbhit", "clrscr", "_sleep", "Sleep", "__int64", "_i64toa", "_strrev"}
)
CHECK_OF_DIVISORS = ("-fsanitize=integer-divide-by-zero", "-fsanitize-undefined-trap-on-error")
_PROBE = "#include <bits/stdc++.h>\nint main() { std::cout << 1; }\n"
_READ_AT_ONCE = Piecework(
    least_ns=30, is_per_word=True, advice=_("Read everything at once with `fread`, and convert it yourself.")
)
_CONVERT_INTO_ONE = _("Convert with `to_chars` into one string, and write it once.")
_SELFTEST = """
// Does what its input says: one word per limit of the self-test.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <unistd.h>

int main() {
    std::string word;
    std::cin >> word;
    if (word == "right") std::cout << "right\\n";
    if (word == "spin") for (volatile long i = 0;; i = i + 1) {}
    if (word == "wait") sleep(60);
    if (word == "grow") for (;;) std::memset(std::malloc(1'000'000), 1, 1'000'000);
    if (word == "shout") for (std::string text(65'536, 'x');;) std::cout << text;
    if (word == "fork") for (int i = 0; i < 100; i++) {
        const pid_t child = fork();
        if (child < 0) return 1;
        if (child == 0) sleep(60), _exit(0);
    }
}
"""
_PRINTING = """
#include <iostream>
#include <string>
#include <vector>

int main(int argc, char **) {
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
    if (argc > 1)
        for (const auto &line : lines) std::cout << line << std::endl;
    else
        for (const auto &line : lines) std::cout << line << '\\n';
}
"""

_TYPES_OF_THE_LIBRARY = (
    *("array", "bitset", "deque", "list", "map", "multimap", "multiset", "optional", "pair", "priority_queue", "queue"),
    *("set", "stack", "string", "string_view", "tuple", "unordered_map", "unordered_set", "variant", "vector"),
)


_NAMES_OF_NOTES = ("-dumpdir", f"{BOX}/", "-dumpbase", "counts", "-dumpbase-ext", ".cpp")

CPP = Language(
    in_packages=IN_PACKAGES,
    name="C++20 (g++ -O2)",
    tool=Tool(name="g++", version_argument="--version", debian_package="g++"),
    source_name="main.cpp",
    runtime=NATIVE,
    compile_flags=("-x", "c++", "-std=c++20", "-O2", "-pipe", *CHECK_OF_DIVISORS),
    run_flags=(),
    complaint=re.compile(r"^[^\s:]+:\d+:\d+: (fatal )?error: ", re.MULTILINE),
    mistake=r"^(?:[^\s:]*/)?FILE:(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<message>.*)",
    known_errors=_KNOWN_EXCEPTIONS,
    foreign_names=_OF_WINDOWS,
    warning=r"^(?:[^\s:]*/)?FILE:(?P<line>\d{1,7}):(?:\d+:)? warning: .*\[-W(?P<flag>[a-z-]+)\]$",
    warnings={  # g++ gives these without being asked
        "return-type": _(
            "g++ warns that a function can end without `return`, although it has to return a value (-Wreturn-type). "
            "What the program does from there on is undefined: it may crash, run on into other code, or never end."
        ),
        "return-local-addr": _(
            "g++ warns that a function returns the address of a variable of its own (-Wreturn-local-addr). The "
            "variable is gone when the function has returned, and who uses the address uses memory that is not its own."
        ),
        "div-by-zero": _("g++ warns of a division by zero (-Wdiv-by-zero), which ends a program that comes to it."),
        "shift-count-overflow": _(
            "g++ warns of a shift by more bits than the type has (-Wshift-count-overflow). Its result is undefined."
        ),
        "shift-count-negative": _(
            "g++ warns of a shift by a negative number of bits (-Wshift-count-negative). Its result is undefined."
        ),
    },
    compiles_each_file=True,
    header=Header(name="bits/stdc++.h", kind="c++-header", probe=_PROBE),
    mold_flags=("-fuse-ld=mold",),
    line_flags=("-g1",),
    # a helper that ends with `cout << endl` or `fflush` must still be there when these write
    call_flags=("-fno-optimize-sibling-calls",),
    # Of inlined copies the notes would tell only that they are there. What lies in the library is not counted.
    counting=Counting(
        kind="gcc",
        flags=("--coverage", "-fno-early-inlining", "-fprofile-exclude-files=^/usr/.*", *_NAMES_OF_NOTES),
        notes="counts.gcno",
        table="counts.gcda",
    ),
    overflow_signal=signal.SIGSEGV,
    start_reads=6,
    # a `cin` that is synced with stdio takes 0.08 us for a line of two bytes
    costs=Costs(handling_ns_per_byte=40, call_factor=1, call_percent=20, steps_per_s=300_000_000),
    piecework={
        "cin": Piecework(
            least_ns=150,
            is_per_word=True,
            advice=_(
                "`cin` asks stdio for each character: `ios::sync_with_stdio(false)` at the start of `main` gives it a "
                "buffer of its own."
            ),
        ),
        "cin unsynced": _READ_AT_ONCE,
        "scanf": _READ_AT_ONCE,
        "cout": Piecework(
            least_ns=25,
            is_of_output=True,
            advice=_(
                "`cout` hands each piece to stdio: `ios::sync_with_stdio(false)` at the start of `main` gives it a "
                "buffer of its own."
            ),
        ),
        "cout unsynced": Piecework(least_ns=10, is_of_output=True, advice=_CONVERT_INTO_ONE),
        "printf": Piecework(least_ns=30, is_of_output=True, advice=_CONVERT_INTO_ONE),
        "stringstream": Piecework(
            least_ns=250, advice=_("Making a `stringstream` costs more than most lines: make one, outside of the loop.")
        ),
    },
    # measured in a jail, as `Lookup` says: 31 ns and 5.5 us of a map, 4.1 ns and 0.99 us of an unordered one
    lookups={
        "map": Lookup(
            least_ns=15,
            most_ns=5_500,
            advice=_(
                "Each lookup goes down a tree. If the integers are small, or can be numbered from 0, use a `vector` "
                "with the number as the index: that is one step."
            ),
        ),
        "unordered_map": Lookup(
            least_ns=2,
            most_ns=1_000,
            advice=_(
                "Each lookup goes to a bucket and along its list. If the integers are small, or can be numbered from "
                "0, use a `vector` with the number as the index; else `reserve` room for all of them first."
            ),
        ),
    },
    grammar="tree_sitter_cpp",
    advice=Advice(
        constructs={
            "endl": _("`endl` flushes each time: write `'\\n'` instead."),
            "flush": _("The flush hands over each piece at once: leave it out."),
            "fflush": _("`fflush(stdout)` hands over each piece at once: leave it out."),
            "unitbuf": _("`unitbuf` flushes after each `<<`: leave it out."),
            "setvbuf": _("`setvbuf` turns buffering off: leave it out."),
            "setbuf": _("`setbuf` turns buffering off: leave it out."),
            "write()": _("Each `write()` is a system call: gather the output in a string, or use `cout` or `printf`."),
            "cin.tie": _("`cin` flushes `cout` before it reads: `cin.tie(nullptr)` at the start of `main` ends that."),
        },
        allocation=_("Make large vectors and arrays once, outside of the loop, and use them again."),
        larger_reads=_("`cin`, `scanf` and `getchar` read from a buffer of their own, if nothing takes it away."),
        stderr=_(
            "Each `<<` on `cerr` is a system call of its own, and so is each `fprintf(stderr, ...)`: "
            "leave out what prints there."
        ),
        flushing=_("`cout << flush` or `endl`, `fflush(stdout)` after `printf`"),
        keeps_question=_("`tie` has ended the flush that `cin` does before it reads."),
        keepers=Keepers(deed=Deed.UNTIE),
        signals={
            "SIGILL": _(
                "SIGILL nearly always means that an integer was divided by zero, with / or %: the program is compiled "
                "with a check of every divisor, and this is how the check ends it."
            ),
            "SIGFPE": _(
                "SIGFPE means that an integer division has no result, as that of the smallest integer by -1; "
                "it has nothing to do with floating point."
            ),
        },
        reads_that_flush=ReadsThatFlush(names=("cin", "getline"), construct="cin.tie"),
        interpreter_lock=None,
    ),
    selftest_program=_SELFTEST,
    printing_program=_PRINTING,
    telltales=(
        r'^[ \t]*#[ \t]*include[ \t]*[<"]',
        r"^[ \t]*(?:int|signed|auto|void)[ \t]+main[ \t]*\(",
        r"^[ \t]*using[ \t]+namespace[ \t]+\w+[ \t]*;",
    ),
    editor=Editor(mode="cpp", types=_TYPES_OF_THE_LIBRARY),
)
