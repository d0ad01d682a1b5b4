"""Which cases a verdict has run again without a request: from values alone, whoever has judged."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from judge.grading.events import CaseJudged, GradingFinished
from judge.grading.explain import RULES
from judge.grading.fixes import FIXES
from judge.grading.languages import LANGUAGES
from judge.grading.reruns.reasons import (
    TOO_SLOW,
    is_locatable,
    lacks_line,
    worth_fixing,
    worth_trying,
    worth_unbuffering,
)
from judge.grading.verdicts import Verdict
from sandbox.meter.perf import sampling_problem

# Findings that name something else than computing as what took the time.
NOT_COMPUTING = frozenset(rule.code for rule in RULES if not rule.leaves_time_open)


@dataclass(frozen=True, kw_only=True, slots=True)
class Concluded:
    """A verdict, or what was explained later, with what suggests reruns. The functions are asked where it matters."""

    event: GradingFinished
    language: str
    time_limit_ms: int
    is_interactive: bool
    read_cases: Callable[[], Sequence[CaseJudged]]  # in their order
    shows_fixes: Callable[[], bool]  # whether its author may see a changed source


def awaiting_counts(concluded: Concluded) -> Iterable[str]:
    """Return the cases whose calls by name findings wait for."""
    return concluded.event.awaits


def near_limit(concluded: Concluded) -> Iterable[str]:
    """Return the case that was accepted barely within the time limit."""
    return filter(None, [concluded.event.near_limit])


def small_writes(concluded: Concluded) -> Iterable[str]:
    """Return the case with small writes. No other finding may still be to come."""
    event = concluded.event
    return () if event.awaits else _single_run(concluded, worth_trying(event.explanation))


def computing(concluded: Concluded) -> Iterable[str]:
    """Return the first case that was over the time limit by computing."""
    event = concluded.event
    if event.awaits or worth_trying(event.explanation) or event.verdict is not Verdict.TLE:
        return ()
    if any(finding.code in NOT_COMPUTING for finding in event.explanation):
        return ()
    limit_us = concluded.time_limit_ms * 1_000
    late = (case for case in concluded.read_cases() if case.verdict is Verdict.TLE and case.passes <= 1)
    return [case.name for case in late if case.usage.cpu_time_us > limit_us][:1]


def sampled(concluded: Concluded) -> Iterable[str]:
    """Return the same case, where this host can sample."""
    return computing(concluded) if _can_sample() else ()


def standing_still(concluded: Concluded) -> Iterable[str]:
    """Return the first case that was over its output limit, or over the time limit by computing: its program may be at
    the same point again and again.
    """
    if concluded.is_interactive:
        return ()
    if concluded.event.verdict is not Verdict.OLE:
        return computing(concluded)
    return [case.name for case in concluded.read_cases() if case.verdict is Verdict.OLE and case.passes <= 1][:1]


def fixable(concluded: Concluded) -> Iterable[str]:
    """Return the case with a finding that some fix answers, else the first that took too much CPU time or too many
    calls, where its author may see a changed source: an instructor can choose that students do not.

    Whether a change is known the rerun finds out, which costs little if none is.
    """
    event = concluded.event
    if event.awaits or concluded.language not in FIXES:
        return ()
    name = worth_fixing(event.explanation, event.verdict, concluded.language)
    if not name and event.verdict in TOO_SLOW:
        limit_us = concluded.time_limit_ms * 1_000
        slow = (case for case in concluded.read_cases() if case.verdict in TOO_SLOW)
        took = (case for case in slow if case.verdict is Verdict.SLE or case.usage.cpu_time_us > limit_us)
        name = next((case.name for case in took), "")
    cases = _single_run(concluded, name)
    return cases if cases and concluded.shows_fixes() else ()


def crashed(concluded: Concluded) -> Iterable[str]:
    """Return the first case that failed, where a signal ended it in a line that another run can tell."""
    if concluded.event.verdict is not Verdict.RE or not is_locatable(LANGUAGES.get(concluded.language)):
        return ()
    failed = [case for case in concluded.read_cases() if case.verdict is Verdict.RE][:1]
    return [case.name for case in failed if lacks_line(case.ending, case.passes)]


def doubtful_output(concluded: Concluded) -> Iterable[str]:
    """Return the case whose output a buffer may have changed: by a finding, or since a signal ended the first one that
    failed before it had written anything.
    """
    name = worth_unbuffering(concluded.event.explanation)
    if not name and concluded.event.verdict is Verdict.RE:
        failed = [case for case in concluded.read_cases() if case.verdict is Verdict.RE][:1]
        name = next((case.name for case in failed if case.ending and case.ending.signal and not case.stdout_bytes), "")
    return _single_run(concluded, name)


def _single_run(concluded: Concluded, name: str) -> list[str]:
    """Return the case's name, where its output may be held back or its source changed."""
    if not name or concluded.is_interactive:
        return []
    return [name for case in concluded.read_cases() if case.name == name and case.passes == 1]


@cache
def _can_sample() -> bool:
    return sampling_problem() is None
