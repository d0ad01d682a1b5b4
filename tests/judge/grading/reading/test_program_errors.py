"""What each language's reader takes from the error output of a program that failed."""

import signal
from dataclasses import replace

import pytest

from judge.grading import bounded
from judge.grading.languages import CPP, LANGUAGES, PYTHON, RUST, Language
from judge.grading.languages.python import DIGIT_LIMIT
from judge.grading.reading.program_errors import ErrorKind, Errors, Origin, ProgramError, Said
from judge.grading.reading.stderr import READERS

SOURCE_LINES = 30
TRACEBACK = """noise
Traceback (most recent call last):
  File "/program/main.py", line 15, in <module>
    main()
  File "/program/main.py", line 12, in main
    print(int("x"))
  File "/usr/lib/python3.11/json/main.py", line 9, in x
ValueError: invalid literal for int() with base 10: '<x>'
"""
CHAINED = """Traceback (most recent call last):
  File "/program/main.py", line 2, in <module>
    [][1]
    ~~^^^
IndexError: list index out of range

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/program/main.py", line 4, in <module>
    raise KeyError("mine")
KeyError: 'mine'
"""
DIGITS = """Traceback (most recent call last):
  File "/program/main.py", line 1, in <module>
    print(2 ** int(input()))
ValueError: Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() \
to increase the limit
"""
RECURSION = """Traceback (most recent call last):
  File "/program/main.py", line 9, in <module>
    print(f(5000))
          ^^^^^^^
  File "/program/main.py", line 7, in f
    return f(n - 1) + 1
           ^^^^^^^^
  [Previous line repeated 996 more times]
  File "/program/main.py", line 5, in f
    if n == 0:
       ^^^^^^
RecursionError: maximum recursion depth exceeded in comparison
"""
GROUP = """  + Exception Group Traceback (most recent call last):
  |   File "/program/main.py", line 1, in <module>
  |     raise ExceptionGroup("many", [ValueError(1), TypeError(2)])
  | ExceptionGroup: many (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: 1
    +---------------- 2 ----------------
    | TypeError: 2
    +------------------------------------
"""
OWN_TYPE = """Traceback (most recent call last):
  File "/program/main.py", line 2, in <module>
    raise Mine("a\\nb")
solve.<locals>.Mine: a
b
"""
IN_THREAD = """Exception in thread Thread-1 (work):
Traceback (most recent call last):
  File "/usr/lib/python3.11/threading.py", line 1038, in _bootstrap_inner
    self.run()
  File "/program/main.py", line 4, in work
    [][a]
    ~~^^^
IndexError: list index out of range

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/program/main.py", line 6, in work
    raise KeyError(1)
KeyError: 1
"""
IN_PROCESS = IN_THREAD.replace("Exception in thread Thread-1 (work):", "Process Process-1:")
IN_TASK = IN_THREAD.replace(
    "Exception in thread Thread-1 (work):",
    "Task exception was never retrieved\nfuture: <Task finished name='Task-2' coro=<work() done>>",
)
STARTED_BARE = IN_THREAD.replace(
    "Exception in thread Thread-1 (work):", "Exception ignored in thread started by: <function work at 0x7f>"
)
IGNORED = IN_THREAD.replace("Exception in thread Thread-1 (work):", "Exception ignored in: <function A.__del__>")
PANIC = """
thread 'main' (3) panicked at /program/main.rs:8:27:
index out of bounds: the len is 2 but the index is 5
note: run with `RUST_BACKTRACE=1`
"""
OLD_PANIC = """thread 'main' panicked at 'index out of bounds: the len is 2
but the index is 5', /program/main.rs:8:27
note: run with `RUST_BACKTRACE=1`
"""
THREADS_PANIC = """
thread '<unnamed>' (4) panicked at /program/main.rs:3:91:
attempt to divide by zero
note: run with `RUST_BACKTRACE=1`

thread 'main' (3) panicked at /program/main.rs:4:14:
called `Result::unwrap()` on an `Err` value: Any { .. }
"""
TERMINATE = """debug: 5
terminate called after throwing an instance of 'std::out_of_range'
  what():  vector::_M_range_check
"""


def error(kind: ErrorKind, **values: object) -> ProgramError:
    return replace(ProgramError(kind=kind), **values)  # type: ignore[arg-type]


