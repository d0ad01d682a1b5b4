"""The record of an explanation rule: everything that depends on the code of a finding alone, and how it is worded.

How it works: a finding is kept as code, evidence and lines. When it is shown, the function `say` of its rule asks a
`Telling` for its evidence in words and puts them into whole sentences. Who shows it decides how exactly: the evidence
may be rounded before, and `Words` writes the numbers. What `say` asked for is remembered, so that a page does not tell
it twice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from string import Formatter
from typing import Any

from judge.grading import words
from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.languages import Language
from problems.translation import gettext as _, gettext_noop, ngettext

# Evidence that tells of the problem or of verdicts, not of what a case did: nobody rounds it.
_LIMITS = {"time_limit_ms", "memory_limit_bytes", "output_limit_bytes", "stack_limit_bytes"}
_CALL_LIMITS = {"read_calls_limit", "write_calls_limit", "write_factor_limit"}
OF_THE_PROBLEM = frozenset({"accepted", "test_cases"} | _LIMITS | _CALL_LIMITS)

# Evidence in texts that may be told of a hidden case: names of the source or of this list of rules, and no others.
_NAMES = {"change", "construct", "error", "flag", "function", "functions", "of_bits"}
OF_THE_SOURCE = frozenset(_NAMES | {"inputs", "kind", "origin", "signal", "test_case", "too_many", "verdict"})
_LONGER_NAMES = {"percent": "kernel_percent", "faults": "minor_faults", "peak": "peak_memory"}  # of placeholders


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """One or two sentences in the student's own numbers, and what to do, in the words of the language."""

    text: str
    advice: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """The way in which numbers are written: times from microseconds, sizes from bytes, counts."""

    duration: Callable[[float], str]
    size: Callable[[float], str]
    count: Callable[[float], str]


EXACT = Words(duration=words.duration, size=words.size, count=words.count)


@dataclass(frozen=True, kw_only=True, slots=True)
class Telling:
    """A finding as its rule's sentences ask for it. `language`: None for one that this version does not know."""

    evidence: Mapping[str, Any]
    lines: Sequence[int]
    language: Language | None
    words: Words
    asked: set[str]  # names of evidence that the sentences told

    def value(self, name: str) -> Any:
        """Return a piece of evidence unchanged. Raises KeyError if this finding has none."""
        self.asked.add(name)
        return self.evidence[name]

    def has(self, name: str) -> bool:
        """Return whether there is such evidence, and it is not false."""
        self.asked.add(name)
        return bool(self.evidence.get(name))

    def text(self, name: str) -> str:
        """Return a short text."""
        return str(self.value(name))

    def duration(self, name: str) -> str:
        """Return a time: "0.94 s"."""
        return self.words.duration(self.value(name))

    def size(self, name: str) -> str:
        """Return a size: "8.0 KiB"."""
        return self.words.size(self.value(name))

    def count(self, name: str) -> str:
        """Return a count: "3,000,000"."""
        return self.words.count(self.value(name))

    def percent(self, name: str) -> str:
        """Return a share: "78 %"."""
        return words.in_per_cent(self.value(name))

    def time_limit(self) -> str:
        """Return the problem's limit: "1.5 s"."""
        return words.time_limit(self.value("time_limit_ms"))

    def times(self, name: str) -> str:
        """Return how often, in words: "1,234 times"."""
        return ngettext("{count} time", "{count} times", self.value(name)).format(count=self.count(name))

    def calls(self, kind: str) -> str:
        """Return a number of calls of a kind, "read" or "write": "1 write call"."""
        number = self.value(f"{kind}_calls")
        if kind == "read":
            sentence = ngettext("{count} read call", "{count} read calls", number)
        else:
            sentence = ngettext("{count} write call", "{count} write calls", number)
        return sentence.format(count=self.count(f"{kind}_calls"))

    def sized_calls(self, kind: str) -> str:
        """Return the calls with their mean size: "3,000,000 write calls of 2 bytes on average"."""
        number = self.value(f"{kind}_calls")
        if not number:  # also where no more is told than that they were few
            return self.calls(kind)
        count, size = self.count(f"{kind}_calls"), self.size(f"bytes_per_{kind}")
        if kind == "read":
            sentence = ngettext("{count} read call of {size}", "{count} read calls of {size} on average", number)
        else:
            sentence = ngettext("{count} write call of {size}", "{count} write calls of {size} on average", number)
        return sentence.format(count=count, size=size)

    def where(self) -> str:
        """Return the case's name for a sentence with counts, which stop where a limit ended the run."""
        name = self.text("test_case")
        return _("{test_case} before it was stopped").format(test_case=name) if self.has("is_stopped") else name

    def fill(self, sentence: str, **words: str) -> str:
        """Return a sentence with its placeholders filled: with these words, else with the evidence of that name.

        {cpu_time} takes `cpu_time_us`, {stdout} `stdout_bytes`; {where}, {reads} and {writes} are the methods above.
        """
        names = {name for _, name, _, _ in Formatter().parse(sentence) if name}
        return sentence.format(**{name: words[name] if name in words else self._evidence(name) for name in names})

    def _evidence(self, placeholder: str) -> str:
        match placeholder:
            case "where":
                return self.where()
            case "reads" | "writes":
                return self.calls(placeholder.removesuffix("s"))
        name = _LONGER_NAMES.get(placeholder, placeholder)
        if name.endswith("_percent"):
            return self.percent(name)
        if f"{name}_us" in self.evidence:
            return self.duration(f"{name}_us")
        if f"{name}_bytes" in self.evidence:
            return self.size(f"{name}_bytes")
        return self.text(name) if isinstance(self.evidence[name], str) else self.count(name)


class Reason(StrEnum):
    """Where a too slow program spent its time."""

    IO = gettext_noop("input and output")
    STEPS = gettext_noop("its own steps")
    WAITING = gettext_noop("waiting")
    MEMORY = gettext_noop("asking for memory")
    UNCLEAR = gettext_noop("not clear")


class About(Enum):
    """What a finding explains as the cause of a submission."""

    ALL = auto()  # whatever else was found may follow from it
    TIME = auto()
    FAILURE = auto()  # a wrong output, or how the program ended
    NOTHING = auto()  # it states numbers, and is never the cause


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """Everything that depends on the code of a finding alone; `is_about_case` and `explains` hide more by default.

    Which fixes answer it is in `judge.grading.fixes`.
    """

    code: str
    find: Callable[[Facts], Finding | None] | None  # asked once, by the grading; None: that of another code finds it
    say: Callable[[Telling], Said]  # the sentences, made each time that the finding is shown
    about: About
    reason: Reason = Reason.UNCLEAR
    hint: str = ""  # of a cause: what a teacher can tell whoever has it, in English: whoever shows it translates it
    is_about_case: bool = True  # it tells numbers of a test case, which may be hidden; False: of groups or nothing
    # The CPU time by line, and its growth, may still tell something. So it is beside calls that read (`tiny-reads`) or
    # ask for locks (`lock-storm`), too: samples show the lines that make them, and no other rerun does. False: the
    # program waited, or it wrote, which the buffered rerun and the line costs explain.
    leaves_time_open: bool = True
    explains: bool = True  # False: it repeats the verdict and its numbers, which is shown where no explanation is
