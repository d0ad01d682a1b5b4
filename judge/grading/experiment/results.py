"""The results of an experiment: a cell per variant and destination, with medians and intervals; the machine."""

import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from judge.grading.case_ending import CaseEnding
from judge.grading.compile_problem import CompileProblem, compile_words
from judge.grading.ending_words import brief
from judge.grading.experiment.spec import Claim
from judge.grading.sameness import Difference
from problems.translation import Sentence
from sandbox.types import TimelinePoint

_CPUINFO = Path("/proc/cpuinfo")
_MODEL_NAME = re.compile(r"^model name[ \t]*:(.*)$", re.MULTILINE)


def describe(cores: tuple[int, ...]) -> dict[str, Any]:
    """Return cores, processor and kernel, and the number of cores that runs were pinned to."""
    model = _MODEL_NAME.search(_CPUINFO.read_text("utf-8", "replace"))  # there is none but on x86
    return {
        "cores": len(os.sched_getaffinity(0)),
        "pinned_to": len(cores),
        "cpu_model": model[1].strip() if model else platform.machine(),
        "kernel": f"{platform.system()} {platform.release().partition('-')[0]}",  # what follows is a build's own
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class RunMeasured:
    """One run of one variant. `numbers` has every name of `spec.METRICS` that was counted when it was made."""

    variant: str
    destination: str
    round: int  # from 0
    ending: str  # a value of sandbox.types.Ending
    verdict: str  # where the output was checked; else "": it ended well, or what the ending makes it
    numbers: Mapping[str, int]
    end: CaseEnding | None = None  # of a hidden case as it may be shown; None: it ended well
    is_disturbed: bool = False  # the machine, or a part of it, stood still meanwhile
    timeline: tuple[TimelinePoint, ...] = ()

    @property
    def detail(self) -> str:
        """The end in English, for files."""
        note = "the machine, or a part of it, stood still during this run" if self.is_disturbed else ""
        return "; ".join(part for part in (self.end and brief(self.end), note) if part)


@dataclass(frozen=True, kw_only=True, slots=True)
class VariantFailed:
    """A variant that does not compile and takes no part. `message` is the compiler's; `problem` is what it lacks."""

    variant: str
    message: str
    problem: CompileProblem | None = None

    @property
    def words(self) -> Sentence:
        """The problem and the compiler's message, one below the other."""
        return compile_words(self.problem, self.message)


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """One metric of one cell. The median of all possible runs lies in low..high with at least 95 % confidence.

    With fewer than six runs low..high is all that was measured, and the confidence is less: see `summary`.
    """

    median: float
    low: float
    high: float
    runs: int
    is_exact: bool  # it is a count of the program's own, and every one of several runs had the same


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """The result of one variant under one destination."""

    variant: str
    destination: str
    estimates: Mapping[str, Estimate]  # by metric
    endings: tuple[str, ...]  # that occurred, without repetition
    verdicts: tuple[str, ...]
    timeline: tuple[TimelinePoint, ...]  # of the run in the middle by wall time


class Outcome(StrEnum):
    """The outcome of a claim."""

    REPRODUCED = "reproduced"
    REVERSED = "reversed"
    NOISE = "no difference that can be told from noise"
    MISSING = "not measured"


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimTested:
    """A claim with its measurement."""

    claim: Claim
    outcome: Outcome
    difference: Difference | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Results:
    """All results. Cells by variant in the spec's order, then by destination."""

    cells: tuple[Cell, ...]
    claims: tuple[ClaimTested, ...]
    failed: tuple[VariantFailed, ...]
