"""Decide what one reader may see of a submission's test cases: the problem decides about the secret ones.

Who sees everything as it is, `web.access.sight_of` says. Everybody sees the samples, and the totals of all cases once
all are judged: between two cases the difference of the totals would be the numbers of one case.
"""

from dataclasses import dataclass

from judge.grading.events import Finding
from judge.grading.explain import ABOUT_NO_CASE
from judge.models import SubmissionQuerySet, TestCaseResult
from problems.models import CaseVisibility, ProblemVersion
from web.access.rounding import EXACT, Rounding

SHOWN_BY = ("exact_numbers", "time_limit_ms", "memory_bytes", "write_calls", "read_calls")  # columns of a version
_LONG = ("source", "original", "compile_message", "explanation", "groups")  # columns of a submission that no list shows
_NOT_SHOWN_BY = [
    f"problem_version__{field.name}"
    for field in ProblemVersion._meta.concrete_fields
    if field.name not in SHOWN_BY and not field.primary_key
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Visibility:
    """`sees_all`: every number is exact too, and what the checker said for staff is shown."""

    sees_all: bool
    visibility: CaseVisibility = CaseVisibility.ALL

    @property
    def is_restricted(self) -> bool:
        """Return whether the problem hides something of its secret cases from this reader."""
        return not self.sees_all and self.visibility != CaseVisibility.ALL

    def sees_verdict(self, result: TestCaseResult) -> bool:
        """Return whether this reader learns of the case that it was judged, and how."""
        return result.is_sample or self.sees_all_verdicts()

    def sees_numbers(self, result: TestCaseResult) -> bool:
        """Return whether this reader sees what the program did on the case."""
        return not self.is_restricted or result.is_sample

    def rounding_of(self, result: TestCaseResult, version: ProblemVersion) -> Rounding:
        """Return how this reader sees the numbers of a case that was judged with this version."""
        return EXACT if result.is_sample else self.rounding_of_hidden(version)

    def rounding_of_hidden(self, version: ProblemVersion) -> Rounding:
        """Return how this reader sees the numbers of any secret case, and those of all cases together."""
        if self.sees_all or version.exact_numbers:
            return EXACT
        return Rounding(
            is_exact=False,
            time_limit_us=version.time_limit_ms * 1_000,
            memory_limit_bytes=version.memory_bytes,
            write_calls_limit=version.write_calls,
            read_calls_limit=version.read_calls,
        )

    def sees_totals(self, is_done: bool) -> bool:
        """Return whether this reader may see the numbers of all judged cases together."""
        return is_done or not self.is_restricted

    def sees_all_verdicts(self) -> bool:
        """Return whether this reader learns of each case how it was judged."""
        return not self.is_restricted or self.visibility == CaseVisibility.VERDICTS

    def sees_finding(self, finding: Finding, results: list[TestCaseResult]) -> bool:
        """Return whether a finding speaks of nothing that is hidden from this reader."""
        if not self.is_restricted or finding.code in ABOUT_NO_CASE:
            return True
        about = finding.evidence.get("test_case")
        return any(result.name == about and self.sees_numbers(result) for result in results)


def with_rounding(submissions: SubmissionQuerySet) -> SubmissionQuerySet:
    """Return the rows for a list: without what is long, with what a `Visibility` needs of problems and versions."""
    return submissions.select_related("problem", "problem_version").defer(*_LONG, *_NOT_SHOWN_BY)
