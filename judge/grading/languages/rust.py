"""Rust, compiled by rustc without cargo: one file, which names its modules itself."""

import re
import signal

from judge.grading.languages.language import Advice, Costs, Counting, Editor, Keepers, Language, Lookup, Piecework
from judge.grading.languages.runtime import BOX, NATIVE
from judge.grading.languages.toolchain import Tool
from judge.grading.reading.places import Deed, Stream
from problems.languages import RUST as IN_PACKAGES
from problems.translation import gettext_noop as _

_KNOWN_PANICS = frozenset(  # the beginnings of messages, which say no value
    {"index out of bounds", "no entry found for key", "capacity overflow", "explicit panic"}
    | {"attempt to divide by zero", "attempt to calculate the remainder with a divisor of zero"}
    | {f"attempt to {operation} with overflow" for operation in ("add", "subtract", "multiply", "divide")}
    | {"called `Option::unwrap()` on a `None` value", "called `Result::unwrap()` on an `Err` value"}
    | {"already borrowed", "already mutably borrowed"}
    | {"RefCell already borrowed", "RefCell already mutably borrowed"}
    | {"not implemented", "not yet implemented", "internal error: entered unreachable code"}
    | {"assertion failed", "assertion `left == right` failed", "assertion `left != right` failed"}
)
_PUSH_DIGITS = Piecework(
    least_ns=15, is_of_output=True, advice=_("Push the digits into one `String`, and write it once.")
)
_READ_AT_ONCE = Piecework(
    least_ns=25, advice=_("Read everything at once with `read_to_string`, and split it: no line needs a `String`.")
)
_WRITE_INTO_ONE = _("`write!` into one `String` makes no text of its own for each value.")
_SELFTEST = """
// Does what its input says: one word per limit of the self-test.
use std::io::Write;
use std::{io, thread, time::Duration};

fn main() {
    let mut word = String::new();
    io::stdin().read_line(&mut word).unwrap();
    match word.trim() {
        "right" => println!("right"),
        "spin" => loop { std::hint::spin_loop() },
        "wait" => thread::sleep(Duration::from_secs(60)),
        "grow" => { let mut kept = Vec::new(); loop { kept.push(vec![1u8; 1_000_000]) } }
        "shout" => { let text = vec![b'x'; 65_536]; loop { io::stdout().write_all(&text).unwrap() } }
        "fork" => for _ in 0..100 { thread::spawn(|| thread::sleep(Duration::from_secs(60))); },
        _ => {}
    }
}
"""
_PRINTING = """
use std::io::{stdin, stdout, BufWriter, Read, Write};

fn main() {
    let mut bytes = Vec::new();
    stdin().read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    if std::env::args().len() > 1 {
        for line in lines {
            println!("{}", line);
        }
    } else {
        let mut output = BufWriter::new(stdout());
        for line in lines {
            writeln!(output, "{}", line).unwrap();
        }
    }
}
"""


RUST = Language(
    in_packages=IN_PACKAGES,
    name="Rust (rustc -O, edition 2021)",
    tool=Tool(name="rustc", version_argument="--version", debian_package="rustc", companions=("cc",)),
    source_name="main.rs",
    runtime=NATIVE,
    compile_flags=("-O", "--edition", "2021", "--crate-name", "main"),
    run_flags=(),
    complaint=re.compile(r"^error(\[E\d+\])?: .*\n +--> ", re.MULTILINE),
    mistake=r"^error(?:\[E\d+\])?: (?P<message>.*)\n +--> (?:[^\s:]*/)?FILE:(?P<line>\d+)",
    known_errors=_KNOWN_PANICS,
    compiles_each_file=False,
    mold_flags=("-C", "link-arg=-fuse-ld=mold"),
    line_flags=("-C", "debuginfo=1"),
    unbuffering=("unbuffered-writer",),
    counting=Counting(
        kind="llvm",
        flags=("-C", "instrument-coverage"),
        environment={"LLVM_PROFILE_FILE": f"{BOX}/.tally-counts"},
    ),
    overflow_signal=signal.SIGABRT,  # its runtime catches SIGSEGV, and aborts
    start_reads=7,
    costs=Costs(handling_ns_per_byte=40, call_factor=1, call_percent=20, steps_per_s=300_000_000),
    piecework={
        "writeln!": _PUSH_DIGITS,
        "write!": _PUSH_DIGITS,
        "read_line()": _READ_AT_ONCE,
        "lines()": _READ_AT_ONCE,
        "to_string()": Piecework(least_ns=20, is_of_output=True, advice=_WRITE_INTO_ONE),
        "format!": Piecework(least_ns=30, is_of_output=True, advice=_WRITE_INTO_ONE),
    },
    # measured in a jail, as `Lookup` says: 44 ns and 2.0 us of a BTreeMap, 11 ns and 0.52 us of a HashMap
    lookups={
        "BTreeMap": Lookup(
            least_ns=20,
            most_ns=2_100,
            advice=_(
                "Each lookup goes down a tree. If the integers are small, or can be numbered from 0, use a `Vec` with "
                "the number as the index: that is one step."
            ),
        ),
        "HashMap": Lookup(
            least_ns=5,
            most_ns=550,
            advice=_(
                "Each lookup computes a hash that withstands attackers. If the integers are small, or can be numbered "
                "from 0, use a `Vec` with the number as the index: that is one step."
            ),
        ),
    },
    grammar="tree_sitter_rust",
    advice=Advice(
        constructs={
            "println!": _(
                "`println!` hands over each line at once: `writeln!` into a `BufWriter::new(stdout().lock())` "
                "gathers them."
            ),
            "print!": _("Rust's stdout hands over each line at once: `write!` into a `BufWriter` gathers them."),
            "writeln!": _("Rust's stdout hands over each line at once: a `BufWriter` around it gathers them."),
            "write!": _("Rust's stdout hands over each line at once: a `BufWriter` around it gathers them."),
            "write_all()": _("Each of these is a system call: put a `BufWriter` around the output."),
            "write()": _("Each `write` is a system call: put a `BufWriter` around the output."),
            "flush()": _("`flush()` hands over each piece at once: leave it out."),
            "with_capacity": _("A `BufWriter` this small gathers nothing: `BufWriter::new` takes 8 KiB."),
        },
        allocation=_("Make large vectors once, outside of the loop, and `clear()` or `fill()` them."),
        larger_reads=_("`stdin().lock()` or a `BufReader::new` reads 8 KiB at a time and keeps the rest."),
        stderr=_("Each piece of an `eprintln!` or a `dbg!` is a system call of its own: leave out what prints there."),
        flushing=_("`flush()` of `stdout()` or of your `BufWriter`"),
        keeps_question=_("The `BufWriter` keeps lines that `println!` alone would hand over."),
        keepers=Keepers(deed=Deed.GATHER, streams=(Stream.STDOUT,)),
        signals={},
        reads_that_flush=None,
        interpreter_lock=None,
    ),
    selftest_program=_SELFTEST,
    printing_program=_PRINTING,
    telltales=(r"^[ \t]*(?:pub )?fn[ \t]+main[ \t]*\(", r"^[ \t]*use[ \t]+std(?:::|;)", r"^[ \t]*let[ \t]+mut[ \t]+\w"),
    editor=Editor(mode="rust", keywords=("mut",), atoms_are_types=True),  # its atoms are u8, usize, Self
)
