"""The specification of an experiment: variants, their input, the settings of their runs, and the claims about them.

A spec is a value that goes through JSON unchanged (`problems.jsonvalues`, `spec_from_json`): the ready experiments are
files of it, people's own are rows, and every run keeps the one it was made from. What may be run: `checks`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judge.grading.measures import Place, measures_at
from judge.grading.sameness import is_counted
from problems.jsonvalues import JsonError, from_json
from sandbox.types import Destination

# The numbers of one run, by the names that claims, tables and exports use.
METRICS = tuple(measure.name for measure in measures_at(Place.EXPERIMENT))
# Of these, the ones that a program decides by itself: they may be the same in every run, and are then exact.
COUNTS = frozenset(measure.name for measure in measures_at(Place.EXPERIMENT) if is_counted(measure.kind))


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """One of the programs that are compared. Two variants may share a source and differ in arguments."""

    name: str  # short, unique in its experiment: "endl"
    language: str  # id in judge.grading.languages
    source: str
    args: tuple[str, ...] = ()
    note: str = ""  # one sentence: what differs from the others
    submission: int | None = None  # of a comparison of submissions: whose source this is


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseRef:
    """A test case of a problem's version as input; what it holds stays where it is."""

    version: int  # primary key of problems.ProblemVersion
    case: str  # its name: "secret/03-big"
    cpu_time_ms: int = 0  # of each run; 0 and what is less than the problem's limit: that limit

    @property
    def is_sample(self) -> bool:
        """Return whether everybody who sees the problem may see it."""
        return self.case.startswith("sample/")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSettings:
    """The limits of each run."""

    cpu_time_ms: int = 10_000
    memory_mib: int = 256
    output_mib: int = 64
    processes: int = 64
    cores: int = 1
    sample_ms: int = 0  # look at CPU time and switches so often during each run; 0: do not


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A claim of the experiment: `more` has more of the metric than `less`, under one destination."""

    text: str  # for people, with `code` marked
    metric: str  # of METRICS
    more: str  # name of a variant
    less: str
    destination: str = Destination.FILE.value
    less_destination: str = ""  # "": the same one
    published: str = ""  # what its author measured, in words: "17.6 s against 3.7 s: 4.7 times"


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishedRow:
    """One row of figures as somebody published them, on another machine. `figures`: column to words."""

    variant: str  # the variant that it is the row of
    figures: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExperimentSpec:
    """An experiment. `rounds` times, each variant runs once under each destination, in turns on the same cores."""

    title: str
    question: str  # one sentence
    variants: tuple[Variant, ...]
    destinations: tuple[str, ...] = (Destination.FILE.value,)
    input: str = ""  # on stdin
    case: CaseRef | None = None  # in its place; outputs are then checked
    rounds: int = 5
    settings: RunSettings = RunSettings()
    mechanism: str = ""  # three sentences: why it comes out as it does
    claims: tuple[Claim, ...] = ()
    published: tuple[PublishedRow, ...] = ()
    published_source: str = ""  # who measured these figures, and on what

    @property
    def cpu_time_ms(self) -> int:
        """The CPU time that each run may take."""
        return (self.case.cpu_time_ms if self.case else 0) or self.settings.cpu_time_ms

    @property
    def total_runs(self) -> int:
        """The number of runs in all, if every variant compiles."""
        return len(self.variants) * len(self.destinations) * self.rounds


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """What a comparison of submissions compares: their numbers, the title of their problem and the test case."""

    submissions: tuple[int, ...]
    problem: str
    case: str


class SpecError(JsonError):
    """Errors of a spec, as half sentences by key ("variants.0.source"), in its order; never empty."""


def spec_from_json(value: Any) -> ExperimentSpec:
    """Return the spec that `to_json` wrote, its parts of the right kinds. Raises SpecError; see also `checks`."""
    try:
        return from_json(ExperimentSpec, value)
    except JsonError as error:
        raise SpecError(error.problems) from error
