"""What a rerun told, on a terminal and as JSON.

The JSON has the rerun's record field by field, named as in `judge.grading.events`: times in microseconds, sizes in
bytes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from judge.grading.counted_work import CountedWork
from judge.grading.events import (
    BufferedRun,
    Finding,
    FixedRun,
    LineCosts,
    LineTimes,
    MeasuredRun,
    RepeatedRuns,
    RerunEnded,
)
from judge.grading.explain.evidence.law_words import formula
from judge.grading.languages import Language
from judge.grading.words import duration, percent
from judge.management import report
from judge.reruns.kinds import RerunKind
from problems.jsonvalues import to_json
from sandbox.types import Profile

_MOST_LINES = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Rerun:
    """A rerun of a case."""

    kind: RerunKind
    ended: RerunEnded[Any]


def as_json(rerun: Rerun) -> dict[str, Any]:
    """Return a rerun as JSON values; `result` is null where `problem` says why there is nothing to show."""
    ended = rerun.ended
    return {
        "kind": rerun.kind.value,
        "test_case": ended.name,
        "problem": str(ended.problem),
        "result": to_json(ended.result),
    }


def as_text(language: Language, rerun: Rerun) -> str:
    """Return what a rerun told as one or more lines. What only the findings after it say has none of its own."""
    ended = rerun.ended
    if rerun.kind is RerunKind.PROFILE and ended.result is None:
        return f"no system calls by name for {ended.name}: {ended.problem}"
    if ended.result is None:
        return f"{rerun.kind.record.button}, {ended.name}: {ended.problem}"
    teller = _TELLERS.get(type(ended.result))
    return f"{ended.name}: {teller(language, ended.result)}" if teller else ""


def _profile(_language: Language, profile: Profile) -> str:
    most = ", ".join(f"{name} {count:,}" for name, count in report.by_count(profile)[:6])
    return f"system calls: {most}"


def _buffered(_language: Language, run: BufferedRun) -> str:
    same = "the same output to the byte" if run.is_identical else "not the same output, so that nothing is claimed"
    return f"with its output buffered {_instead(run.buffered, run.plain)}; {same}"


def _fixed(_language: Language, run: FixedRun) -> str:
    verdict = run.verdict.value if run.verdict else "not known"
    told = (
        f"changed as below {_instead(run.fixed, run.plain)}; {run.run} of {run.cases} test cases run, verdict {verdict}"
    )
    if run.runs:
        told += f"; its runs on that case took {', '.join(map(duration, run.runs[0].cpu_times_us))}"
    return "\n".join([told, *run.diff])


def _instead(now: MeasuredRun, before: MeasuredRun) -> str:
    times = f"{duration(now.usage.cpu_time_us)} instead of {duration(before.usage.cpu_time_us)}"
    return f"{times}, calls of write {now.io.write_calls:,} instead of {before.io.write_calls:,}"


def _line_times(_language: Language, times: LineTimes) -> str:
    shares = [f"line {line.line} {percent(line.own, times.samples)} %" for line in times.lines[:_MOST_LINES]]
    return f"of {duration(times.cpu_time_us)} of CPU time {', '.join(shares)}"


def _line_costs(_language: Language, costs: LineCosts) -> str:
    words = ", ".join(f"line {cost.line} {cost.writes:,}" for cost in costs.lines[:_MOST_LINES])
    return f"write calls{'' if costs.is_whole else ' until it was stopped'}: {words}"


def _counts(_language: Language, work: CountedWork) -> str:
    told = (
        f"line {line.line} {line.counts[-1]:,} times in the largest run{f', {formula(line.law)}' if line.law else ''}"
        for line in work.lines[:_MOST_LINES]
    )
    return f"counted in {len(work.runs)} runs: {'; '.join(told)}"


def _repeats(_language: Language, runs: RepeatedRuns) -> str:
    return f"{len(runs.cpu_times_us)} further runs took {', '.join(map(duration, runs.cpu_times_us))}"


def _finding(language: Language, finding: Finding) -> str:
    return report.findings_as_text(language, [finding]).removeprefix("- ")


def _line(_language: Language, line: int) -> str:
    return f"it ended in line {line}"


_TELLERS: Mapping[type, Callable[[Language, Any], str]] = {
    Profile: _profile,
    BufferedRun: _buffered,
    FixedRun: _fixed,
    LineTimes: _line_times,
    LineCosts: _line_costs,
    CountedWork: _counts,
    RepeatedRuns: _repeats,
    Finding: _finding,
    int: _line,
}
