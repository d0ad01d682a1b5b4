"""The picture of a verification's report, drawn from its JSON: positions, words, and nothing that is not escaped."""

import re
from typing import Any

import pytest
from django.template.loader import render_to_string

from judge.grading.verification.verified import ReportRecord, unreadable_as_json
from problems.jsonvalues import from_row
from tests.web.dense import dense
from web.presentation.setter.verification import VerificationShown, verification_shown


def submission(path: str, verdict: str | None, cpu_time_us: int, bound: str = "", **changes: Any) -> dict[str, Any]:
    return {
        "path": path,
        "language": "python",
        "expected": [verdict or "AC"],
        "verdict": verdict,
        "score": None,
        "max_cpu_time_us": cpu_time_us,
        "ok": True,
        "max_peak_memory_bytes": 8 << 20,
        "slowest_case": "secret/1",
        "text": "",
        "problems": [],
        "excluded": False,
        "bound": bound,
        **changes,
    }


def timed(name: str, language: str, cpu_time_us: int) -> dict[str, Any]:
    return {"name": name, "language": language, "cpu_time_us": cpu_time_us, "is_measured": True}


@pytest.fixture
def report() -> dict[str, Any]:
    """A report as `judge.grading.verification.verified` writes it."""
    forecast = {"language": "python", "buffered_us": 100_000, "flushing_us": 2_100_000, "base_path": "accepted/a.py"}
    return {
        "problem": "count",
        "time_limit_ms": 1_000,
        "submissions": [
            submission("accepted/a.py", "AC", 400_000, "lower"),
            submission("accepted/A.java", None, 0, text="not run: java", language=None),
            submission("time_limit_exceeded/b.py", "TLE", 1_510_000, "upper"),
            submission("wrong_answer/<b>.py", "AC", 9_000, ok=False, problems=["expected WA, got AC"]),
        ],
        "warnings": ["data/1.in: <i>odd</i>"],
        "errors": [],
        "ok": True,
        "time_limit_source": "calibrated",
        "calibration": {
            "rule": {"ac_to_time_limit": 2.0, "time_limit_to_tle": 1.5, "resolution_ms": 1_000},
            "slowest_in_time": timed("accepted/a.py", "python", 400_000),
            "fastest_too_slow": timed("time_limit_exceeded/b.py", "python", 1_510_000),
            "in_time_factor": 2.5,
            "too_slow_factor": 1.51,
            "by_language": [timed("accepted/a.py", "python", 400_000), timed("accepted/c.cpp", "cpp", 40_000)],
            "excluded": ["accepted/slow.py"],
        },
        "unbuffered": {
            "skipped": "",
            "case": "secret/1",
            "lines": 1_000_000,
            "bytes": 6_888_890,
            "stdout": "file",
            "forecasts": [
                {**forecast, "base_us": 400_000, "forecast_us": 2_400_000, "verdict": "TLE", "text": "Python: 2.40 s."}
            ],
        },
        "inputs": {"validators": ["input_validators/v.py"], "files": 12, "runs": 11, "rejected": 0},
    }


def shown_of(report: dict[str, Any]) -> VerificationShown:
    return verification_shown(from_row(ReportRecord, report))


def html_of(report: dict[str, Any]) -> str:
    return render_to_string("setter/verification.html", {"report": from_row(ReportRecord, report)})


def test_bars_end_where_the_time_is_on_one_axis(report: dict[str, Any]) -> None:
    picture = shown_of(report).picture
    assert picture is not None
    limit_x = picture.scale.limit_x
    assert limit_x is not None
    assert picture.between.x == pytest.approx(limit_x / 2, abs=0.02)  # the limit by the slowest one's factor
    assert picture.between.x + picture.between.width == pytest.approx(limit_x * 1.5, abs=0.02)
    ends = {bar.name: bar.segments[-1].x + bar.segments[-1].width for bar in (*picture.bars, *picture.forecasts)}
    assert ends["accepted/a.py"] == pytest.approx(limit_x * 0.4, abs=0.02)
    assert ends["time_limit_exceeded/b.py"] == pytest.approx(limit_x * 1.51, abs=0.02)
    assert ends["Python, flushing each line"] == pytest.approx(limit_x * 2.4, abs=0.02)
    assert list(ends) == [
        "wrong_answer/<b>.py",
        "accepted/a.py",
        "time_limit_exceeded/b.py",
        "Python, flushing each line",
    ]


def test_no_more_is_asked_of_too_slow_ones_than_shows(report: dict[str, Any]) -> None:
    report["calibration"]["rule"]["time_limit_to_tle"] = 4.0
    report["submissions"][2] |= {"max_cpu_time_us": 2_810_000, "cut_short": True}
    shown = shown_of(report)
    assert shown.picture is not None
    limit_x = shown.picture.scale.limit_x
    assert limit_x is not None
    between = shown.picture.between
    assert between.x + between.width == pytest.approx(limit_x * 2.8, abs=0.02)  # where runs are stopped
    html = html_of(report)
    assert "A run is stopped at 2.8 times the limit: the report requires no more than that" in html
    assert "time_limit_exceeded/b.py was stopped by the clock at 2.81\u00a0s: it may need more." in html


