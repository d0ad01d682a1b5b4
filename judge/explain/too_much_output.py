"""Output beyond the limit, or far beyond what the answer has."""

from judge.events import Finding, TestCaseJudged
from judge.explain.story import Story
from judge.verdicts import Verdict
from judge.words import size

_MUCH_BYTES = 64 * 1_024
_TIMES = 100  # the answer: formatting, spaces and long numbers make an output ten times as long at most


def find(story: Story) -> Finding | None:
    """Speaks of the first case that was stopped for what it wrote, else of the one that wrote far too much."""
    case = next((case for case in story.cases if case.verdict is Verdict.OLE), None)
    if case is not None:
        return _stopped(story, case)
    if story.is_interactive:
        return None
    case = max((case for case in story.cases if _is_far_larger(story, case)), key=_written, default=None)
    if case is None:
        return None
    # How long the answer of a hidden case is stays hidden.
    return Finding(
        code="too-much-output",
        text=(
            f"On {story.where(case)} your program wrote {size(case.stdout_bytes)} to stdout, "
            f"more than {_TIMES} times what the answer has."
        ),
        evidence={"test_case": case.name, "stdout_bytes": case.stdout_bytes, "write_calls": case.io.write_calls},
        advice="Print the answer and nothing else; look at the loop that prints.",
    )


def _stopped(story: Story, case: TestCaseJudged) -> Finding:
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


def _is_far_larger(story: Story, case: TestCaseJudged) -> bool:
    answer = story.answer_bytes.get(case.name)
    if answer is None or case.verdict is Verdict.AC or case.stdout_bytes < _MUCH_BYTES:
        return False
    return case.stdout_bytes > _TIMES * max(answer, 1)


def _written(case: TestCaseJudged) -> int:
    return case.stdout_bytes
