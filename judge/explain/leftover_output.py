"""A wrong answer that is the right one with something more: a print that was left in."""

from judge.events import Finding, TestCaseJudged
from judge.execution import EXCERPT_BYTES
from judge.explain.story import Story
from judge.verdicts import Verdict


def find(story: Story) -> Finding | None:
    """Speaks when a sample's whole expected answer is in the output, in order, with more around it."""
    for case in story.cases:
        if case.is_sample and case.verdict is Verdict.WA and _is_whole(case) and (extra := _describe_extra(case)):
            number, what = extra
            plural = "" if number == 1 else "s"
            return Finding(
                code="leftover-output",
                text=(
                    f"Your output for {case.name} contains the whole expected answer, and {number:,} more "
                    f"{what}{plural}: was a print left in?"
                ),
                evidence={"test_case": case.name, f"extra_{what}s": number, "stdout_bytes": case.stdout_bytes},
            )
    return None


def _is_whole(case: TestCaseJudged) -> bool:
    """Whether the excerpts are all there is."""
    return len(case.expected) < EXCERPT_BYTES and case.stdout_bytes < EXCERPT_BYTES


def _describe_extra(case: TestCaseJudged) -> tuple[int, str] | None:
    """How many more lines or words there are than expected; None unless the expected ones are all there."""
    for what, expected, output in (
        ("line", _lines(case.expected), _lines(case.output)),
        ("word", case.expected.split(), case.output.split()),
    ):
        # The answer is what a program prints last; without that, a single word would be found by chance.
        if expected and len(output) > len(expected) and output[-1] == expected[-1] and _holds(output, expected):
            return len(output) - len(expected), what
    return None


def _lines(content: bytes) -> list[bytes]:
    return [line.strip() for line in content.splitlines() if line.strip()]


def _holds(output: list[bytes], expected: list[bytes]) -> bool:
    """Whether the expected parts occur in the output in their order."""
    rest = iter(output)
    return all(part in rest for part in expected)
