"""Python: run as it is by CPython, after a look at its syntax."""

import builtins
import re
import signal
import sys
from pathlib import Path

from judge.grading.languages.cpython import CPYTHON
from judge.grading.languages.language import (
    Advice,
    Costs,
    Counting,
    Editor,
    InterpreterLock,
    Keepers,
    Language,
    Piecework,
    ReadsThatFlush,
)
from judge.grading.languages.toolchain import Tool
from judge.grading.reading.places import Deed, Stream
from problems.languages import PYTHON as IN_PACKAGES
from problems.translation import gettext_noop as _

# of `int` and `str`, since CPython 3.11 (sys.int_info.default_max_str_digits)
DIGIT_LIMIT = "ValueError: Exceeds the limit (4300 digits) for integer string conversion"
_KNOWN_EXCEPTIONS = frozenset(
    {
        *(name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)),
        *("_queue.Empty", "binascii.Error", "decimal.InvalidOperation", "json.decoder.JSONDecodeError"),
        *("re.error", "struct.error", "threading.BrokenBarrierError"),
        DIGIT_LIMIT,
    }
)
_READ_AT_ONCE = _("Read everything at once: `sys.stdin.buffer.read().split()` gives all words.")
# CPython has no compile step of its own: this finds what would stop the program before its first statement.
_SYNTAX_CHECK = """
import importlib.util, sys, traceback
for path in sys.argv[1:]:
    try:
        with open(path, "rb") as file:
            source = file.read()
        importlib.util.decode_source(source)  # compile() overlooks undecodable comments, running the file does not
        compile(source, path, "exec", dont_inherit=True)
    except (MemoryError, RecursionError) as error:  # so its parser and its compiler say, however much memory there is
        sys.exit(f"{path}: an expression or a block nests too deeply for Python ({type(error).__name__})")
    except Exception as error:
        sys.exit("".join(traceback.format_exception_only(error)).rstrip())
"""
_SELFTEST = """
# Does what its input says: one word per limit of the self-test.
import os
import sys
import time

word = input()
if word == "right":
    print("right")
elif word == "spin":
    while True:
        pass
elif word == "wait":
    time.sleep(60)
elif word == "grow":
    kept = []
    while True:
        kept.append(b"x" * 1_000_000)
elif word == "shout":
    while True:
        sys.stdout.write("x" * 65_536)
elif word == "fork":
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(60)
"""
_PRINTING = """
import sys

lines = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").split("\\n")
if not lines[-1]:
    lines.pop()
sys.stdout.reconfigure(errors="surrogateescape")
if len(sys.argv) > 1:
    for line in lines:
        print(line, flush=True)
else:
    for line in lines:
        print(line)
"""


