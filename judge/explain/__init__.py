"""Why the program took its time: measured numbers turned into sentences.

Every rule is a file with one function `find(story) -> Finding | None`. A rule speaks only when the numbers leave no
other reading; the summary always does, so that every result page has a sentence that says what its numbers mean.
"""

from collections.abc import Sequence

from judge.events import Finding
from judge.explain import (
    algorithm,
    allocation_storm,
    call_limit,
    conversation,
    division,
    flush_per_line,
    leftover_output,
    not_run,
    points,
    summary,
    taking_turns,
    tiny_reads,
    too_much_output,
    unbuffered_stderr,
    waiting,
)
from judge.explain.story import Story
from judge.verdicts import Verdict

__all__ = ["CAUSES", "Story", "explain", "main_cause"]

RULES = (
    summary.find,
    points.find,
    division.find,
    call_limit.find,
    flush_per_line.find,
    unbuffered_stderr.find,
    tiny_reads.find,
    allocation_storm.find,
    waiting.find,
    taking_turns.find,
    conversation.find,
    algorithm.find,
    leftover_output.find,
    too_much_output.find,
    not_run.find,
)
CAUSES = frozenset(
    {
        "call-limit",
        "flush-per-line",
        "unbuffered-stderr",
        "tiny-reads",
        "allocation-storm",
        "waiting",
        "taking-turns",
        "algorithm",
    }
)
_OF_THE_OUTPUT = ("leftover-output", "too-much-output")
_MOST_OF_IT = 50  # per cent of the time that a cause must have cost: two that share it are none


def explain(story: Story) -> tuple[Finding, ...]:
    """All that can be said of a submission, the summary first; never empty."""
    return tuple(finding for rule in RULES if (finding := rule(story)) is not None)


def main_cause(findings: Sequence[Finding], verdict: Verdict) -> str:
    """The code of the finding that says why it was slow, by the share of its time; "" when none does.

    Of what was not accepted, and not for its time, also of the one that says what is too much in its output.
    """
    weights = {f.code: f.evidence.get("weight_percent", 0) for f in findings if f.code in CAUSES}
    code = max(weights, key=lambda code: weights[code], default="")
    if weights.get(code, 0) >= _MOST_OF_IT:
        return code
    if verdict in (Verdict.AC, Verdict.TLE):
        return ""
    return next((finding.code for finding in findings if finding.code in _OF_THE_OUTPUT), "")