def test_no_margin_is_one_time_the_limit(report: dict[str, Any]) -> None:
    html = html_of(report)
    assert "The time limit should be at least 2 times the CPU time of the slowest submission in time." in html
    assert "The fastest submission that is too slow should need at least 1.5 times the time limit." in html
    report["calibration"]["rule"] |= {"ac_to_time_limit": 1.0, "time_limit_to_tle": 1.0}
    html = html_of(report)
    assert "The time limit should be above the CPU time of the slowest submission in time." in html
    assert "The fastest submission that is too slow should need more than the time limit." in html
    assert "1 times" not in html


def test_what_is_far_beyond_ends_at_the_edge_and_says_so(report: dict[str, Any]) -> None:
    report["unbuffered"]["forecasts"][0]["forecast_us"] = 90_000_000
    picture = shown_of(report).picture
    assert picture is not None
    (bar,) = picture.forecasts
    assert bar.is_beyond
    assert bar.segments[-1].x + bar.segments[-1].width == pytest.approx(100)
    assert picture.scale.end_us < 5_000_000


def test_facts_say_where_the_limit_comes_from(report: dict[str, Any]) -> None:
    facts = {fact.name: (fact.value, fact.note) for fact in shown_of(report).facts}
    assert facts["Time limit"] == ("1\u00a0s", "set from the run of accepted/a.py")
    assert facts["Slowest in time"][1] == "accepted/a.py: the limit is 2.5 times that"
    assert facts["Inputs checked"] == ("12", "by v.py")
    report["time_limit_source"] = ".timelimit"
    assert shown_of(report).facts[0].note == "given in .timelimit"


def test_a_language_that_needs_several_times_more_is_named(report: dict[str, Any]) -> None:
    first, second, left_out = shown_of(report).languages
    assert first.endswith("(accepted/a.py), 10 times the fastest language")
    assert "times" not in second
    assert left_out == "Left out: accepted/slow.py"


def test_the_partial_shows_all_of_it_and_escapes_names(report: dict[str, Any]) -> None:
    html = html_of(report)
    for words in (
        "wrong_answer/&lt;b&gt;.py",
        "&lt;i&gt;odd&lt;/i&gt;",
        "expected WA, got AC",
        "not run: java",
        "1,000,000 lines",
        "Python: 2.40 s.",
    ):
        assert words in html
    assert "<b>.py" not in html
    assert "Score" not in html
    assert html.count('class="margin"') == 4
    assert 'aria-label="accepted/a.py: AC, expected AC, 0.40\u00a0s in its slowest case"' in html


def test_the_legend_has_the_kinds_that_are_there(report: dict[str, Any]) -> None:
    picture = shown_of(report).picture
    assert picture is not None
    assert [kind for kind, _ in picture.legend] == ["in-time", "too-slow", "other", "flushing"]
    report["submissions"] = [one for one in report["submissions"] if one["bound"] == "lower"]
    report["unbuffered"]["forecasts"] = []
    html = html_of(report)
    assert "must be in time</li>" in html
    assert "must be too slow</li>" not in dense(html)
    assert "either</li>" not in dense(html)


def test_what_is_not_as_expected_tells_its_cases(report: dict[str, Any]) -> None:
    report["submissions"][3] |= {
        "unexpected": {"case": "secret/2", "verdict": "RE", "stderr": "<Trace>", "message": "exit code 1"},
        "cases": [{"name": "secret/2", "verdict": "RE", "cpu_time_us": 12_000}],
    }
    html = html_of(report)
    assert "RE on <code>secret/2</code>: exit code 1" in html
    assert '<pre class="code">&lt;Trace&gt;</pre>' in html
    assert "<summary>1 test case</summary>" in dense(html)


def test_whether_it_is_as_expected_stands_beside_the_name(report: dict[str, Any]) -> None:
    report["submissions"][3] |= {"cases": [{"name": "secret/2", "verdict": "RE", "cpu_time_us": 12_000}]}
    html = html_of(report)
    heads = re.findall(r"<th scope=\"col\"[^>]*>([^<]+)", html)
    assert heads[:2] == ["Jury submission", "As expected"]
    assert html.count(f'<td colspan="{len(heads)}">') == 1
    cells = re.findall(r"<td[^>]* data-label=\"([^\"]+)\"", html)  # what a narrow screen shows in the place of heads
    assert cells == heads[1:] * len(report["submissions"])


def test_points_have_a_column_where_there_are_any(report: dict[str, Any]) -> None:
    report["submissions"][0]["score"] = 37.5
    report["submissions"][2]["score"] = 100.0
    html = html_of(report)
    assert ">100</td>" in html
    assert ">37.5</td>" in html_of(report)


def test_a_package_that_could_not_be_read_shows_its_errors_only() -> None:
    html = html_of(unreadable_as_json("x", ["problem.yaml: is odd"]))
    assert "problem.yaml: is odd" in html
    assert "<svg" not in html
    assert "<table" not in html


def test_the_dialect_of_points_is_a_fact_with_its_reason(report: dict[str, Any]) -> None:
    assert not any(fact.name == "accept_score" for fact in shown_of(report).facts)
    dialect = {"name": "domjudge", "why": "submissions/accepted/a.py is to get 60 points", "is_certain": True}
    (fact,) = [one for one in shown_of(report | {"score_dialect": dialect}).facts if one.name == "accept_score"]
    assert fact.value == "for all cases of a folder"
    assert fact.note.endswith("as in DOMjudge: submissions/accepted/a.py is to get 60 points")