def read(language: Language, text: str, exit_code: int | None = None, number: int | None = None) -> Errors:
    said = Said(text=text, file=language.source_name, exit_code=exit_code, signal=number)
    errors = READERS[language.id](said)
    return Errors(
        fatal=errors.fatal and bounded.named(errors.fatal, language),
        lost=errors.lost and bounded.named(errors.lost, language),
    )


@pytest.mark.parametrize(
    ("text", "name", "line", "words"),
    [
        (TRACEBACK, "ValueError", 12, "ValueError: invalid literal for int() with base 10: '<x>'"),
        (CHAINED, "KeyError", 4, "KeyError: 'mine'"),
        (RECURSION, "RecursionError", 7, "RecursionError: maximum recursion depth exceeded in comparison"),
        (DIGITS, DIGIT_LIMIT, 1, f"{DIGIT_LIMIT}: use sys.set_int_max_str_digits() to increase the limit"),
        (GROUP, "ExceptionGroup", 1, "ExceptionGroup: many (2 sub-exceptions)"),
        (OWN_TYPE, "solve.<locals>.Mine", 2, "solve.<locals>.Mine: a"),
        (IN_THREAD + TRACEBACK, "ValueError", 12, "ValueError: invalid literal for int() with base 10: '<x>'"),
    ],
)
def test_a_python_program_ends_with_its_last_exception_at_the_last_own_line(
    text: str, name: str, line: int, words: str
) -> None:
    fatal = read(PYTHON, text, exit_code=1).fatal
    assert fatal
    assert (fatal.name, fatal.line, fatal.words) == (name, line, words)


def test_a_traceback_of_a_program_that_ended_otherwise_is_not_what_ended_it() -> None:
    assert read(PYTHON, TRACEBACK, exit_code=0) == Errors()
    assert read(PYTHON, TRACEBACK, exit_code=3).fatal is None
    assert read(PYTHON, TRACEBACK, number=signal.SIGSEGV).fatal is None
    assert read(RUST, PANIC, exit_code=1).fatal is None
    assert read(CPP, TERMINATE, number=signal.SIGSEGV) == read(CPP, TERMINATE, exit_code=134) == Errors()


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        (IN_THREAD, Origin.THREAD),
        (STARTED_BARE, Origin.THREAD),
        (IN_PROCESS, Origin.PROCESS),
        (IN_TASK, Origin.TASK),
        (IGNORED, None),
    ],
)
def test_what_ended_a_part_of_a_python_program_is_told_apart(text: str, origin: Origin | None) -> None:
    errors = read(PYTHON, text, exit_code=0)
    assert errors.fatal is None
    assert (errors.lost and errors.lost.origin) == origin
    if errors.lost:
        assert (errors.lost.name, errors.lost.line) == ("IndexError", 4)


@pytest.mark.parametrize("text", [PANIC, OLD_PANIC])
def test_a_panic_has_its_line_and_what_it_is_about(text: str) -> None:
    fatal = read(RUST, text, exit_code=101).fatal
    assert fatal
    assert (fatal.kind, fatal.name, fatal.line) == (ErrorKind.PANIC, "index out of bounds", 8)
    assert fatal.words.startswith("index out of bounds: the len is 2")


def test_a_panic_of_a_thread_is_not_that_of_the_program() -> None:
    errors = read(RUST, THREADS_PANIC, exit_code=101)
    assert errors.fatal
    assert errors.lost
    assert (errors.fatal.line, errors.fatal.name) == (4, "called `Result::unwrap()` on an `Err` value")
    assert (errors.lost.line, errors.lost.name, errors.lost.origin) == (3, "attempt to divide by zero", Origin.THREAD)
    alone = THREADS_PANIC[: THREADS_PANIC.index("\nthread 'main'")]
    assert read(RUST, alone, exit_code=0) == Errors(lost=errors.lost)


