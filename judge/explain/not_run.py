"""Test cases that were not run, and why."""

from judge.events import Finding
from judge.explain.story import Story


def find(story: Story) -> Finding | None:
    """Says how many were left out and for which reasons, which name groups but no test case."""
    left = sum(len(each.names) for each in story.left_out)
    if not left:
        return None
    reasons = [each.because for each in story.left_out]
    if len(reasons) > 1:
        reasons = [f"{len(each.names):,} because {each.because}" for each in story.left_out]
    return Finding(
        code="not-run",
        text=f"{left:,} of {story.total_cases:,} test cases were not run: {', '.join(reasons)}.",
        evidence={"not_run": left, "test_cases": story.total_cases},
    )
