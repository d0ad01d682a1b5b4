"""Change a source by its grammar tree, so that it no longer does what made it slow.

A fix is a record here, per language in the order in which they are tried: what is expected to gain most comes first.
The function of the source that makes it is in the folder of its language below `judge.grading.reading.rewriting`, under
the same code, and returns byte ranges with their new text. The bounded reader runs it, since the source is untrusted.
Whether a change compiles, keeps the output and gains anything is for `judge.grading.reruns.fix` to try: here nothing is
claimed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from judge.grading.languages import Language
from problems.translation import gettext_noop as _
from sandbox.image.reading import CannotBeRead, Reader, Reading
from sandbox.types import MIB, Limits

FLUSHES = frozenset({"flush-per-line", "call-limit"})
DEBUGGING = frozenset({"unbuffered-stderr"})
READS = frozenset({"tiny-reads"})
PRINTING = frozenset({"print-by-print"})
READING = frozenset({"line-by-line"})
COPYING = frozenset({"copying", "allocation-storm"})
CONTAINERS = frozenset({"costly-container", "repeated-pass"})
MAPS = frozenset({"costly-map"})
MEMORY = frozenset({"fresh-memory", "memory-limit"})
_CALLS = FLUSHES | READS
_REWRITING = "judge.grading.reading.rewriting"
_READER_LIMITS = Limits(
    cpu_time_ms=2_000, wall_time_ms=10_000, memory_bytes=1_024 * MIB, output_bytes=4 * MIB, overrun_percent=0
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Fix:
    """One way to change a source. `answers`: codes of the findings that it is the remedy for; of the others it is tried
    last.
    """

    code: str
    change: str  # what was changed, as a whole sentence
    answers: frozenset[str] = field(default_factory=frozenset)
    changes_stderr: bool = False  # its purpose is that less is written there


_NO_DEBUGGING = Fix(
    code="no-debugging", answers=DEBUGGING, changes_stderr=True, change=_("Debugging output on stderr was left out.")
)
_CPP = (
    Fix(code="newline-for-endl", answers=FLUSHES, change=_("`endl` became `'\\n'`, which does not flush.")),
    Fix(code="no-flush", answers=FLUSHES, change=_("Flushes of stdout were left out.")),
    Fix(code="keep-buffer", answers=_CALLS, change=_("Calls that turned buffering off were left out.")),
    Fix(
        code="unsync",
        answers=FLUSHES | PRINTING | READING,
        change=_("`cin` and `cout` no longer wait for stdio, nor for each other: two lines at the start of `main`."),
    ),
    _NO_DEBUGGING,
    Fix(
        code="quiet-stderr",
        answers=DEBUGGING,
        changes_stderr=True,
        change=_("Debugging output on stderr was silenced, or gets a buffer, at the start of `main`."),
    ),
    Fix(
        code="buffered-calls",
        answers=_CALLS,
        change=_("System calls of the program's own became `fwrite` and `fread`, which have a buffer."),
    ),
    Fix(
        code="append-in-place",
        answers=COPYING,
        change=_("`s = s + x` became `s += x`, which does not copy the string."),
    ),
    Fix(
        code="strlen-before-loop",
        answers=CONTAINERS,
        change=_("`strlen` is called once before the loop, and no longer for each of its steps."),
    ),
    Fix(
        code="deque-for-vector",
        answers=CONTAINERS,
        change=_("What is changed at its front became a `deque`, which moves nothing for that."),
    ),
    Fix(
        code="reference-elements",
        answers=COPYING,
        change=_("Loops over a container take its elements by `const auto&`, and copy none of them."),
    ),
    Fix(
        code="reference-parameters",
        answers=COPYING,
        change=_("Parameters that are only read became `const` references, so that no call copies them."),
    ),
    Fix(
        code="unordered-for-map",
        answers=MAPS,
        change=_("A `map` whose order is not used became an `unordered_map`."),
    ),
)
_PYTHON = (
    Fix(code="no-flush", answers=FLUSHES, change=_("Flushes of stdout were left out.")),
    Fix(
        code="printed-at-once",
        answers=COPYING,
        change=_("Pieces of a long text are printed as they are made, instead of being added to the text."),
    ),
    Fix(
        code="joined-portions",
        answers=FLUSHES | PRINTING | COPYING | MEMORY,
        change=_("The printed lines are joined, and printed 1,000 at a time."),
    ),
    Fix(
        code="fast-input",
        answers=FLUSHES | READING,
        change=_("Lines are read by `sys.stdin.readline`, which flushes nothing before it reads."),
    ),
    _NO_DEBUGGING,
    Fix(
        code="buffered-calls",
        answers=_CALLS,
        change=_(
            "Raw streams and system calls became `sys.stdin.buffer` and `sys.stdout.buffer`, which have a buffer."
        ),
    ),
    Fix(
        code="direct-writes",
        answers=PRINTING,
        change=_("`print` in loops became one `sys.stdout.write` for each piece."),
    ),
    Fix(
        code="deque-for-list",
        answers=CONTAINERS,
        change=_(
            "A list whose first element is taken off, or that gets a new one, became a `deque`: nothing is moved."
        ),
    ),
    Fix(
        code="set-beside-list",
        answers=CONTAINERS,
        change=_("A list that is searched again and again got a `set` beside it, which answers in one step."),
    ),
    Fix(
        code="joined-pieces",
        answers=COPYING,
        change=_("The pieces of a growing string are collected, and become a string after the loop."),
    ),
)
_RUST = (
    Fix(code="no-flush", answers=FLUSHES, change=_("Flushes in loops were left out.")),
    Fix(
        code="buffered-writer",
        answers=FLUSHES,
        change=_("Stdout got a `BufWriter`: its own buffer ends with each line."),
    ),
    Fix(
        code="buffered-stdout",
        answers=FLUSHES,
        change=_("`println!` became `writeln!` to a `BufWriter` around the locked stdout."),
    ),
    Fix(
        code="buffered-macros",
        answers=FLUSHES,
        change=_("`print!` and `println!` write into one buffer: two macros at the top take their place."),
    ),
    _NO_DEBUGGING,
    Fix(code="buffered-reader", answers=READS, change=_("Stdin is read through a `BufReader` of the usual size.")),
    Fix(
        code="append-in-place",
        answers=COPYING,
        change=_("The string grows in place instead of being copied by `format!`."),
    ),
    Fix(
        code="chars-before-loop",
        answers=CONTAINERS,
        change=_("The characters are collected once, before the loop: `nth` begins at the first one each time."),
    ),
    Fix(
        code="deque-for-vec",
        answers=CONTAINERS,
        change=_("A `Vec` that is changed at its front became a `VecDeque`, which moves nothing for that."),
    ),
    Fix(
        code="borrowed-parameters",
        answers=COPYING,
        change=_("What was cloned for each call is borrowed."),
    ),
)
# Of programs that print more than the answer: of the lines behind its code and a colon, in every language.
LEFTOVER = Fix(code="leftover-print", change=_("Prints of more than the answer were left out."))
FIXES = {"cpp": _CPP, "python": _PYTHON, "rust": _RUST}  # by id of judge.grading.languages


def fixes_for(language: str, findings: Collection[str]) -> tuple[Fix, ...]:
    """Return the fixes of a language in the order to try them: first those that answer these codes of findings."""
    fixes = FIXES.get(language, ())
    return tuple(sorted(fixes, key=lambda fix: not fix.answers & set(findings)))


def has_remedy(language: str, finding: str) -> bool:
    """Return whether some fix of the language answers this code of a finding."""
    return any(finding in fix.answers for fix in FIXES.get(language, ()))


def change_of(language: str, code: str) -> str:
    """Return what a fix changes, as a sentence in English; "" if this version does not have it."""
    return next((fix.change for fix in (*FIXES.get(language, ()), LEFTOVER) if fix.code == code), "")


@dataclass(frozen=True, kw_only=True, slots=True)
class Rewritten:
    """A changed source. `codes`: the fixes that found something to change; `diff`: a unified diff, without its head."""

    source: str
    codes: tuple[str, ...]
    diff: tuple[str, ...]


def rewrite(reader: Reader, source: bytes, language: Language, codes: Sequence[str]) -> Rewritten | None:
    """Apply these fixes, one after the other. None if none of them applies, or the source is not UTF-8 or too much for
    the reader. Takes some 60 ms, at most some seconds; never raises.
    """
    if not codes:
        return None
    reading = Reading(module=_REWRITING, arguments=(language.id, *codes), stdin=source, limits=_READER_LIMITS)
    try:
        answer: Any = reader.read(reading)
        rewritten = Rewritten(
            source=str(answer["source"]), codes=tuple(map(str, answer["codes"])), diff=tuple(map(str, answer["diff"]))
        )
    except (CannotBeRead, KeyError, TypeError):
        return None
    return rewritten if rewritten.codes else None
