"""Why the program took its time: measured numbers turned into sentences.

Every rule is a file with one function `find(story) -> Finding | None`. A rule speaks only when the numbers leave no
other reading; the summary always does, so that every result page has a sentence that says what its numbers mean.
"""

from judge.events import Finding
from judge.explain import (
    algorithm,
    conversation,
    division,
    flush_per_line,
    leftover_output,
    not_run,
    points,
    summary,
    tiny_reads,
    too_much_output,
    unbuffered_stderr,
    waiting,
)
from judge.explain.story import Story

__all__ = ["Story", "explain"]

RULES = (
    summary.find,
    points.find,
    division.find,
    flush_per_line.find,
    unbuffered_stderr.find,
    tiny_reads.find,
    waiting.find,
    conversation.find,
    algorithm.find,
    leftover_output.find,
    too_much_output.find,
    not_run.find,
)


def explain(story: Story) -> tuple[Finding, ...]:
    """All that can be said of a submission, the summary first; never empty."""
    return tuple(finding for rule in RULES if (finding := rule(story)) is not None)
