"""Test cases that were not run, and why."""

from judge.events import Finding
from judge.explain.story import Story
from judge.verdicts import Verdict


def find(story: Story) -> Finding | None:
    """Says so when grading stopped at the second secret case over a time limit."""
    left = story.total_cases - len(story.cases)
    too_slow = sum(case.verdict is Verdict.TLE for case in story.cases if not case.is_sample)
    if not left or too_slow < 2:
        return None
    return Finding(
        code="not-run",
        text=f"{left:,} of {story.total_cases:,} test cases were not run: {too_slow} had already been too slow.",
        evidence={"not_run": left, "test_cases": story.total_cases},
    )
