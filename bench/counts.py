"""Measure the time from a verdict to the table of system calls by name, on an idle machine and under overload.

How it works: a Tally of its own (`load/site.py`) with one worker of one process. A program that writes to stderr piece
by piece makes findings depend on its calls by name, so that a rerun which counts them comes with its verdict. Idle: one
such program after the other. Under overload: every third program is such a one, the others add two numbers; each is
from another person and new to the judge, and they are sent at fixed times, 1.5 times as fast as the worker judged the
same kinds before. All times are the database's, from one row's end to the other's. Writes bench/reports/counts.json.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

from bench import reporting
from bench.jail.statistic import quantile
from bench.load.browser import Browser
from bench.load.programs_sent import Program, program
from bench.load.site import PROBLEM, Person, Site, open_site, wait_for
from web.operations.services import Service

MOST_IDLE_S, MOST_OVERLOADED_S = 1.0, 30.0  # half of the tables are there by then
_TIMES_TOO_FAST = 1.5
_EVERY = 3  # programs, one needs its calls counted
_PATIENCE_S = 300
_WRITES = """\
// {mark}
#include <iostream>
int main() {{
    long long a, b;
    std::cin >> a >> b;
    if (a > 2'000'000'000) for (int i = 0; i < 150'000; i++) std::cerr << i << '\\n';
    std::cout << a + b << std::endl;
}}
"""
_RERUNS = "SELECT count(*) FROM judge_caserequest WHERE status <> 'done'"
_UNJUDGED = "SELECT count(*) FROM judge_submission WHERE status <> 'done'"
_TABLES = """
SELECT coalesce(json_agg(extract(epoch FROM request.finished_at - submission.finished_at)), '[]')
  FROM judge_caserequest request
  JOIN judge_testcaseresult result ON result.id = request.result_id AND result.submission_id = request.submission_id
  JOIN judge_submission submission ON submission.id = request.submission_id
 WHERE request.examination = 'profile' AND request.is_automatic AND result.profile IS NOT NULL AND submission.id > %s
"""
_VERDICTS = """
SELECT coalesce(json_agg(extract(epoch FROM finished_at - created_at)), '[]') FROM judge_submission
 WHERE id > %s AND verdict = 'AC'
"""
_JUDGED_S = "SELECT avg(extract(epoch FROM finished_at - started_at))::float8 FROM judge_submission WHERE id > %s"


def program_of(number: int, mark: str) -> Program:
    """The program at this place: one that needs its calls counted, or one that adds two numbers."""
    unique = f"{mark} {number}"
    if number % _EVERY:
        return program("cpp", mark=unique)
    return Program(language="cpp", source=_WRITES.format(mark=unique))


def idle(site: Site, url: str, person: Person, worker: Service, programs: int) -> dict[str, Any]:
    """Send programs that need their calls counted, each when nothing of the one before is left."""
    last = _newest(site)
    for number in range(programs):
        _send(url, person, program_of(number * _EVERY, "idle"))
        _wait(site, worker)
    return _figures(site, last, programs)


def overloaded(site: Site, url: str, people: Sequence[Person], worker: Service) -> dict[str, Any]:
    """Send a program for each of these people, faster than the worker can judge them."""
    last = _newest(site)
    for number in range(_EVERY):
        _send(url, people[0], program_of(number, "pace"))
        _wait(site, worker)
    every_s, last = float(site.value(_JUDGED_S, last)) / _TIMES_TOO_FAST, _newest(site)
    began, longest = time.monotonic(), 0
    for number, person in enumerate(people):
        time.sleep(max(0.0, began + number * every_s - time.monotonic()))
        _send(url, person, program_of(number, "overload"))
        longest = max(longest, site.value(_UNJUDGED))
    sent_s = time.monotonic() - began
    _wait(site, worker)
    counted = len(range(0, len(people), _EVERY))
    return {
        "sent": len(people),
        "one_every_s": round(every_s, 3),
        "sent_within_s": round(sent_s, 1),
        "longest_queue": longest,
        **_figures(site, last, counted),
    }


def _send(url: str, person: Person, sent: Program) -> None:
    browser = Browser(url, {"sessionid": person.session, "csrftoken": person.token})
    browser.submit(PROBLEM, sent.language, sent.source)
    browser.leave()


def _wait(site: Site, worker: Service) -> None:
    """Until all is judged and counted, and every other rerun that it suggested is over, too."""
    wait_for(
        lambda: not site.value(_UNJUDGED) and not site.value(_RERUNS),
        worker,
        patience_s=_PATIENCE_S,
        look_every_s=0.2,
    )


def _newest(site: Site) -> int:
    return int(site.value("SELECT coalesce(max(id), 0) FROM judge_submission"))


def _figures(site: Site, last: int, counted: int) -> dict[str, Any]:
    """What became of the submissions after this one. Raises SystemExit where a table is missing."""
    tables, verdicts = site.value(_TABLES, last), site.value(_VERDICTS, last)
    if len(tables) != counted:
        raise SystemExit(f"{len(tables)} of {counted} programs had their calls counted")
    return {
        "counted": counted,
        "verdict_to_table_s_p50": round(statistics.median(tables), 3),
        "verdict_to_table_s_p95": round(quantile(tables, 0.95), 3),
        "submit_to_verdict_s_p50": round(statistics.median(verdicts), 3),
        "submit_to_verdict_s_p95": round(quantile(verdicts, 0.95), 3),
    }


def main() -> int:
    """Measure, print and write the report; 1 when tables come later than they may."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="five programs, then 15; printed and not kept")
    reporting.add_switches(parser, "counts")
    options = parser.parse_args()
    machine = reporting.begin(options)
    alone, crowd = (5, 15) if options.quick else (12, 60)
    with open_site() as site:
        people = site.populate(people=crowd, submissions=crowd)
        with site.web() as (web,), site.worker() as worker:
            idle(site, web.url, people[0], worker, 2)  # warm
            found = idle(site, web.url, people[0], worker, alone)
            crowded = overloaded(site, web.url, people, worker)
    report = {
        "machine": machine,
        "problem": PROBLEM,
        "most_idle_s_p50": MOST_IDLE_S,
        "most_overloaded_s_p50": MOST_OVERLOADED_S,
        "is_met": found["verdict_to_table_s_p50"] <= MOST_IDLE_S
        and crowded["verdict_to_table_s_p50"] <= MOST_OVERLOADED_S,
        "idle": found,
        "overloaded": crowded,
    }
    reporting.write(report, options)
    print(json.dumps(report, indent=1))
    return 0 if report["is_met"] else 1


if __name__ == "__main__":
    sys.exit(main())
