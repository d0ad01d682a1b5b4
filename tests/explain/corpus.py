"""labels.toml as values, and the programs without their marks."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from judge.grading.explain import CAUSES as OF_RULES
from tests.extent import RUNS_ALL

FOLDER = Path(__file__).parent
PROGRAMS = FOLDER / "programs"
_ELSEWHERE = frozenset(  # causes that no program here has: tests of their own in tests/judge have them
    {
        "clamped-number",
        "division",
        "never-ends",  # tests/explain/test_never_ends.py
        "stack-overflow",
        "unread-input",  # which needs two cases that fail
        "windows-only",
        "call-limit",
        "colliding-keys",
        "counted-work",  # tests/explain/laws
        "conversation-over",
        "slow-interactor",
        "unflushed-question",
        "unread-answers",
    }
)
CAUSES = tuple(code for code in OF_RULES if code not in _ELSEWHERE)
_WITHOUT_LINES = frozenset(  # no single line of a program does it
    {
        "waiting",
        "taking-turns",
        "lock-storm",
        "allocation-storm",
        "fresh-memory",
        "slow-start",
        "too-much-output",
        "wrapped-number",
        "algorithm",
    }
)
WITH_LINES = frozenset(CAUSES) - _WITHOUT_LINES  # what a line of the program does
_MARK = re.compile(r"[ \t]*(?://|#)~(\??)((?: [a-z-]+)+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Lines:
    """Where a cause is: `must` be pointed at, `may` be. Without any `must`, at least one of `may` has to be."""

    must: frozenset[int]
    may: frozenset[int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """One labelled program; the head of labels.toml explains the fields."""

    file: str
    problem: str
    n: int
    expect: tuple[str, ...]
    why: str
    may: Mapping[str, str] = field(default_factory=dict)
    limit_ms: int = 400
    output_mib: int = 8
    cores: int = 1
    never_ends: bool | None = None

    @property
    def language(self) -> str:
        """The id of its language."""
        return self.file.split("/")[0]

    @property
    def is_guilty(self) -> bool:
        """Whether something else than its own computing is to be found."""
        return not set(self.expect) <= {"algorithm"}

    @property
    def _text(self) -> str:
        return (PROGRAMS / self.file).read_text("utf-8")

    @property
    def source(self) -> bytes:
        """What is graded: without the marks, line by line the same."""
        return _MARK.sub("", self._text).encode()

    @property
    def lines(self) -> dict[str, Lines]:
        """The marked lines by code."""
        marked: dict[str, tuple[set[int], set[int]]] = {}
        for number, line in enumerate(self._text.splitlines(), start=1):
            for mark in _MARK.finditer(line):
                for code in mark[2].split():
                    marked.setdefault(code, (set(), set()))[bool(mark[1])].add(number)
        return {code: Lines(must=frozenset(must), may=frozenset(may)) for code, (must, may) in marked.items()}


def _program(entry: dict[str, object]) -> Program:
    return Program(**{**entry, "expect": tuple(entry["expect"])})  # type: ignore[arg-type]


def _share(programs: Sequence[Program]) -> tuple[Program, ...]:
    """Of a program for each cause, those with several first, the languages in turn, and one without any in each: every
    third one.
    """
    innocent = [program for program in programs if not program.expect]
    chosen = list({program.language: program for program in reversed(innocent)}.values())
    shown: set[str] = set()
    for expect in sorted({program.expect for program in programs}, key=lambda causes: (-len(causes), causes)):
        if shown.issuperset(expect):
            continue
        shown.update(expect)
        same = [program for program in programs if program.expect == expect]
        languages = sorted({program.language for program in same})
        language = languages[len(chosen) % len(languages)]
        chosen.append(next(program for program in same if program.language == language))
    return tuple(program for program in programs if program in chosen)[2::3]


LABELLED = tuple(_program(entry) for entry in tomllib.loads((FOLDER / "labels.toml").read_text("utf-8"))["program"])
CHOSEN = LABELLED if RUNS_ALL else _share(LABELLED)
