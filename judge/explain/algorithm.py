"""The honest opposite: too slow, and neither the system calls nor the handling of input and output are the reason."""

from judge.events import Finding, TestCaseJudged
from judge.explain.story import Story
from judge.verdicts import Verdict
from judge.words import calls, duration, percent
from sandbox.types import Usage

_OWN_SHARE = 90  # per cent of the CPU time outside the kernel
# What turning a byte into a value or back can cost at most, as with one short number per line: `input()` and `print`
# take 0.2 us for a line of two bytes, a `cin` that is synced with stdio 0.08 us. That is CPU time of the program, and
# with much of it faster reading or printing may well be what helps.
_HANDLING_NS_PER_BYTE = {"python": 100, "cpp": 40, "rust": 40}
_HANDLING_SHARE = 30


def find(story: Story) -> Finding | None:
    """Speaks when a case ran out of CPU time, and neither the kernel nor reading and printing can have had much."""
    case = story.focus
    if case is None or case.verdict is not Verdict.TLE:
        return None
    usage, io = case.usage, case.io
    share = percent(usage.user_time_us, usage.cpu_time_us)
    if usage.cpu_time_us <= story.limits.time_limit_ms * 1_000 or share < _OWN_SHARE:
        return None
    if percent(_handling_us(story, case), usage.cpu_time_us) > _HANDLING_SHARE:
        return None
    return Finding(
        code="algorithm",
        text=(
            f"Input and output are not why {case.name} was too slow: {_spent(usage)} was spent in your program itself "
            f"and its libraries, with {calls(io.read_calls, 'read')} and {calls(io.write_calls, 'write')}."
        ),
        evidence={
            "test_case": case.name,
            "user_time_us": usage.user_time_us,
            "cpu_time_us": usage.cpu_time_us,
            "own_percent": share,
            "read_calls": io.read_calls,
            "write_calls": io.write_calls,
            "weight_percent": share,
        },
        advice="Look for fewer steps, not for faster output.",
    )


def _spent(usage: Usage) -> str:
    """How much of its CPU time, in words where both numbers look the same."""
    own, whole = duration(usage.user_time_us), duration(usage.cpu_time_us)
    if own == whole:
        return f"nearly all of the CPU time ({whole})"
    return f"{percent(usage.user_time_us, usage.cpu_time_us)} % of the CPU time ({own} of {whole})"


def _handling_us(story: Story, case: TestCaseJudged) -> int:
    return (case.io.read_bytes + case.io.write_bytes) * _HANDLING_NS_PER_BYTE[story.language.id] // 1_000
