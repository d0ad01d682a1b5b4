"""Runs from which nothing came: that computed in silence, or asked for input after its end again and again."""

from judge.grading.events import CaseJudged
from judge.grading.explain.evidence.facts import MANY_CALLS, Facts
from judge.grading.verdicts import Verdict
from judge.grading.words import percent

_SMALL_READ_BYTES = 64  # on average, of all that a process reads
_OWN_SHARE = 90  # per cent of the CPU time outside the kernel
_HANDLING_SHARE = 5  # per cent that reading can have taken at most
_LONG_US = 100_000
_TIMES = 2  # so many reads for each byte: at least half of them got nothing


def reads_past_end(facts: Facts, case: CaseJudged) -> bool:
    """Return whether most of a case's many reads of its input got nothing. Raises CountsAwaited."""
    io = case.io
    if io.read_calls < MANY_CALLS or io.read_bytes > _SMALL_READ_BYTES * io.read_calls:
        return False
    if io.read_calls > _TIMES * io.read_bytes:
        return True
    profile = facts.profile(case)
    stdin = profile.streams.get("stdin") if profile else None
    return stdin is not None and stdin.calls >= MANY_CALLS and stdin.calls > _TIMES * stdin.bytes


def is_silent(facts: Facts, case: CaseJudged) -> bool:
    """Return whether a case was stopped while its program computed, before it had written anything."""
    usage = case.usage
    if facts.is_interactive or case.passes > 1 or case.verdict is not Verdict.TLE:
        return False
    if case.stdout_bytes or case.stderr_bytes or case.io.write_calls or usage.cpu_time_us < _LONG_US:
        return False
    is_own = percent(usage.user_time_us, usage.cpu_time_us) >= _OWN_SHARE
    is_over = usage.cpu_time_us > facts.limit_us
    case_input = facts.inputs.get(case.name)
    read_bytes = min(case.io.read_bytes, case_input.bytes) if case_input else case.io.read_bytes
    handled_us = read_bytes * facts.language.costs.handling_ns_per_byte // 1_000
    return is_own and is_over and percent(handled_us, usage.cpu_time_us) <= _HANDLING_SHARE
