"""CPU time of the ten commonest pages: `python -m bench.pages [--against COMMIT] [--quick]`; writes pages.json and .md.

How it works: a site's database is filled once (`rows_of/typical.py`). A process of this tree and, with `--against`, one
of a copy of that commit answer the same requests in turns, page by page and round by round, so that other load slows
both down alike (`load/page_process.py`). Both read the same rows with the schema of this tree, so the migrations of the
other must be among its own. A ratio is the median over the rounds of a round's median here over its median there.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench import machine, reporting
from bench.jail.statistic import interval
from bench.load.site import Site, open_site
from bench.load.stack import ROOT

ROUNDS, REQUESTS, PROFILED, WARM = 8, 5, 4, 2
HERE, THERE = "here", "before"
_NAMED = 4  # parts that the report names before its table
_SHARED = ("web/collected", "node_modules")  # what is built, and no commit has


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One page: medians in ms, by side. `ratio`: here over before, with the interval of that median (90 %)."""

    name: str
    cpu_ms: dict[str, float]
    statements: dict[str, int]
    bytes: dict[str, int]
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    parts: dict[str, dict[str, float]]  # by side: where the time was, per cent


class Answering:
    """A process of one tree that answers pages."""

    def __init__(self, site: Site, tree: Path, log: Path) -> None:
        command = site.python("-m", "bench.load.page_process")
        command[1:1] = [f"PYTHONPATH={ROOT}"]  # the other tree may lack this benchmark
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                command, cwd=tree, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        self._log = log

    def ask(self, page: Mapping[str, str], times: int, **more: object) -> dict[str, Any]:
        """Have one page answered so often. Raises SystemExit."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({**page, "times": times, **more}) + "\n")
        self._process.stdin.flush()
        said = self._process.stdout.readline()
        if not said:
            raise SystemExit(f"{page['path']}: no answer\n{self._log.read_text()[-3_000:]}")
        found: dict[str, Any] = json.loads(said)
        return found

    def stop(self) -> None:
        """End it."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(timeout=30)