PYTHON = Language(
    in_packages=IN_PACKAGES,
    name="Python (CPython 3)",
    tool=Tool(name="python3", version_argument="--version", debian_package="python3"),
    source_name="main.py",
    # a program is looked up before the library, and then imports itself instead of what it, or a rerun of it, needs
    reserved_stems=frozenset({*sys.stdlib_module_names, "__init__", "__main__", "sitecustomize", "usercustomize"}),
    runtime=CPYTHON,
    compile_flags=("-I", "-B", "-X", "utf8", "-c", _SYNTAX_CHECK),
    run_flags=("-E", "-s", "-B", "-X", "utf8"),  # not -I: a validator imports the modules beside it
    complaint=re.compile(r'^ *File "[^"]+", line \d+', re.MULTILINE),
    mistake=r'^ *File "(?:[^"\n]*/)?FILE", line (?P<line>\d+)\n(?: .*\n){0,4}(?P<message>\w*(?:Error|Warning)\b.*)',
    known_errors=_KNOWN_EXCEPTIONS,
    compiles_each_file=False,
    # PEP 263: a comment of the first line, or of the second one below nothing but a comment. As CPython runs a file, a
    # CR alone ends a line too; `tokenize.detect_encoding` has it otherwise.
    encoding_declaration=re.compile(
        r"\ufeff?(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n))??[ \t\f]*#[^\r\n]*?coding[:=][ \t]*(?P<name>[-\w.]+)", re.ASCII
    ),
    counting=Counting(kind="python", runner=Path(__file__).parents[1] / "reruns" / "count_runner.py"),
    overflow_signal=signal.SIGSEGV,
    start_reads=15,
    # CPython spends as much time again in its own part of a flush, or of `os.read`, as the kernel: 0.65 s of 1.3 s for
    # a million of them. `input()` and `print` take 0.2 us for a line of two bytes.
    costs=Costs(handling_ns_per_byte=100, call_factor=2, call_percent=12, steps_per_s=5_000_000),
    piecework={
        "print": Piecework(
            least_ns=170,
            is_of_output=True,
            advice=_(
                "Each `print` costs much more than its characters: gather the lines in a list and print "
                "`'\\n'.join(lines)` for about 1,000 lines at a time."
            ),
        ),
        "write()": Piecework(
            least_ns=80,
            is_of_output=True,
            advice=_("Gather the lines in a list and write `'\\n'.join(lines)` for about 1,000 lines at a time."),
        ),
        "input()": Piecework(least_ns=600, advice=_READ_AT_ONCE),
        "readline()": Piecework(least_ns=40, advice=_READ_AT_ONCE),
        "int()": Piecework(
            least_ns=60, is_per_word=True, advice=_("Convert many values with one call: `list(map(int, words))`.")
        ),
        "float()": Piecework(
            least_ns=60, is_per_word=True, advice=_("Convert many values with one call: `list(map(float, words))`.")
        ),
        "str()": Piecework(
            least_ns=50, is_of_output=True, advice=_("Convert many values with one call: `map(str, values)`.")
        ),
        "format()": Piecework(
            least_ns=80, is_of_output=True, advice=_("`map(str, values)` is quicker than formatting each value.")
        ),
    },
    lookups={},
    grammar="tree_sitter_python",
    advice=Advice(
        constructs={
            "flush=True": _("`flush=True` flushes each time: leave it out."),
            "flush()": _("`flush()` hands over each piece at once: leave it out."),
            "line_buffering=True": _("With line buffering every line is a system call: leave it out."),
            "buffering": _(
                "This opens the output without a buffer for more than a line: leave the buffering as it is."
            ),
            "os.write()": _("Each `os.write()` is a system call: gather the output in a list, or use `print`."),
            "write()": _("Writing to the raw stream is a system call each time: use `sys.stdout.write`."),
            "input()": _(
                "`input()` flushes what was printed before it reads: read with `sys.stdin.readline`, or print "
                "once at the end."
            ),
        },
        allocation=_("Make large lists and byte strings once, outside of the loop, and use them again."),
        larger_reads=_("`sys.stdin` reads 8 KiB at a time and keeps the rest; `sys.stdin.read()` takes it all."),
        stderr=_("Each line on stderr is a system call of its own: leave out what prints there."),
        flushing=_("`print(..., flush=True)`"),
        keeps_question=_("Unlike `input()`, reading from `stdin` does not flush."),
        keepers=Keepers(deed=Deed.READ, streams=(Stream.STDIN,), but_not="input()"),
        signals={},
        reads_that_flush=ReadsThatFlush(names=("input()",), construct="input()"),
        interpreter_lock=InterpreterLock(
            why=_("Only the thread that holds Python's interpreter lock runs Python code."),
            advice=_("For computing at the same time, use processes (`multiprocessing`)."),
        ),
    ),
    selftest_program=_SELFTEST,
    printing_program=_PRINTING,
    telltales=(
        r"^[ \t]*(?:async )?def \w+\([^\n;{]{0,200}\)(?: ?-> ?[^\n;{]{1,80})?:",
        r"^(?:import|from) [a-z_][\w.]*(?: import [\w*(]| as \w|, ?\w|[ \t]*(?:#.*)?$)",
        r"^[ \t]*(?:for \w[\w, ]{0,60} in|while|if|elif|with) [^\n;{]{1,200}:[ \t]*(?:#.*)?$",
        r"^[ \t]*(?:\w[\w, ]{0,60} = )?(?:print|int|list\(map|map|sorted|sum|max|min)\(.{0,200}\)[ \t]*$",
    ),
    editor=Editor(mode="python"),
)
