"""E6, the limit of grading: `python -m bench.draining [--quick]` measures, and writes bench/reports/draining.json.

How it works: in turns, a worker of one process drains a queue of programs that nobody sent before, and one process
grades as many of the same kind on the same core with nothing around the sandbox: no queue, no rows, no news. The first
needs longer; how much longer is what the queue costs. A machine's speed changes within seconds, so there are many short
rounds, and the median of their shares counts. Nothing else is to run in either part: the worker is stopped while the
programs are queued, and the precompiled header is there before it starts. A full run takes about five minutes.
"""

import argparse
import json
import signal
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from bench import reporting
from bench.load.cputime import CpuWatch
from bench.load.page import draining_figures, rewrite_page
from bench.load.programs_sent import Program, program
from bench.load.site import Site, open_site, wait_for
from web.operations.services import Service

AT_LEAST_PCT = 95
MIX = ("cpp", "python", "cpp", "python", "rust")
_ROUNDS, _A_ROUND = 24, 15
_LOOK_EVERY_S = 1.0  # each look takes CPU time that nobody takes while one process grades directly


@dataclass(frozen=True, slots=True)
class Alone:
    """A program that was graded directly: wall time and CPU time."""

    took_s: float
    cpu_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """The same number of programs drained from the queue and graded directly; seconds.

    `cpu_s`: CPU time, "direct" and of the parts that drain: "worker" with its jails, "database", "broker".
    """

    programs: int
    drained_s: float
    direct_s: float
    cpu_s: Mapping[str, float]


def programs_of(count: int, mark: str) -> list[Program]:
    """So many, in the languages' mix, none of which was compiled before."""
    return [program(MIX[number % len(MIX)], mark=f"{mark} {number}") for number in range(count)]


def grade_directly(site: Site, programs: list[Program]) -> list[Alone]:
    """What each takes with nothing around the sandbox."""
    return [Alone(*seconds) for seconds in json.loads(_with_programs(site, programs))]


def drain(site: Site, worker: Service, programs: list[Program]) -> tuple[float, dict[str, float]]:
    """Queue them and wait; the seconds from the first one's claim to the last one's verdict, and CPU time by part."""
    last: int = site.value("SELECT coalesce(max(id), 0) FROM judge_submission")
    with _stopped(worker):
        _with_programs(site, programs, "submit")
        services = {"worker": worker, "database": site.postgres, "broker": site.redis}
        watch = CpuWatch({part: [service.process.pid] for part, service in services.items()})
    left = "SELECT count(*) FROM judge_submission WHERE status <> 'done'"
    wait_for(lambda: site.value(left) == 0, worker, look_every_s=_LOOK_EVERY_S)
    cpu_s = watch.used_s()
    if site.value("SELECT count(*) FROM judge_submission WHERE id > %s AND verdict = 'AC'", last) != len(programs):
        raise SystemExit("not every program was accepted")
    took = "SELECT extract(epoch FROM max(finished_at) - min(started_at)) FROM judge_submission WHERE id > %s"
    return float(site.value(took, last)), cpu_s


def report_of(rounds: list[Round]) -> dict[str, Any]:
    """What follows from the rounds. The share is the median of the rounds': a round that was disturbed says nothing."""
    programs, drained_s = sum(each.programs for each in rounds), sum(each.drained_s for each in rounds)
    shares = [100 * each.direct_s / each.drained_s for each in rounds]
    more_ms = [1_000 * (each.drained_s - each.direct_s) / each.programs for each in rounds]
    return {
        "programs": programs,
        "processes": 1,
        "drained_s": round(drained_s, 2),
        "direct_s": round(sum(each.direct_s for each in rounds), 2),
        "of_machine_speed_pct": round(statistics.median(shares), 1),
        "at_least_pct": AT_LEAST_PCT,
        "submissions_per_core_and_hour": round(3_600 * programs / drained_s),
        "more_ms": round(statistics.median(more_ms), 1),
        "cpu_ms": {
            part: round(statistics.median(1_000 * each.cpu_s[part] / each.programs for each in rounds), 1)
            for part in rounds[0].cpu_s
        },
        "rounds": [asdict(each) for each in rounds],
    }


def measure(site: Site, *, rounds: int, a_round: int) -> list[Round]:
    """Drain and grade directly in turns, A B, B A."""
    found = []
    site.run("-m", "judge.grading.compiling.precompiled_header", str(site.folder / "work"))
    with site.worker() as worker:
        drain(site, worker, programs_of(len(MIX), "warm"))
        for number in range(rounds):
            queued = programs_of(a_round, f"queued {number}")
            if number % 2:
                alone = _alone(site, a_round, number)
                drained_s, cpu_s = drain(site, worker, queued)
            else:
                drained_s, cpu_s = drain(site, worker, queued)
                alone = _alone(site, a_round, number)
            found.append(_round(alone, drained_s, cpu_s))
            print(found[-1], file=sys.stderr, flush=True)
    return found


def _alone(site: Site, count: int, number: int) -> list[Alone]:
    """What so many take that one process grades alone, after some of each language as the worker has had."""
    return grade_directly(site, programs_of(len(MIX) + count, f"alone {number}"))[len(MIX) :]


def _round(alone: list[Alone], drained_s: float, cpu_s: Mapping[str, float]) -> Round:
    spent_s = {"direct": sum(each.cpu_s for each in alone), **cpu_s}
    return Round(
        programs=len(alone),
        drained_s=round(drained_s, 3),
        direct_s=round(sum(each.took_s for each in alone), 3),
        cpu_s={part: round(seconds, 3) for part, seconds in spent_s.items()},
    )


@contextmanager
def _stopped(worker: Service) -> Iterator[None]:
    """The worker hands out nothing until the end of the `with`."""
    worker.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        worker.process.send_signal(signal.SIGCONT)


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