@contextmanager
def tree_of(commit: str) -> Iterator[Path]:
    """A copy of this commit's files, with what is built here beside it."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="tally-tree-") as folder:
        tree = Path(folder)
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "--extract", "--directory", tree], input=archive, check=True)
        if not _migrations(tree).items() <= _migrations(ROOT).items():
            raise SystemExit(f"{commit} has migrations that this tree lacks, so it cannot read the same rows")
        for name in _SHARED:
            if not (tree / name).exists():
                (tree / name).symlink_to(ROOT / name)
        yield tree


def _migrations(tree: Path) -> dict[str, str]:
    found = sorted(tree.glob("*/migrations/*.py"))
    return {str(path.relative_to(tree)): path.read_text() for path in found}


def measure(
    sides: Mapping[str, Answering], pages: Sequence[Mapping[str, str]], rounds: int, requests: int
) -> list[Figure]:
    """Ask for every page in turns, then count its statements and profile it."""
    rounds_of: dict[tuple[str, str], list[float]] = {}
    for page in pages:
        for side in sides.values():
            side.ask(page, WARM)
    for number in range(rounds):
        for page in pages:
            for name, side in sorted(sides.items(), reverse=bool(number % 2)):
                spent = side.ask(page, requests)["cpu_us"]
                rounds_of.setdefault((page["name"], name), []).append(statistics.median(spent) / 1_000)
    return [_figure(page, sides, {name: rounds_of[page["name"], name] for name in sides}) for page in pages]


def _figure(page: Mapping[str, str], sides: Mapping[str, Answering], medians: Mapping[str, list[float]]) -> Figure:
    ratios = [here / there for here, there in zip(medians[HERE], medians.get(THERE, ()), strict=False)]
    low, high = interval(ratios, statistics.median) if ratios else (None, None)
    parts = {name: side.ask(page, PROFILED, profile=True)["parts"] for name, side in sides.items()}
    counted = {name: side.ask(page, 0) for name, side in sides.items()}
    return Figure(
        name=page["name"],
        cpu_ms={name: round(statistics.median(found), 2) for name, found in medians.items()},
        statements={name: found["statements"] for name, found in counted.items()},
        bytes={name: found["bytes"] for name, found in counted.items()},
        ratio=round(statistics.median(ratios), 3) if ratios else None,
        ratio_low=None if low is None else round(low, 3),
        ratio_high=None if high is None else round(high, 3),
        parts=parts,
    )


def summary(figures: Sequence[Figure]) -> dict[str, Any]:
    """The mean of the pages, by side, and the ratio of a typical page: the geometric mean of all ratios."""
    names = list(figures[0].cpu_ms)
    found: dict[str, Any] = {
        f"mean_ms_{name}": round(statistics.mean(f.cpu_ms[name] for f in figures), 2) for name in names
    }
    ratios = [figure.ratio for figure in figures if figure.ratio]
    if ratios:
        found["typical_ratio"] = round(statistics.geometric_mean(ratios), 3)
        found["worst_ratio"] = max(ratios)
    return found


def as_markdown(report: Mapping[str, Any]) -> str:
    """The report as a page."""
    has_before = bool(report["against"])
    lines = ["# CPU time of the commonest pages", "", f"`{report['command']}` wrote this page and `pages.json`.", ""]
    lines += [machine.in_words(report["machine"]).partition("\n")[0] + ".", ""]
    if has_before:
        lines += [
            f"Before: commit {report['against']}. Both answered in turns in one run: {report['rounds']} rounds of "
            f"{report['requests']} requests of each page. CPU time is user plus system time of the web process, from "
            "the ASGI application on; medians. The range is the 90 % interval of the ratio.",
            "",
            "| page | before, ms | now, ms | ratio | range | statements before | now |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        lines += [
            f"| {f['name']} | {f['cpu_ms'][THERE]} | {f['cpu_ms'][HERE]} | {f['ratio']} | {f['ratio_low']} to"
            f" {f['ratio_high']} | {f['statements'][THERE]} | {f['statements'][HERE]} |"
            for f in report["pages"]
        ]
        lines += ["", f"A typical page (the geometric mean of the ratios): **{report['summary']['typical_ratio']}**."]
    else:
        lines += ["| page | ms | statements |", "| --- | ---: | ---: |"]
        lines += [f"| {f['name']} | {f['cpu_ms'][HERE]} | {f['statements'][HERE]} |" for f in report["pages"]]
    for side, title in ((THERE, "Where the time was before"), (HERE, "Where it is now")):
        if side in report["pages"][0]["parts"]:
            lines += ["", f"## {title}", "", *_parts_table(report["pages"], side)]
    return "\n".join(lines) + "\n"


def _parts_table(pages: Sequence[Mapping[str, Any]], side: str) -> list[str]:
    """Shares of the profiled time in per cent: the profiler makes many small calls look dearer than they are."""
    names = list(dict.fromkeys(part for page in pages for part in page["parts"][side]))
    lines = [
        "Per cent of the profiled time.",
        "",
        f"| page | {' | '.join(names)} |",
        f"| --- |{' ---: |' * len(names)}",
    ]
    shares = {page["name"]: page["parts"][side] for page in pages}
    mean = {name: statistics.mean(parts.get(name, 0) for parts in shares.values()) for name in names}
    largest = sorted(names, key=lambda name: -mean[name])[:_NAMED]
    told = ", ".join(f"{name} {mean[name]:.0f} %" for name in largest)
    return [
        f"Most of it, as the mean of all pages: {told}.",
        "",
        *lines,
        *(
            f"| {page} | {' | '.join(str(round(parts.get(name, 0))) for name in names)} |"
            for page, parts in shares.items()
        ),
    ]


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and write; 1 when a typical page costs more than half of what it did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--against", default="", metavar="COMMIT", help="measure the pages of this commit too, in turns"
    )
    parser.add_argument("--quick", action="store_true", help="three rounds, printed and not kept")
    reporting.add_switches(parser, "pages")
    options = parser.parse_args(arguments)
    described, rounds = reporting.begin(options), 3 if options.quick else ROUNDS
    with ExitStack() as stack:
        site = stack.enter_context(open_site())
        pages = json.loads(site.run("-m", "bench.rows_of.typical"))
        sides = {HERE: Answering(site, ROOT, site.folder / "here.log")}
        if options.against:
            tree = stack.enter_context(tree_of(options.against))
            sides[THERE] = Answering(site, tree, site.folder / "before.log")
        for side in sides.values():
            stack.callback(side.stop)
        figures = measure(sides, pages, rounds, REQUESTS)
    report = {
        "machine": described,
        "command": f".venv/bin/python -m bench.pages{f' --against {options.against}' if options.against else ''}",
        "against": options.against,
        "rounds": rounds,
        "requests": REQUESTS,
        "summary": summary(figures),
        "pages": [asdict(figure) for figure in figures],
    }
    page = as_markdown(report)
    print(page)
    if reporting.write(report, options):
        options.report.with_suffix(".md").write_text(page, "utf-8")
    return int(report["summary"].get("typical_ratio", 0) > 0.5)


if __name__ == "__main__":
    sys.exit(main())
