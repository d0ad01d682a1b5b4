"""The example of the home page: two programs to one problem, recorded by `manage.py record_example`.

It is a result of Tally, kept as a file, so that a stranger sees one without an account and before anybody submitted.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from django.utils.safestring import SafeString

from judge.grading.events import Finding
from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from judge.models import TestCaseResult
from problems.jsonvalues import from_row
from web.access.rounding import EXACT
from web.identity.language import made_once_in_each
from web.presentation.charts import RunTimes, TimeBar, TimeScale, time_scale
from web.presentation.measures import Measures, measures_of
from web.presentation.result.findings import FindingView, finding_views
from web.presentation.sources import our_tokens, source_lines

EXAMPLE = Path(__file__).with_name("example.json")
COMMAND = "manage.py record_example"
PROBLEM, CASE = "countton", "secret/05-large"
PROGRAMS = ("time_limit_exceeded/endl.cpp", "accepted/newline.cpp")  # below submissions/: too slow, and mended
_SUMMARY = "summary"


@dataclass(frozen=True, kw_only=True, slots=True)
class ExampleLine:
    """One line of a program. `is_other`: the other program has no such line."""

    html: SafeString
    is_other: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ExampleProgram:
    """One program of the example. `finding` says why it was slow; None for one that was not."""

    verdict: Verdict
    lines: list[ExampleLine]
    measures: Measures
    times: RunTimes
    bar: TimeBar
    finding: FindingView | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """Two programs on one scale."""

    title: str
    slug: str
    language: str
    toolchain: str
    case: str
    time_limit_ms: int
    scale: TimeScale
    programs: list[ExampleProgram]
    recorded_on: date
    processor: str
    kernel: str
    command: str


@made_once_in_each
def example() -> Example:
    """Return the recorded example in the reader's language."""
    recorded = json.loads(EXAMPLE.read_text())
    programs, limit_ms = recorded["programs"], recorded["time_limit_ms"]
    # each case as the row that judging would have written
    results = [TestCaseResult(attempt=1, position=0, is_sample=False, **program["case"]) for program in programs]
    scale = time_scale([RunTimes.of(result) for result in results], limit_ms * 1_000)
    first = programs[0]
    return Example(
        title=recorded["title"],
        slug=recorded["problem"],
        language=LANGUAGES[first["language"]].short_name,
        toolchain=first["toolchain"],
        case=first["case"]["name"],
        time_limit_ms=limit_ms,
        scale=scale,
        programs=[
            _program(program, other["source"].splitlines(), result, scale)
            for program, other, result in zip(programs, programs[::-1], results, strict=True)
        ],
        recorded_on=date.fromisoformat(recorded["recorded_on"]),
        processor=recorded["machine"]["processor"],
        kernel=recorded["machine"]["kernel"],
        command=recorded["command"],
    )


def _program(
    program: Mapping[str, Any], other_lines: Sequence[str], result: TestCaseResult, scale: TimeScale
) -> ExampleProgram:
    recorded, language = from_row(tuple[Finding, ...], program["findings"]), LANGUAGES[program["language"]]
    findings = [finding for finding in recorded if finding.code != _SUMMARY]
    views = [] if program["verdict"] == Verdict.AC else finding_views(findings, {}, EXACT, language)
    times, source = RunTimes.of(result), program["source"]
    lines = zip(source_lines(source, our_tokens(program["language"], source)), source.splitlines(), strict=True)
    return ExampleProgram(
        verdict=Verdict(program["verdict"]),
        lines=[ExampleLine(html=html, is_other=line not in other_lines) for html, line in lines],
        measures=measures_of(result, EXACT),
        times=times,
        bar=scale.bar(times),
        finding=views[0] if views else None,
    )
