"""The measures of a run: one row for each number, which database rows, JSON, tables, pages and files read.

A new number is counted in sandbox/, has a column in `judge.models.judged.MeasuredCase`, and a row here. The row says
what people read about it, how it is rounded for those who may not see the case, and every place that shows it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from problems.translation import capitalised, gettext, gettext_noop
from sandbox.types import IoProfile, Usage


class Kind(Enum):
    """The kind of a number: its name, and the words for less and more of it. Noise: `judge.grading.sameness`."""

    TIME = ("time", "less", "more")
    MEMORY = ("memory", "less", "more")
    COUNT = ("count", "fewer", "more")
    BYTES = ("bytes", "less", "more")
    SIZE = ("size", "smaller", "larger")  # of one call, on average
    SWITCHES = ("switches", "fewer", "more")  # and whatever else the kernel counts of its own doings

    def __init__(self, _name: str, less: str, more: str) -> None:
        self.less = less
        self.more = more


class Part(Enum):
    """Where in the outcome of a run the sandbox puts a number: the attribute that holds it."""

    USAGE = "usage"
    IO = "io"
    RUN = ""  # the outcome itself


class Limit(Enum):
    """The limit of a problem that a number is held against: no rounding carries it across."""

    TIME = auto()
    MEMORY = auto()
    WRITE_CALLS = auto()
    READ_CALLS = auto()


class Place(Enum):
    """Where numbers of a run are shown."""

    CLI_JSON = auto()  # `manage.py grade --json`: its shape is a promise
    TERMINAL = auto()  # the table that `manage.py grade` prints
    CASE = auto()  # one test case on the page of a submission
    CASES = auto()  # all test cases there, as a table
    COMPARISON = auto()
    COMPARISON_PICTURE = auto()
    EXPERIMENT = auto()  # what an experiment keeps of each run, may claim, and exports
    EXPERIMENT_TABLE = auto()
    EXPERIMENT_PICTURE = auto()


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """One number of a run."""

    name: str  # in the outcome, the row, JSON and CSV; it ends in the unit (`_us`, `_bytes`), a count in what it counts
    label: str  # for people, within a sentence
    explanation: str  # the same in plain words, one sentence
    kind: Kind
    places: frozenset[Place]
    part: Part = Part.USAGE
    limit: Limit | None = None
    is_stored: bool = True  # False: it follows from others, so no column holds it
    heading: str = ""  # of its column on a terminal, where it has one
    parts: tuple[str, ...] = ()  # measures that it is the sum of
    share_of: str = ""  # the measure that it is a part of, and worth telling as such
    mean_of: tuple[str, str] | None = None  # so much of the first for each of the second; computed of rounded numbers

    @property
    def title(self) -> str:
        """The label in the reader's language, at the beginning of a line."""
        return capitalised(gettext(self.label))


class Run(Protocol):
    """The source of the numbers: a `sandbox.types.Outcome`, or an event about one."""

    @property
    def usage(self) -> Usage: ...
    @property
    def io(self) -> IoProfile: ...
    @property
    def stdout_bytes(self) -> int: ...
    @property
    def stderr_bytes(self) -> int: ...


_EVERY_PAGE = frozenset({Place.CASE, Place.CASES, Place.COMPARISON})
_EXPERIMENT = frozenset({Place.EXPERIMENT, Place.EXPERIMENT_TABLE})
_PICTURES = frozenset({Place.COMPARISON_PICTURE, Place.EXPERIMENT_PICTURE})
_CLI = frozenset({Place.CLI_JSON, Place.TERMINAL})

