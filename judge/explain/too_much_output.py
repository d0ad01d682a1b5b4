"""Output beyond the limit."""

from judge.events import Finding
from judge.explain.story import Story
from judge.explain.words import size
from judge.verdicts import Verdict


def find(story: Story) -> Finding | None:
    """Speaks of the first case that was stopped for what it wrote."""
    case = next((case for case in story.cases if case.verdict is Verdict.OLE), None)
    if case is None:
        return None
    return Finding(
        code="too-much-output",
        text=(
            f"{case.name} was stopped for writing too much: {size(case.stdout_bytes)} on stdout, where "
            f"{size(story.limits.output_bytes)} are allowed, and {size(case.stderr_bytes)} on stderr."
        ),
        evidence={
            "test_case": case.name,
            "stdout_bytes": case.stdout_bytes,
            "stderr_bytes": case.stderr_bytes,
            "output_limit_bytes": story.limits.output_bytes,
        },
    )
