"""E5, the web tier: `python -m bench.web_load [--quick]` measures, and writes bench/reports/web_load.json and the docs.

How it works: a Tally of its own (`load/site.py`) with people and submissions in it, but no worker, so that the site has
the machine to itself but for the database and the visitors. For each number of processes and instances Locust, in a
process of its own, sends 100 visitors round the instances in turns: first to a simple answer, then to typical pages.
A full run takes about four minutes; other load makes the figures worthless.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench import reporting
from bench.load.cputime import CpuWatch
from bench.load.page import rewrite_page, web_figures
from bench.load.site import Person, Site, open_site, urls_of
from bench.load.stack import ROOT
from web.operations.services import Service

LOADS = {"simple": "Looker", "typical": "Student"}  # the class of bench/load/web_users.py
MATRIX = ((1, 1), (2, 1), (4, 1), (1, 2), (2, 2), (4, 2))  # processes of each instance, instances
VISITORS, PEOPLE, SUBMISSIONS = 100, 200, 5_000
_COME_S = 4  # visitors come one after the other; then Locust begins to count, and we to watch
_AS_MANY, _AS_SOON = 0.95, 1.25  # what still counts as the most requests, and as the shortest p95


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One load on one arrangement. `cores`: how many each part kept busy. `pages`: p95 in ms by page."""

    load: str
    processes: int
    instances: int
    requests: int
    requests_per_s: float
    mean_ms: float
    median_ms: float
    p95_ms: float
    failures: int
    cores: dict[str, float]
    pages: dict[str, float]

    @property
    def failures_pct(self) -> float:
        """The share of the requests that failed."""
        return 100 * self.failures / max(1, self.requests)


def quantile_of_counts(counts: Mapping[float, int], share: float) -> float:
    """The least value that this share of the counted ones does not exceed."""
    wanted, seen = share * sum(counts.values()), 0
    for value, count in sorted(counts.items()):
        seen += count
        if seen >= wanted:
            return value
    raise ValueError("nothing was counted")


def cell_of(said: list[dict[str, Any]], *, load: str, processes: int, instances: int, cores: dict[str, float]) -> Cell:
    """What Locust said of each page (`--json`), as one cell."""
    requests = sum(page["num_requests"] for page in said)
    if not requests:
        raise SystemExit(f"{processes} x {instances}, {load}: no request was answered")
    counts: dict[float, int] = {}
    for page in said:
        for value, count in page["response_times"].items():
            counts[float(value)] = counts.get(float(value), 0) + count
    began, ended = min(page["start_time"] for page in said), max(page["last_request_timestamp"] for page in said)
    return Cell(
        load=load,
        processes=processes,
        instances=instances,
        requests=requests,
        requests_per_s=round(requests / (ended - began), 1),
        mean_ms=round(sum(page["total_response_time"] for page in said) / requests, 1),
        median_ms=quantile_of_counts(counts, 0.5),
        p95_ms=quantile_of_counts(counts, 0.95),
        failures=sum(page["num_failures"] for page in said),
        cores=cores,
        pages={
            page["name"]: quantile_of_counts({float(ms): n for ms, n in page["response_times"].items()}, 0.95)
            for page in said
            if page["response_times"]
        },
    )


def recommend(cells: Sequence[Cell]) -> tuple[int, str]:
    """The fewest processes of one instance that serve the typical load as well as any, and the figures that say so."""
    single = [cell for cell in cells if cell.load == "typical" and cell.instances == 1]
    whole = [cell for cell in single if not cell.failures] or single
    most, soonest = max(cell.requests_per_s for cell in whole), min(cell.p95_ms for cell in whole)
    good = [c for c in whole if c.requests_per_s >= _AS_MANY * most and c.p95_ms <= _AS_SOON * soonest]
    # Where the most requests and the shortest p95 are not one arrangement's, answers that come soon go first.
    chosen = min(good or whole, key=lambda cell: cell.processes if good else cell.p95_ms)
    others = ", ".join(
        f"{cell.processes}: {cell.requests_per_s:g} at {cell.p95_ms:g} ms" for cell in single if cell is not chosen
    )
    return chosen.processes, (
        f"{chosen.processes} of one instance: {chosen.requests_per_s:g} typical answers a second at a p95 of "
        f"{chosen.p95_ms:g} ms, with {chosen.cores['web']:.2f} cores of web processes ({others})"
    )


