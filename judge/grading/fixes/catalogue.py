"""Every fix as a record, per language in the order in which they are tried: what is expected to gain most comes first.

The function that makes it is in the module of its language, under the same code.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from problems.translation import gettext_noop as _

FLUSHES = frozenset({"flush-per-line", "call-limit"})
DEBUGGING = frozenset({"unbuffered-stderr"})
READS = frozenset({"tiny-reads"})
PRINTING = frozenset({"print-by-print"})
READING = frozenset({"line-by-line"})
COPYING = frozenset({"copying"})
_CALLS = FLUSHES | READS


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
)
_PYTHON = (
    Fix(code="no-flush", answers=FLUSHES, change=_("Flushes of stdout were left out.")),
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
        code="joined-pieces",
        answers=COPYING,
        change=_("A string that grew piece by piece is joined once, after the loop."),
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
)
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
    return next((fix.change for fix in FIXES.get(language, ()) if fix.code == code), "")
