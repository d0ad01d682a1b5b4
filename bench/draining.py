"""E6, the limit of grading: `python -m bench.draining [--quick]` measures, and writes bench/reports/draining.json.

How it works: in turns, a worker of one process drains a queue of programs that nobody sent before, and one process
grades as many of the same kind on the same core with nothing around the sandbox: no queue, no rows, no news. The first
needs longer; how much longer is what the queue costs. A full run takes less than two minutes.
"""

import argparse
import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

from bench import reporting
from bench.load.page import draining_figures, rewrite_page
from bench.load.programs_sent import Program, program
from bench.load.site import Site, open_site, wait_for
from web.operations.services import Service

AT_LEAST_PCT = 95
MIX = ("cpp", "python", "cpp", "python", "rust")
_ROUNDS, _A_ROUND = 4, 40
_LOOK_EVERY_S = 1.0  # each look takes CPU time that nobody takes while one process grades directly


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """The same number of programs drained from the queue and graded directly; seconds."""

    programs: int
    drained_s: float
    direct_s: float


def programs_of(count: int, mark: str) -> list[Program]:
    """So many, in the languages' mix, none of which was compiled before."""
    return [program(MIX[number % len(MIX)], mark=f"{mark} {number}") for number in range(count)]


def grade_directly(site: Site, programs: list[Program]) -> list[float]:
    """The seconds that each takes with nothing around the sandbox."""
    seconds: list[float] = json.loads(_with_programs(site, programs))
    return seconds


def drain(site: Site, worker: Service, programs: list[Program]) -> float:
    """Queue them and wait; the seconds between the first one's claim and the last one's verdict."""
    last: int = site.value("SELECT coalesce(max(id), 0) FROM judge_submission")
    _with_programs(site, programs, "submit")
    left = "SELECT count(*) FROM judge_submission WHERE status <> 'done'"
    wait_for(lambda: site.value(left) == 0, worker, look_every_s=_LOOK_EVERY_S)
    if site.value("SELECT count(*) FROM judge_submission WHERE id > %s AND verdict = 'AC'", last) != len(programs):
        raise SystemExit("not every program was accepted")
    took = "SELECT extract(epoch FROM max(finished_at) - min(started_at)) FROM judge_submission WHERE id > %s"
    return float(site.value(took, last))


def report_of(rounds: list[Round]) -> dict[str, Any]:
    """What follows from the rounds. The share is the median of the rounds': a round that was disturbed says nothing."""
    programs, drained_s = sum(each.programs for each in rounds), sum(each.drained_s for each in rounds)
    shares = [100 * each.direct_s / each.drained_s for each in rounds]
    return {
        "programs": programs,
        "processes": 1,
        "drained_s": round(drained_s, 2),
        "direct_s": round(sum(each.direct_s for each in rounds), 2),
        "of_machine_speed_pct": round(statistics.median(shares), 1),
        "at_least_pct": AT_LEAST_PCT,
        "submissions_per_core_and_hour": round(3_600 * programs / drained_s),
        "rounds": [asdict(each) for each in rounds],
    }


def measure(site: Site, *, rounds: int, a_round: int) -> list[Round]:
    """Drain and grade directly in turns, A B, B A."""
    found = []
    with site.worker() as worker:
        drain(site, worker, programs_of(len(MIX), "warm"))
        for number in range(rounds):
            queued, alone = programs_of(a_round, f"queued {number}"), programs_of(a_round, f"alone {number}")
            if number % 2:
                direct_s = sum(grade_directly(site, alone))
                drained_s = drain(site, worker, queued)
            else:
                drained_s = drain(site, worker, queued)
                direct_s = sum(grade_directly(site, alone))
            found.append(Round(programs=a_round, drained_s=round(drained_s, 3), direct_s=round(direct_s, 3)))
            print(found[-1], file=sys.stderr, flush=True)
    return found


def _with_programs(site: Site, programs: list[Program], *arguments: str) -> str:
    return site.tell(json.dumps([asdict(each) for each in programs]), "-m", "bench.load.grade_directly", *arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measure, write and print; 1 when the queue is drained too slowly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two rounds of ten, printed and not kept")
    reporting.add_switches(parser, "draining")
    options = parser.parse_args(arguments)
    described, began = reporting.begin(options), time.monotonic()
    with open_site() as site:
        site.populate(people=_A_ROUND, submissions=200)
        rounds = (
            measure(site, rounds=2, a_round=10) if options.quick else measure(site, rounds=_ROUNDS, a_round=_A_ROUND)
        )
    report = {"machine": described, "took_s": round(time.monotonic() - began), **report_of(rounds)}
    if reporting.write(report, options) and reporting.is_committed(options):
        rewrite_page("e6-limit", draining_figures(report))
    print(json.dumps(report, indent=1))
    return int(report["of_machine_speed_pct"] < AT_LEAST_PCT)


if __name__ == "__main__":
    sys.exit(main())
