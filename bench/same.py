"""Copies of one program, compared as the comparison page does: `python -m bench.same [--quick]`; writes a report.

Needs root, g++ and rustc; takes about five minutes. Of each of the thirty programs of timed/ two copies run in turns in
the jail, ten rounds, and are compared by `judge.grading.sameness`. The rule states how often it may call copies
different. The bar is missed if so many called different have a chance below 5 % at that rate.

    repeated    by measure: how many comparisons differ, are alike, cannot be told; `chance`: how probable so many
                that differ would be at the stated rate; `at_most`: their rate, with 95 % confidence (both binomial)
    single      by measure: the share of pairs of single runs that differ, each run with that of the other copy in the
                same round; `medians`: of CPU time, of medians of three runs, as the fix and the buffered rerun compare
    programs    by name: the ratio of the CPU times, its interval, and the answer
"""

import argparse
import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench import machine, reporting
from bench.timed.pairs import Numbers, run_in_turns
from bench.timed.programs import WORK_ROOT, package_in, timed_programs
from judge.grading.experiment.spec import METRICS
from judge.grading.measures import BY_NAME
from judge.grading.sameness import MISS, Difference, difference, is_same
from sandbox.workdir import fresh_folder

ROUNDS = 10  # as the page suggests
HEADLINE = "cpu_time_us"  # what the page's answer is about
_CONFIDENCE = 0.95
_GROUP = 3  # runs, of whose medians the reruns of a case compare two

Pair = tuple[Numbers, Numbers]


def answer_of(found: Difference) -> str:
    """The page's answer of two copies."""
    return "differ" if found.is_told else "alike" if found.is_alike else "untold"


def chance(number: int, tries: int, rate: float) -> float:
    """How probable so many or more are, at this rate."""
    return sum(math.comb(tries, each) * rate**each * (1 - rate) ** (tries - each) for each in range(number, tries + 1))


def at_most(number: int, tries: int) -> float:
    """The rate at which so few or fewer would have a chance of 5 %: Clopper and Pearson's upper bound."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        few = 1 - chance(number + 1, tries, middle)
        low, high = (middle, high) if few > 1 - _CONFIDENCE else (low, middle)
    return high


def repeated(pairs: Sequence[Pair], measure: str) -> dict[str, Any]:
    """The answers of all comparisons of one measure."""
    answers = Counter(answer_of(difference(measure, a[measure], b[measure])) for a, b in pairs)
    number, tries = answers["differ"], len(pairs)
    return {
        **{answer: answers[answer] for answer in ("differ", "alike", "untold")},
        "chance": round(chance(number, tries, MISS), 3),
        "at_most": round(at_most(number, tries), 3),
    }


def single(pairs: Sequence[Pair], measure: str) -> float:
    """The share of pairs of single runs that differ."""
    kind = BY_NAME[measure].kind
    differing = [not is_same(kind, *each) for a, b in pairs for each in zip(a[measure], b[measure], strict=True)]
    return round(statistics.mean(differing), 3)


def medians(pairs: Sequence[Pair]) -> float:
    """The share of pairs of medians of a few runs' CPU times that differ."""
    kind = BY_NAME[HEADLINE].kind
    groups = [
        [statistics.median(side[HEADLINE][at : at + _GROUP]) for side in pair]
        for pair in pairs
        for at in range(0, len(pair[0][HEADLINE]) - _GROUP + 1, _GROUP)
    ]
    return round(statistics.mean(not is_same(kind, a, b) for a, b in groups), 3)


def row_of(pair: Pair) -> dict[str, Any]:
    """One program for the report."""
    found = difference(HEADLINE, pair[0][HEADLINE], pair[1][HEADLINE])
    ends = {name: round(number, 3) for name in ("ratio", "low", "high") if (number := getattr(found, name)) is not None}
    return {"cpu_ms": round(statistics.median(pair[0][HEADLINE]) / 1_000), **ends, "answer": answer_of(found)}


def report_of(pairs: Mapping[str, Pair]) -> dict[str, Any]:
    """All figures."""
    values = list(pairs.values())
    return {
        "programs_in_all": len(values),
        "rounds": ROUNDS,
        "stated_rate": MISS,
        "meets_bar": repeated(values, HEADLINE)["chance"] >= 1 - _CONFIDENCE,
        "repeated": {measure: repeated(values, measure) for measure in METRICS},
        "single": {measure: single(values, measure) for measure in METRICS},
        "medians": medians(values),
        "programs": {name: row_of(pair) for name, pair in pairs.items()},
    }


def figures(report: Mapping[str, Any]) -> str:
    """The sentences of docs/explain.md."""
    of, share = report["repeated"][HEADLINE], 100 * report["stated_rate"]
    single_runs, few = 100 * report["single"][HEADLINE], 100 * report["medians"]
    return (
        f"In its last report {of['differ']} of {report['programs_in_all']} pairs of copies were called different "
        f"({of['alike']} alike, {of['untold']} could not be told), so the rate is below {100 * of['at_most']:.1f} % "
        f"with {100 * _CONFIDENCE:g} % confidence; the rule allows {share:g} %. Single runs differed in "
        f"{single_runs:.1f} % of pairs, medians of three in {few:.1f} %, with a load of "
        f"{report['machine']['load_at_start']} on {report['machine']['cores']} cores."
    )


def _measured(*, is_quick: bool) -> Iterator[tuple[str, Pair]]:
    with fresh_folder(WORK_ROOT, "package-") as folder:
        package = package_in(folder)
        for name, path in timed_programs("two_loops" if is_quick else "").items():
            numbers = run_in_turns(path, "AB", ROUNDS, package)
            pair = numbers["A"], numbers["B"]
            print(f"{name:24} {row_of(pair)}", flush=True)
            yield name, pair


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one program in each language")
    reporting.add_switches(parser, "same")
    options = parser.parse_args()
    WORK_ROOT.mkdir(parents=True, exist_ok=True)
    began_on = reporting.begin(options)
    report = {"machine": began_on, **report_of(dict(_measured(is_quick=options.quick)))}
    print(machine.in_words(began_on))
    print(figures(report))
    reporting.write(report, options)
    raise SystemExit(0 if report["meets_bar"] else 1)


if __name__ == "__main__":
    main()
