"""Print a grading on the command line: a table for people, or the JSON that scripts read.

The JSON's shape is a promise (tests/judge/management/test_commands.py keeps it): times in microseconds, sizes in bytes.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from judge.grading.events import CaseJudged, CaseProfiled, CompileFinished, Event, Finding, GradingFinished
from judge.grading.explain import in_words
from judge.grading.languages import Language
from judge.grading.measures import Part, Place, measures_at, numbers_of, value_of
from judge.grading.verification.calibration import Calibration
from judge.grading.verification.verified import ReportRecord, SubmissionRecord
from judge.grading.words import duration, lines, of_kind, points, size, time_limit
from problems.package import Package
from problems.testgroups import DIALECTS
from sandbox.types import STREAMS, Profile

_EventT = TypeVar("_EventT", CompileFinished, GradingFinished)
_ON_A_TERMINAL = measures_at(Place.TERMINAL)
_COLUMNS = ("test case", "verdict", *(measure.heading for measure in _ON_A_TERMINAL))
_GROUP_COLUMNS = ("group", "verdict", "points", "of", "accepted")


def grading_as_json(package: Package, language: Language, events: list[Event]) -> dict[str, Any]:
    """Return one finished grading as JSON values."""
    profiles = {event.name: event.result for event in events if isinstance(event, CaseProfiled)}
    compiled = _only(events, CompileFinished)
    finished = _only(events, GradingFinished)
    answer: dict[str, Any] = {
        "problem": package.short_name,
        "language": language.id,
        "verdict": finished.verdict.value,
        "compile": {
            "ok": compiled.ok,
            "message": str(compiled.words),
            "wall_time_us": compiled.wall_time_us,
            "cached": compiled.wall_time_us is None,
        },
        "test_cases": [
            _case_as_json(event, profiles.get(event.name)) for event in events if isinstance(event, CaseJudged)
        ],
        "explanation": [
            {
                "code": finding.code,
                "text": sentence.text,
                "evidence": finding.evidence,
                "lines": finding.lines,
                "advice": sentence.advice,
            }
            for finding in finished.explanation
            for sentence in [in_words(finding, language)]
        ],
    }
    if package.groups is not None:  # a scoring problem: points as numbers, `max_score` null if there is no maximum
        groups = [
            {
                "name": group.name,
                "verdict": group.verdict and group.verdict.value,
                "score": group.score,
                "max_score": group.max_score,
                "test_cases": group.cases,
                "accepted": group.accepted,
            }
            for group in finished.groups
        ]
        answer |= {"score": finished.score, "max_score": finished.max_score, "groups": groups}
    return answer


def judged_as_text(package: Package, language: Language, events: list[Event]) -> str:
    """Return all that is known once every case was judged, as text for people: the last line is the verdict."""
    compiled, finished = _only(events, CompileFinished), _only(events, GradingFinished)
    judged = [event for event in events if isinstance(event, CaseJudged)]
    took, limit = compiled.wall_time_us, time_limit(package.limits.time_limit_ms)
    compiling = "compiled before (from the cache)" if took is None else f"compiled in {duration(took)}"
    parts = [f"{package.name} · {language.name} · {compiled.toolchain} · {compiling}"]
    if not package.is_time_limit_given:
        parts += [f"time limit {limit} (the usual one: the package gives none)"]
    parts += [compiled.words] if compiled.words else []
    runs = []
    for case in judged:
        if len(times := case.run_times) > 1:
            fastest = f"the fastest of {len(times)} runs counts: {', '.join(map(duration, times))}"
            runs.append(f"{case.name}: {fastest}; the limit is {limit}")
    parts += [align([_COLUMNS, *map(_case_row, judged)]), *runs] if judged else []
    group_rows: list[tuple[str, ...]] = [_GROUP_COLUMNS]
    for group in finished.groups:
        most = "unbounded" if group.max_score is None else points(group.max_score)
        verdict_words = group.verdict.value if group.verdict else "not run"
        accepted = f"{group.accepted} of {group.cases}"
        group_rows.append((group.name, verdict_words, points(group.score), most, accepted))
    parts += [align(group_rows)] if finished.groups else []
    return "\n".join([*parts, f"{finished.verdict.value}: {finished.verdict.meaning}"])


def findings_as_text(language: Language, findings: Sequence[Finding]) -> str:
    """Return findings as lines."""
    parts = []
    for finding in findings:
        sentence = in_words(finding, language)
        where = f"({lines(finding.lines)})" if finding.lines else ""
        parts.append(" ".join(filter(None, ("-", sentence.text, where, sentence.advice))))
    return "\n".join(parts)


def by_count(profile: Profile) -> list[tuple[str, int]]:
    """Return the system calls by name with their numbers, the most frequent first."""
    return sorted(profile.syscalls.items(), key=lambda item: (-item[1], item[0]))


def verification_row(verified: SubmissionRecord) -> tuple[str, ...]:
    """Return one line of the table that `verify` prints."""
    got = f"got {verified.verdict.value}" if verified.verdict else "not run"
    return (
        "ok" if verified.ok else "NOT OK",
        verified.path,
        f"expected {' or '.join(verified.expected)}",
        got if verified.score is None else f"{got} {points(verified.score)}",
        duration(verified.max_cpu_time_us),
        size(verified.max_peak_memory_bytes),
    )


def verification_as_text(report: ReportRecord) -> str:
    """Return the report's lines beyond the table of submissions."""
    calibration, inputs, unbuffered = report.calibration or Calibration(), report.inputs, report.unbuffered
    near, far = calibration.slowest_in_time, calibration.fastest_too_slow
    lines = [f"INCOMPLETE: {report.stopped}; this is what was found until then"] if report.stopped else []
    lines += [f"time limit {time_limit(report.time_limit_ms or 0)} ({report.time_limit_source})"]
    if dialect := report.score_dialect:
        lines += [f"points: {DIALECTS[dialect.name]} ({dialect.why})"]
    if near and (factor := calibration.in_time_factor):
        lines += [f"slowest in time: {near.name}, {duration(near.cpu_time_us)}; the limit is {factor:.1f} times that"]
    lines += [f"slowest in {run.language}: {run.name}, {duration(run.cpu_time_us)}" for run in calibration.by_language]
    if far and (factor := calibration.too_slow_factor):
        lines += [f"fastest too slow: {far.name}, at least {factor:.1f} times the limit"]
    lines += [
        f"{result.path}: stopped by the clock at {duration(result.max_cpu_time_us)}: it may need more"
        for result in report.submissions
        if result.cut_short
    ]
    if inputs and inputs.validators:
        lines += [f"{inputs.files} inputs shown to {', '.join(inputs.validators)}"]
    if unbuffered:
        lines += [*(forecast.text for forecast in unbuffered.forecasts), unbuffered.skipped]
    return "\n".join(line for line in lines if line)


def align(rows: list[tuple[str, ...]]) -> str:
    """Return the rows as a table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _only(events: list[Event], kind: type[_EventT]) -> _EventT:
    return next(event for event in events if isinstance(event, kind))


def _case_as_json(case: CaseJudged, profile: Profile | None) -> dict[str, Any]:
    measures = measures_at(Place.CLI_JSON)
    counts: dict[str, Any] | None = None
    if profile is not None:
        streams = [(name, profile.streams[name]) for name in STREAMS]
        counts = {
            "syscalls": dict(by_count(profile)),
            "streams": {name: {"calls": stream.calls, "bytes": stream.bytes} for name, stream in streams},
            "stopped_after_ms": profile.stopped_after_ms,
        }
    return {
        "name": case.name,
        "verdict": case.verdict.value,
        **numbers_of(case, [measure for measure in measures if measure.part is not Part.IO]),
        "io": numbers_of(case, [measure for measure in measures if measure.part is Part.IO]),
        "profile": counts,
    }


def _case_row(case: CaseJudged) -> tuple[str, ...]:
    numbers = (of_kind(measure.kind, value_of(measure, case)) for measure in _ON_A_TERMINAL)
    return (case.name, case.verdict.value, *numbers)
