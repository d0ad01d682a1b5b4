"""The limits that an instructor chooses for a problem: by which its next version is verified, and what the last
verification of the package says of a time limit.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from judge.grading.verification.calibration import Calibration, Timed
from judge.models import PackageUpload
from problems.models import Problem, ProblemVersion

LEAST_FACTOR = 2  # what a limit should be of the slowest jury submission that must be in time
_ODD_MS, _ODD_FACTOR = 10_000, 100  # a limit of so much, and of so many times what the slowest one needs, is a slip
_LONG_MS = 60_000  # likewise where nobody knows what it needs
_OF_RUNS = (  # the settings that change how a program is run
    *("time_limit_ms", "memory_bytes", "output_bytes", "code_bytes", "processes", "cores"),
    *("stdout", "write_calls", "read_calls", "write_factor"),
)


class Doubt(StrEnum):
    """Why a time limit may be a slip, so that it has to be confirmed."""

    TOO_SHORT = "too short"  # for a jury submission that must be in time
    TOO_LONG = "too long"  # for one that must be too slow
    ODD = "odd"  # far more than anybody needs


@dataclass(frozen=True, kw_only=True, slots=True)
class Needs:
    """What the jury's submissions needed when the package was verified last; None: nothing is known."""

    slowest_in_time: Timed | None = None
    fastest_too_slow: Timed | None = None  # it was stopped there: it may need more

    def doubts(self, limit_ms: int) -> tuple[Doubt, ...]:
        """Return what speaks against this limit."""
        near, far, limit_us = self.slowest_in_time, self.fastest_too_slow, limit_ms * 1_000
        values = {
            Doubt.TOO_SHORT: near is not None and near.cpu_time_us >= limit_us,
            Doubt.TOO_LONG: far is not None and far.cpu_time_us < limit_us,
            Doubt.ODD: (limit_ms >= _ODD_MS and limit_us >= _ODD_FACTOR * near.cpu_time_us)
            if near is not None
            else limit_ms >= _LONG_MS,
        }
        return tuple(doubt for doubt, is_there in values.items() if is_there)

    def is_close(self, limit_ms: int) -> bool:
        """Return whether the limit leaves the slowest jury submission less room than it should have."""
        near = self.slowest_in_time
        return near is not None and limit_ms * 1_000 < LEAST_FACTOR * near.cpu_time_us


def needs_of(version: ProblemVersion) -> Needs:
    """Return what the last report on the version's package says."""
    reports = PackageUpload.objects.filter(digest=version.digest, report__isnull=False).order_by("-pk")
    report = reports.values_list("report", flat=True).first()
    calibration = (report and report.calibration) or Calibration()
    return Needs(slowest_in_time=calibration.slowest_in_time, fastest_too_slow=calibration.fastest_too_slow)


def in_force(upload: PackageUpload) -> dict[str, Any]:
    """Return the limits that will hold instead of the package's own: those chosen for the problem's current version."""
    target = target_of(upload)
    version = target.current_version if target else None
    chosen = version.chosen_settings if version else {}
    return {name: value for name, value in chosen.items() if name in _OF_RUNS}


def target_of(upload: PackageUpload) -> Problem | None:
    """Return the problem whose next version the upload is to become; None: a new one."""
    if upload.replaces or not upload.slug:
        return upload.replaces
    return Problem.objects.filter(slug=upload.slug, owner=upload.owner).select_related("current_version").first()
