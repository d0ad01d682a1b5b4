"""The honest opposite: too slow, and the system calls are not the reason."""

from judge.events import Finding
from judge.explain.story import Story
from judge.explain.words import calls, percent, seconds
from judge.verdicts import Verdict

_OWN_SHARE = 90  # per cent of the CPU time outside the kernel


def find(story: Story) -> Finding | None:
    """Speaks when a case ran out of CPU time of which the kernel had next to nothing."""
    case = story.focus
    if case is None or case.verdict is not Verdict.TLE:
        return None
    usage, io = case.usage, case.io
    share = percent(usage.user_time_us, usage.cpu_time_us)
    if usage.cpu_time_us <= story.limits.time_limit_ms * 1_000 or share < _OWN_SHARE:
        return None
    return Finding(
        code="algorithm",
        text=(
            f"System calls are not why {case.name} was too slow: {share} % of the CPU time "
            f"({seconds(usage.user_time_us)} of {seconds(usage.cpu_time_us)}) was spent in your program itself and its "
            f"libraries, with {calls(io.read_calls, 'read')} and {calls(io.write_calls, 'write')}. "
            "Look for fewer steps, not for faster output."
        ),
        evidence={
            "test_case": case.name,
            "user_time_us": usage.user_time_us,
            "cpu_time_us": usage.cpu_time_us,
            "own_percent": share,
            "read_calls": io.read_calls,
            "write_calls": io.write_calls,
        },
    )
