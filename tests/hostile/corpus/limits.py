"""The limits of a manifest: those a problem can set, and those of the grader itself.

A manifest's limit is the most that a run may have. What the grader does not let a problem set may be stricter, never
looser.
"""

from collections.abc import Mapping
from typing import Any

from judge.grading.compiling.compilation import MESSAGE_BYTES, compile_limits
from judge.grading.events import EXCERPT_BYTES
from judge.grading.running.execution import run_limits
from problems.package import ProblemLimits
from sandbox.types import MIB

KIB = 1024
_OF_THE_PROBLEM = {  # key of a manifest -> field of ProblemLimits, unit
    "time_ms": ("time_limit_ms", 1),
    "memory_mb": ("memory_bytes", MIB),
    "output_kb": ("output_bytes", KIB),
    "processes": ("processes", 1),
    "source_kb": ("code_bytes", KIB),
    "compile_time_ms": ("compile_time_ms", 1),
    "compile_memory_mb": ("compile_memory_bytes", MIB),
}
_OF_THE_GRADER = (
    "wall_ms",
    "stderr_kb",
    "open_files",
    "scratch_mb",
    "scratch_inodes",
    "compile_wall_ms",
    "compile_file_mb",
    "compile_output_kb",
)
REQUIRED_KEYS = frozenset(_OF_THE_PROBLEM)
KEYS = REQUIRED_KEYS | frozenset(_OF_THE_GRADER)


def problem_limits(limits: Mapping[str, int]) -> ProblemLimits:
    """A problem with these limits, which have all REQUIRED_KEYS."""
    values: dict[str, Any] = {field: limits[key] * unit for key, (field, unit) in _OF_THE_PROBLEM.items()}
    return ProblemLimits(**values)


def too_strict(limits: Mapping[str, int]) -> dict[str, str]:
    """The limits that the grader does not keep, by key, with a sentence."""
    own = _graders_own(problem_limits(limits))
    return {
        key: f"{limits[key]} is asked for; the grader allows {own[key]}, and no problem can set it"
        for key in _OF_THE_GRADER
        if key in limits and own[key] > limits[key]
    }


def _graders_own(limits: ProblemLimits) -> dict[str, int]:
    run, compiler = run_limits(limits), compile_limits(limits)
    return {
        "wall_ms": run.wall_time_ms,
        "stderr_kb": EXCERPT_BYTES // KIB,  # so much of it is kept
        "open_files": run.open_files,
        "scratch_mb": run.scratch_bytes // MIB,
        "scratch_inodes": run.scratch_inodes,
        "compile_wall_ms": compiler.wall_time_ms,
        "compile_file_mb": compiler.file_bytes // MIB,
        "compile_output_kb": MESSAGE_BYTES // KIB,
    }