def test_a_panic_in_the_library_has_no_line() -> None:
    fatal = read(RUST, PANIC.replace("/program/main.rs", "/rustc/1/library/core/src/cell.rs"), exit_code=101).fatal
    assert fatal
    assert fatal.line == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TERMINATE, error(ErrorKind.EXCEPTION, name="std::out_of_range", message="vector::_M_range_check")),
        (
            "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
            error(ErrorKind.EXCEPTION, name="std::bad_alloc"),
        ),
        (
            "terminate called after throwing an instance of 'std::__cxx11::basic_string<char, std::char_traits<char>, "
            "std::allocator<char> >'\n",
            error(ErrorKind.EXCEPTION, name="std::string"),
        ),
        ("terminate called after throwing an instance of 'int'\n", error(ErrorKind.EXCEPTION, name="int")),
        (
            "terminate called without an active exception\n",
            error(ErrorKind.TERMINATE, message="terminate called without an active exception"),
        ),
        (
            "main: /program/main.cpp:5: int main(): Assertion `n > 2' failed.\n",
            error(ErrorKind.ASSERTION, line=5, message="Assertion `n > 2' failed."),
        ),
        (
            "/usr/include/c++/12/bits/stl_vector.h:1123: T& f() [with T = int]: Assertion '__n < this->size()' "
            "failed.\n",
            error(ErrorKind.ASSERTION, message="Assertion '__n < this->size()' failed."),
        ),
        (
            "free(): double free detected in tcache 2\n",
            error(ErrorKind.HEAP, message="free(): double free detected in tcache 2"),
        ),
        ("corrupted size vs. prev_size\n", error(ErrorKind.HEAP, message="corrupted size vs. prev_size")),
        (
            "*** stack smashing detected ***: terminated\n",
            error(ErrorKind.OVERRUN, message="stack smashing detected"),
        ),
        ("hello\n", None),
    ],
)
def test_what_a_cpp_program_says_when_it_aborts(text: str, expected: ProgramError | None) -> None:
    assert read(CPP, text, number=signal.SIGABRT) == Errors(fatal=expected)


def test_what_a_rust_program_says_when_it_ends_otherwise() -> None:
    full = "\nthread 'main' (3) has overflowed its stack\nfatal runtime error: stack overflow, aborting\n"
    assert read(RUST, full, number=signal.SIGABRT).fatal == error(ErrorKind.STACK)
    refused = "memory allocation of 800000000000 bytes failed\n"
    assert read(RUST, refused, number=signal.SIGABRT).fatal == error(
        ErrorKind.NO_MEMORY, message="memory allocation of 800000000000 bytes failed"
    )
    returned = read(RUST, "x\nError: ParseIntError { kind: InvalidDigit }\n", exit_code=1).fatal
    assert returned == error(ErrorKind.RETURNED, message="ParseIntError { kind: InvalidDigit }")


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.id)
@pytest.mark.parametrize(
    "text",
    [
        "Traceback (most recent call last):\n" * 7_000,
        "Traceback (most recent call last):\n" + ' File "main.py", line 1\n' * 10_000,
        "main.cpp:1: " * 20_000,
        "thread '" * 30_000,
        "thread 'main' panicked at '\n" * 9_000,
        "terminate called after throwing an instance of '" * 5_000,
        "free(): " * 30_000,
        "\n" * 250_000,
        "Error: \n" * 30_000,
    ],
)
def test_texts_made_to_stall_the_readers_do_not(language: Language, text: str) -> None:
    for exit_code, number in ((0, None), (1, None), (101, None), (None, signal.SIGABRT)):
        errors = read(language, text, exit_code, number)
        for failure in filter(None, (errors.fatal, errors.lost)):
            assert len(failure.in_source(SOURCE_LINES).message) <= 241


def test_a_line_that_the_source_does_not_have_is_none() -> None:
    told = error(ErrorKind.PANIC, line=31, message="x" * 9_999)
    assert told.in_source(SOURCE_LINES).line == 0
    assert replace(told, line=30).in_source(SOURCE_LINES).line == 30
    assert len(told.in_source(SOURCE_LINES).message) == 241
    assert error(ErrorKind.EXCEPTION, name="x" * 999).in_source(SOURCE_LINES).name == ""


def test_of_an_error_on_hidden_input_only_a_known_name_and_the_line_are_left() -> None:
    for language, text, exit_code, number, name in (
        (PYTHON, TRACEBACK, 1, None, "ValueError"),
        (PYTHON, OWN_TYPE, 1, None, ""),
        (RUST, PANIC, 101, None, "index out of bounds"),
        (RUST, PANIC.replace("index out of", "I read 5"), 101, None, ""),
        (CPP, TERMINATE, None, signal.SIGABRT, "std::out_of_range"),
        (CPP, TERMINATE.replace("std::out_of_range", "Read5"), None, signal.SIGABRT, ""),
    ):
        fatal = read(language, text, exit_code, number).fatal
        assert fatal
        shown = fatal.bounded(language.known_errors)
        assert (shown.name, shown.message, shown.line) == (name, "", fatal.line)