def measure(site: Site, people: Sequence[Person], *, matrix: Sequence[tuple[int, int]], seconds: int) -> list[Cell]:
    """Every load on every arrangement."""
    known = site.folder / "people.json"
    known.write_text(json.dumps([asdict(person) for person in people]))
    cells = []
    for processes, instances in matrix:
        with site.web(processes=processes, instances=instances) as web:
            for load, visitors in LOADS.items():
                said, cores = _visit(site, web, visitors, known, seconds)
                cells.append(cell_of(said, load=load, processes=processes, instances=instances, cores=cores))
                site.forget_queue()
                print(_line(cells[-1]), file=sys.stderr, flush=True)
    return cells


def _visit(
    site: Site, web: Sequence[Service], visitors: str, people: Path, seconds: int
) -> tuple[list[dict[str, Any]], dict[str, float]]:
    argv = [sys.executable, "-m", "locust", "-f", "bench/load/web_users.py", visitors, "--headless", "--json"]
    argv += ["--users", str(VISITORS), "--spawn-rate", str(VISITORS // _COME_S), "--reset-stats"]
    argv += ["--run-time", f"{_COME_S + seconds}s"]
    argv += ["--urls", *urls_of(web), "--people", str(people)]
    with (site.folder / "locust.log").open("wb") as log:
        locust = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=log)
        try:
            time.sleep(_COME_S + 1)
            trees = {"web": [each.process.pid for each in web], "database": [site.postgres.process.pid]}
            watch = CpuWatch({**trees, "visitors": [locust.pid]})
            time.sleep(seconds / 2)
            cores = watch.cores()
            said, _ = locust.communicate(timeout=seconds + 60)
        finally:
            locust.kill()
            locust.wait()
    if locust.returncode not in (0, 1):  # 1: some requests failed, which is a figure
        raise SystemExit(f"locust ended with {locust.returncode}:\n{(site.folder / 'locust.log').read_text()}")
    return json.loads(said), cores


def _line(cell: Cell) -> str:
    return (
        f"{cell.processes} x {cell.instances} {cell.load}: {cell.requests_per_s:g}/s, mean {cell.mean_ms:g} ms, "
        f"p95 {cell.p95_ms:g} ms, {cell.failures} failed, cores {cell.cores}"
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure, write and print; 1 when a request failed in the recommended arrangement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two arrangements for 4 s each, printed and not kept")
    reporting.add_switches(parser, "web_load")
    options = parser.parse_args(arguments)
    described, began = reporting.begin(options), time.monotonic()
    with open_site() as site:
        people = site.populate(people=PEOPLE, submissions=SUBMISSIONS // (10 if options.quick else 1))
        cells = measure(site, people, matrix=MATRIX[: 2 if options.quick else None], seconds=4 if options.quick else 10)
    processes, because = recommend(cells)
    report = {
        "machine": described,
        "took_s": round(time.monotonic() - began),
        "visitors": VISITORS,
        "people": PEOPLE,
        "submissions": SUBMISSIONS,
        "recommended_processes": processes,
        "because": because,
        "cells": [{**asdict(cell), "failures_pct": round(cell.failures_pct, 2)} for cell in cells],
    }
    if reporting.write(report, options) and reporting.is_committed(options):
        rewrite_page("e5-web-tier", web_figures(report))
    print(because)
    return int(any(c.failures for c in cells if (c.processes, c.instances) == (processes, 1)))


if __name__ == "__main__":
    sys.exit(main())
