"""Measure the time from submission to final verdict on an idle machine, stage by stage.

How it works: a Tally of its own (`load/site.py`), one person, a problem with ten test cases, programs in C++ and Python
sent one after the other, in turns. Each is new to the judge, so it is compiled, but everything else is warm: the first
of each language do not count. They are sent by HTTP as the page's form sends them, and the verdict is known when the
page's stream says "finished". The parts are what the judge kept with the submission: see `judge.grading.stages`.

`make run`'s own settings are measured: durable PostgreSQL, one worker. Writes bench/reports/latency.json. With
`--before FOLDER`, another checkout of Tally is measured in turns with this one, and the report has its figures too,
with what is neither compiling nor running as a share of it.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench import reporting
from bench.jail.statistic import quantile
from bench.load.browser import Browser
from bench.load.site import Site, open_site
from bench.load.stack import ROOT
from bench.machine import in_words
from judge.grading.stages import TOTAL, Stage

PROBLEM, CASES = "barchart", 10
MOST_MS = 60.0  # of what is neither compiling nor running, half of the time
MOST_PCT_OF_BEFORE = 60  # likewise, with `--before`
_NEITHER = "neither compile nor run"
_SEEN = "seen by the browser"
_WARM_UP = 2
_LIBRARY = ROOT / "problems" / "library"
_PROGRAMS = {"cpp": ("rows.cpp", "// {}\n"), "python": ("rows.py", "# {}\n")}  # and a comment that makes each one new


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One stage, over all submissions in a language."""

    part: str
    p50_ms: float
    p95_ms: float


def measure(sites: Sequence[Site], rounds: int) -> list[dict[str, list[Figure]]]:
    """The figures by language, of so many submissions in each, for each of the sites, which take turns: A B, B A."""
    taken: list[dict[str, list[dict[str, int]]]] = [{language: [] for language in _PROGRAMS} for _ in sites]
    with ExitStack() as stack:
        browsers = [_browser(site, stack) for site in sites]
        for number in range(-_WARM_UP, rounds):
            for language in _PROGRAMS:
                for place in range(len(sites))[:: -1 if number % 2 else 1]:
                    parts = _one(sites[place], browsers[place], language, number)
                    if number >= 0:
                        taken[place][language].append(parts)
        for browser in browsers:
            browser.leave()
    return [{language: _figures(parts) for language, parts in of_site.items()} for of_site in taken]


def _browser(site: Site, stack: ExitStack) -> Browser:
    """The browser of a person of this site, which has a worker until the stack is left."""
    (person,) = site.populate(people=1, submissions=1)
    (web,) = stack.enter_context(site.web())
    stack.enter_context(site.worker())
    return Browser(web.url, {"sessionid": person.session, "csrftoken": person.token})


def _one(site: Site, browser: Browser, language: str, number: int) -> dict[str, int]:
    """Send one; its parts in microseconds."""
    name, comment = _PROGRAMS[language]
    source = (_LIBRARY / PROBLEM / "submissions" / "accepted" / name).read_text() + comment.format(number)
    began = time.monotonic_ns()
    submission = browser.submit(PROBLEM, language, source)
    browser.wait_for_verdict(submission)
    seen_us = (time.monotonic_ns() - began) // 1_000
    verdict, stages, cases = _row(site, submission)
    if verdict != "AC" or cases != CASES:
        raise SystemExit(f"submission {submission} in {language} got {verdict} with {cases} test cases")
    neither = stages[TOTAL] - stages[Stage.COMPILE] - stages[Stage.RUN]
    return {**stages, _NEITHER: neither, _SEEN: seen_us}


def _row(site: Site, submission: int) -> tuple[str, dict[str, int], int]:
    found: dict[str, Any] = site.value(
        f"SELECT json_build_object('verdict', verdict, 'stages', stages, 'cases', test_case_count)"  # noqa: S608
        f" FROM judge_submission WHERE id = {submission:d}"
    )
    return found["verdict"], found["stages"], found["cases"]


def _figures(taken: Sequence[dict[str, int]]) -> list[Figure]:
    return [
        Figure(
            part=part,
            p50_ms=round(statistics.median(each[part] for each in taken) / 1_000, 2),
            p95_ms=round(quantile([each[part] for each in taken], 0.95) / 1_000, 2),
        )
        for part in (*map(str, Stage), TOTAL, _NEITHER, _SEEN)
    ]


def main() -> int:
    """Measure, print and write the report; 1 when it took longer than it may."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40, help="submissions in each language")
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="another checkout, measured in turns")
    reporting.add_switches(parser, "latency")
    arguments = parser.parse_args()
    machine = reporting.begin(arguments)
    with ExitStack() as stack:
        roots = [ROOT, *([arguments.before.resolve()] if arguments.before else [])]
        figures, *before = measure([stack.enter_context(open_site(root)) for root in roots], arguments.rounds)
    neither = {language: _p50(found, _NEITHER) for language, found in figures.items()}
    report = {
        "machine": machine,
        "problem": PROBLEM,
        "cases": CASES,
        "submissions_of_each": arguments.rounds,
        "most_ms": MOST_MS,
        "neither_compile_nor_run_ms_p50": neither,
        "is_met": all(value < MOST_MS for value in neither.values()),
        "figures": {language: [asdict(figure) for figure in found] for language, found in figures.items()},
    }
    for earlier in before:
        pct = {
            language: round(100 * neither[language] / _p50(found, _NEITHER), 1) for language, found in earlier.items()
        }
        report["neither_compile_nor_run_pct_of_before"] = pct
        report["most_pct_of_before"] = MOST_PCT_OF_BEFORE
        report["is_met"] = report["is_met"] and all(value <= MOST_PCT_OF_BEFORE for value in pct.values())
        report["before"] = {language: [asdict(figure) for figure in found] for language, found in earlier.items()}
    reporting.write(report, arguments)
    print(in_words(machine))
    _print(figures)
    for earlier in before:
        print(f"before, {arguments.before}:")
        _print(earlier)
        print(f"{_NEITHER}, % of before: {report['neither_compile_nor_run_pct_of_before']}")
    return 0 if report["is_met"] else 1


def _p50(figures: Sequence[Figure], part: str) -> float:
    return next(figure.p50_ms for figure in figures if figure.part == part)


def _print(figures: dict[str, list[Figure]]) -> None:
    print(f"{'ms':24}" + "".join(f"{language + ' p50':>14}{'p95':>10}" for language in figures))
    for rows in zip(*figures.values(), strict=True):
        print(f"{rows[0].part:24}" + "".join(f"{row.p50_ms:14.2f}{row.p95_ms:10.2f}" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
