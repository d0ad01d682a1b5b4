"""What one reader may see of the test cases of a submission: the problem says how much of the secret ones.

Staff and the problem's owner see everything as it is. Everybody sees the samples, and the totals of all cases once all
are judged: between two cases the difference of the totals would be the numbers of one case.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from judge.models import TestCaseResult
from problems.models import CaseVisibility, Problem

_ABOUT_NO_CASE = frozenset({"points", "not-run", "compile", "judge-error"})  # findings that name groups at most


@dataclass(frozen=True, kw_only=True, slots=True)
class Sight:
    """`sees_all`: the numbers are exact too, and what the checker said for staff is shown."""

    sees_all: bool
    visibility: CaseVisibility = CaseVisibility.ALL

    @property
    def is_restricted(self) -> bool:
        """Whether the problem hides something of its secret cases from this reader."""
        return not self.sees_all and self.visibility != CaseVisibility.ALL

    def sees_verdict(self, result: TestCaseResult) -> bool:
        """Whether this reader learns of the case that it was judged, and how."""
        return result.is_sample or self.sees_all_verdicts()

    def sees_numbers(self, result: TestCaseResult) -> bool:
        """Whether this reader sees what the program did on the case."""
        return not self.is_restricted or result.is_sample

    def sees_totals(self, is_done: bool) -> bool:
        """Whether this reader may see the numbers of all judged cases together; of those seen one by one always."""
        return is_done or not self.is_restricted

    def sees_all_verdicts(self) -> bool:
        """Whether this reader learns of each case how it was judged."""
        return not self.is_restricted or self.visibility == CaseVisibility.VERDICTS

    def sees_finding(self, finding: Mapping[str, Any], results: list[TestCaseResult]) -> bool:
        """Whether a finding speaks of nothing that is hidden from this reader."""
        if not self.is_restricted or finding["code"] in _ABOUT_NO_CASE:
            return True
        about = finding["evidence"].get("test_case")
        return any(result.name == about and self.sees_numbers(result) for result in results)


def sight_of(user: AbstractBaseUser | AnonymousUser, problem: Problem) -> Sight:
    """What this reader, who may read the submission, may see of its cases."""
    is_owner = user.pk is not None and problem.owner_id == user.pk
    return Sight(
        sees_all=bool(getattr(user, "is_staff", False)) or is_owner,
        visibility=CaseVisibility(problem.case_visibility),
    )


def students_sight(problem: Problem) -> Sight:
    """What a student of the problem may see of one's own submission: for pages that everybody reads alike."""
    return Sight(sees_all=False, visibility=CaseVisibility(problem.case_visibility))