MEASURES = (
    Measure(
        name="cpu_time_us",
        label=gettext_noop("CPU time"),
        explanation=gettext_noop("The time that cores worked for the program: user time plus system time."),
        kind=Kind.TIME,
        places=_CLI | {Place.COMPARISON} | _EXPERIMENT | _PICTURES,
        limit=Limit.TIME,
        is_stored=False,
        heading="CPU",
        parts=("user_time_us", "system_time_us"),
    ),
    Measure(
        name="user_time_us",
        label=gettext_noop("user time"),
        explanation=gettext_noop("CPU time in the program itself and its libraries."),
        kind=Kind.TIME,
        places=_CLI | _EVERY_PAGE | _EXPERIMENT | {Place.COMPARISON_PICTURE},
        heading="user",
    ),
    Measure(
        name="system_time_us",
        label=gettext_noop("system time"),
        explanation=gettext_noop("CPU time in the kernel, which carries out the program's system calls."),
        kind=Kind.TIME,
        places=_CLI | _EVERY_PAGE | _EXPERIMENT | {Place.COMPARISON_PICTURE},
        heading="system",
        share_of="cpu_time_us",
    ),
    Measure(
        name="wall_time_us",
        label=gettext_noop("wall time"),
        explanation=gettext_noop("The time that passed on the clock from the program's start to its end."),
        kind=Kind.TIME,
        places=_CLI | {Place.CASES, Place.COMPARISON, Place.EXPERIMENT_PICTURE} | _EXPERIMENT,
        heading="wall",
    ),
    Measure(
        name="waiting_time_us",
        label=gettext_noop("time blocked"),
        explanation=gettext_noop("Wall time in which the program slept, or waited for a file, a lock or a child."),
        kind=Kind.TIME,
        places=_EVERY_PAGE | _EXPERIMENT | _PICTURES,
        is_stored=False,
        share_of="wall_time_us",
    ),
    Measure(
        name="queued_time_us",
        label=gettext_noop("time runnable, waiting for a core"),
        explanation=gettext_noop("Wall time in which the program could have run, but the machine gave it no core."),
        kind=Kind.TIME,
        places=frozenset({Place.CASE, Place.CASES}),
    ),
    Measure(
        name="peak_memory_bytes",
        label=gettext_noop("peak memory"),
        explanation=gettext_noop("The most memory that the program and its processes held at any moment."),
        kind=Kind.MEMORY,
        places=_CLI | _EVERY_PAGE | _EXPERIMENT | _PICTURES,
        limit=Limit.MEMORY,
        heading="memory",
    ),
    Measure(
        name="write_calls",
        label=gettext_noop("write calls"),
        explanation=gettext_noop("How often the program asked the kernel to write (write, writev and similar calls)."),
        kind=Kind.COUNT,
        part=Part.IO,
        places=_CLI | _EVERY_PAGE | _EXPERIMENT | _PICTURES,
        limit=Limit.WRITE_CALLS,
        heading="writes",
    ),
    Measure(
        name="write_bytes",
        label=gettext_noop("bytes written"),
        explanation=gettext_noop("What all write calls together wrote, to files and streams."),
        kind=Kind.BYTES,
        part=Part.IO,
        places=_EVERY_PAGE | {Place.CLI_JSON, Place.EXPERIMENT},
    ),
    Measure(
        name="bytes_per_write",
        label=gettext_noop("bytes per write"),
        explanation=gettext_noop(
            "The average size of a write call: many small writes cost more than a few large ones."
        ),
        kind=Kind.SIZE,
        part=Part.IO,
        places=_PICTURES | {Place.COMPARISON, Place.EXPERIMENT_TABLE},
        is_stored=False,
        mean_of=("write_bytes", "write_calls"),
    ),
    Measure(
        name="read_calls",
        label=gettext_noop("read calls"),
        explanation=gettext_noop("How often the program asked the kernel to read (read, readv and similar calls)."),
        kind=Kind.COUNT,
        part=Part.IO,
        places=_CLI | _EVERY_PAGE | {Place.COMPARISON_PICTURE, Place.EXPERIMENT},
        limit=Limit.READ_CALLS,
        heading="reads",
    ),
    Measure(
        name="read_bytes",
        label=gettext_noop("bytes read"),
        explanation=gettext_noop("What all read calls together read, from files and streams."),
        kind=Kind.BYTES,
        part=Part.IO,
        places=_EVERY_PAGE | {Place.CLI_JSON, Place.EXPERIMENT},
    ),
    Measure(
        name="stdout_bytes",
        label=gettext_noop("bytes to stdout"),
        explanation=gettext_noop("The length of the program's output."),
        kind=Kind.BYTES,
        part=Part.RUN,
        places=frozenset({Place.CASE, Place.COMPARISON}),
    ),
    Measure(
        name="stderr_bytes",
        label=gettext_noop("bytes to stderr"),
        explanation=gettext_noop("The length of the program's error output."),
        kind=Kind.BYTES,
        part=Part.RUN,
        places=frozenset({Place.CASE, Place.COMPARISON}),
    ),
    Measure(
        name="voluntary_switches",
        label=gettext_noop("voluntary context switches"),
        explanation=gettext_noop("How often the program gave up its core by itself, to wait for something."),
        kind=Kind.SWITCHES,
        places=_EVERY_PAGE | _EXPERIMENT | _PICTURES | {Place.CLI_JSON},
    ),
    Measure(
        name="involuntary_switches",
        label=gettext_noop("involuntary context switches"),
        explanation=gettext_noop("How often the kernel took the core away from the program, to run something else."),
        kind=Kind.SWITCHES,
        places=_EVERY_PAGE | _EXPERIMENT | _PICTURES | {Place.CLI_JSON},
    ),
    Measure(
        name="minor_faults",
        label=gettext_noop("minor page faults"),
        explanation=gettext_noop("How often the kernel gave the program a page of memory without reading the disk."),
        kind=Kind.SWITCHES,
        places=_EVERY_PAGE | {Place.EXPERIMENT},
    ),
    Measure(
        name="major_faults",
        label=gettext_noop("major page faults"),
        explanation=gettext_noop("How often the kernel had to read a page of memory from the disk first."),
        kind=Kind.SWITCHES,
        places=frozenset({Place.CASE, Place.CASES}),
    ),
)
BY_NAME = {measure.name: measure for measure in MEASURES}
STORED = tuple(measure for measure in MEASURES if measure.is_stored)
_PROMISED = {  # what comes first and in which order, where scripts and people rely on it
    Place.CLI_JSON: (
        *("user_time_us", "system_time_us", "cpu_time_us", "wall_time_us", "peak_memory_bytes"),
        *("voluntary_switches", "involuntary_switches", "read_calls", "write_calls", "read_bytes", "write_bytes"),
    ),
    Place.TERMINAL: (
        *("cpu_time_us", "user_time_us", "system_time_us", "wall_time_us", "peak_memory_bytes"),
        *("read_calls", "write_calls"),
    ),
}


def measures_at(place: Place) -> tuple[Measure, ...]:
    """Return the measures shown at a place, in the order of the table or of the place's promise."""
    promised = [BY_NAME[name] for name in _PROMISED.get(place, ())]
    return (*promised, *(measure for measure in MEASURES if place in measure.places and measure not in promised))


def value_of(measure: Measure, run: Run) -> int:
    """Return the number of a run; a mean has none of its own."""
    number: int = getattr(getattr(run, measure.part.value) if measure.part.value else run, measure.name)
    return number


def numbers_of(run: Run, measures: Iterable[Measure]) -> dict[str, int]:
    """Return some numbers of a run by name."""
    return {measure.name: value_of(measure, run) for measure in measures}
