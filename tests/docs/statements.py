"""What the statements with numbers rest on: phrases of documents, filled with what the code or the latest report says.

A phrase is made of the value, so it changes with it, and `tests.docs.test_statements` looks for it in its page. Who
writes a number into a page adds its phrase here, with where the number comes from:

    a report    of `bench/reports`, by `report`
    a constant  of the code, a setting or the text of a file that is no Python
    arithmetic  of such values
    others      what somebody else measured: `_PUBLISHED`; or an example of what Tally says: `_EXAMPLES`
"""

import inspect
import json
import re
from pathlib import Path
from typing import Any

import uvicorn
import yaml
from allauth.account import app_settings as accounts
from django.conf import settings

from bench import deadline, draining, latency, real_tle, rows, same, slots
from judge import retention
from judge.experiments import interleaving
from judge.grading import bounded, case_ending, margin, sameness
from judge.grading.compiling.compilation import compile_limits
from judge.grading.experiment import checks, engine
from judge.grading.explain.evidence import facts, growth, laws, quiet
from judge.grading.explain.rules import extra_output, waiting
from judge.grading.explain.rules.own_time import (
    collisions,
    computing,
    growing_time,
    growing_work,
    hot_lines,
    memory,
    piecework,
    recursions,
    slow_start,
)
from judge.grading.languages import LANGUAGES
from judge.grading.languages.cpython import CPYTHON
from judge.grading.measures import Kind
from judge.grading.near_limit import NEAR_PERCENT, OVER_PERCENT, OVERRUN_PERCENT
from judge.grading.reruns import counts, endless, growth_runs, line_costs, line_times, timeline, variants
from judge.grading.running import execution
from judge.grading.verification import generated
from judge.models import ExplanationLevel
from judge.models.assignments import KEPT_FOR
from judge.queue import fairness, leases
from judge.submissions.class_view import MOST_SUBMISSIONS
from judge.submissions.comparisons import MOST_LINKS
from judge.uploads import caps
from judge.workers import turns
from problems.format.limits import MOST_TIME_LIMIT_S
from problems.package import ProblemLimits
from sandbox import patience
from sandbox.doctor import health, overhead
from sandbox.jail import pair
from sandbox.meter import python_frames, sampler
from sandbox.passes import rules
from sandbox.types import MIB, Limits
from tests.faults.leftovers import PATIENCE_S
from tests.faults.trial import WITHIN_S
from tests.sandbox.meter.test_memory import WITHIN_PERCENT
from web.access import rounding
from web.forms import assignments, people
from web.server import body_limit, db_pool, slow_heads
from web.settings.connections import MAIL_TIMEOUT_S

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "judge/grading/experiment/library"


def report(name: str) -> dict[str, Any]:
    """Return the latest report of a bench."""
    found: dict[str, Any] = json.loads((ROOT / f"bench/reports/{name}.json").read_text())
    return found


def number_in(path: Path, pattern: str) -> float:
    """Return the number that a file that is not imported gives to a name."""
    found = re.search(pattern, path.read_text())
    assert found, (path, pattern)
    return float(found[1])


LINE_TIMES, LATENCY = report("line_times"), report("latency")
SANDBOX = report("sandbox")
DRAINING, DEADLINE, PAGES, ROWS = report("draining"), report("deadline"), report("web_load"), report("rows")
_PER_HOUR: int = DRAINING["submissions_per_core_and_hour"]
_WEB, _DATABASE = (DEADLINE["cores_while_sending"][part] for part in ("web", "database"))
_RATE: float = DEADLINE["submissions"] / DEADLINE["seconds"]
_GRADED_MS: float = DRAINING["cpu_ms"]["database"]
_TYPICAL = next(
    cell
    for cell in PAGES["cells"]
    if (cell["load"], cell["processes"], cell["instances"]) == ("typical", PAGES["recommended_processes"], 1)
)
_COMPILED_MS = {"c++": LATENCY["figures"]["cpp"][1]["p50_ms"], "python": LATENCY["figures"]["python"][1]["p50_ms"]}
_TABLES = {table["table"]: table for table in ROWS["database"]["tables"]}


def _row_bytes(table: str) -> float:
    found = _TABLES[table]
    return float(found["table_bytes"] + found["index_bytes"]) / int(found["rows"])


_SAVED = ROWS["backup_and_restore"]
_SUBMISSION_BYTES, _CASE_BYTES = _row_bytes("judge_submission"), _row_bytes("judge_testcaseresult")
_SAMPLE_MS = {
    yaml.safe_load((LIBRARY / name / "experiment.yaml").read_text())["settings"]["sample_ms"]
    for name in ("e3-logging", "e4-threads-processes-loop")
}
_LOOK_MS = number_in(ROOT / "sandbox/native/init/watch.c", r"LOOK_EVERY_MS = (\d+)")
_E3 = LIBRARY / "e3-logging/logging_server.py"
_KEEP_S, _GATHER_S = (number_in(_E3, rf"{name} = ([\d.]+)") for name in ("KEEP_S", "GATHER_S"))
_SERVICE_S = number_in(LIBRARY / "e4-threads-processes-loop/waits.py", r"SERVICE_S = ([\d.]+)")
_OVERHEAD_S = number_in(ROOT / "setup/alerts.yml", r"tally_worker_overhead_seconds\) > ([\d.]+)")
_KEEP_ALIVE_S = inspect.signature(uvicorn.Config).parameters["timeout_keep_alive"].default
_LINES = int((ROOT / "problems/library/countton/data/secret/05-large.in").read_text())
_PRINTED_BYTES = sum(len(str(line)) + 1 for line in range(1, _LINES + 1))
_FEW_BYTES = (ROOT / "problems/library/fewwrites/data/secret/05-largest.ans").stat().st_size
_LETTERS = 300_000

_COMPILER = compile_limits(ProblemLimits(time_limit_ms=1_000, memory_bytes=1 << 28, output_bytes=1 << 20))
_PROGRAMS = number_in(ROOT / "tests/explain/REPORT.md", r"`make test-explain`: (\d+) programs")
_LABELLED = f"{_PROGRAMS:g} labelled programs"
_E2 = {
    (cell["variant"], cell["destination"]): cell["estimates"]["write_calls"]["median"]
    for cell in report("experiments")["e2-line-buffered-stdout"]["cells"]
}
_RUN_S, _WAITING_S = checks.CPU_TIME_MS[1] // 1_000, engine._MOST_WAITING_MS // 1_000
_ROUNDED = f"{rounding.LEAST_TIME_US // 1_000} ms"
_OF_A_PAGE: float = _TYPICAL["cores"]["web"]
_PAGES_PER_S: float = _TYPICAL["requests_per_s"]
_OF_TIMES, _OF_MEMORY, _OF_SWITCHES = (sameness.NOISE[kind] for kind in (Kind.TIME, Kind.MEMORY, Kind.SWITCHES))
_LEAST_DIFFERENCE = f"{(sameness.LEAST_RATIO - 1) * 100:.0f} %"
_MOST = f"{MOST_TIME_LIMIT_S} s"

assert f"{overhead.USUAL_WALL_US / 1e6:g}" == f"{_OVERHEAD_S:g}"
assert accounts.RATE_LIMITS["login_failed"].endswith(",5/300s/key")
assert accounts.RATE_LIMITS["confirm_email"] == "1/180s/key"


def _limits(limits: Limits) -> str:
    return (
        f"{limits.cpu_time_ms // 1_000} s of CPU time, {limits.wall_time_ms // 1_000} s of wall time, "
        f"{_size(limits.memory_bytes)} of memory, {limits.output_bytes // MIB} MiB of output"
    )


def _size(number: int) -> str:
    return f"{number // MIB} MiB" if number < 1 << 30 else f"{number >> 30} GiB"


_PUBLISHED = {
    "docs/experiments.md": (  # by the authors whose experiments E5 and E6 repeat
        "(mean 6.5 ms, p95 12), and three instances with four workers each 305 with 6 % failures",
        "one worker served 2.2 a second with 24 % failures, and twelve served 22.3",
        "The published experiment sent 50 requests a second for 30 s, with five increasing amounts of work. With the "
        "work in the request, p95 was 30 ms, 4.1 s, 6.3 s, 12.2 s and 25.2 s, throughput 50, 22, 14, 8 and 3 a second, "
        "and 0, 47, 66, 80 and 89 % were dropped. With the work handed to another service, p95 was 11 to 18 ms, "
        "throughput 50 a second and 0 % dropped",
        "at 50 requests a second a grading of 40 ms already takes two cores",
    ),
}
_EXAMPLES = {
    "docs/explain.md": (
        '"Line 14 took 83 % of 2.1 s of CPU time"',
        '"Without line 5 the output is right on 9 of 11 test cases"',
    ),
    "docs/operations.md": ("a time limit of 2 s costs as much as ten quick submissions",),
}
_TIED: dict[str, tuple[str, ...]] = {
    "README.md": (_LABELLED,),
    "bench/README.md": (
        f"at most {latency.MOST_MS:g} ms besides compiling and running",
        f"at most {latency.MOST_PCT_OF_BEFORE} % of what it was",
        f"at least {draining.AT_LEAST_PCT} %",
        f"at least {slots.AT_LEAST_PCT} % with a pass for each submission; 500,000 writes at most {slots.MOST_TAX} of",
        f"at least {real_tle.NAMED_PCT} % with a named cause",
        f"nine of ten places and waits within {100 * deadline.WITHIN:g} % of what came",
        f"p95 below {deadline.MOST_OF_IDLE} times its idle value",
        f"p95 of each page at most {rows.BAR_MS:g} ms",
        "the true exponent in the interval of at least 95 %",
        f"no more than chance explains at the {100 * sameness.MISS:g} % that the rule states",
    ),
    "docs/alerts.md": (
        f"adds more than {_OVERHEAD_S * 1_000:g} ms to each run",
        f"checks the health of its host every {settings.PROBE_EVERY_S} s",
        f"at most {health.FULL_PERCENT} % of",
        f"stuck for {health.HANGS_S:g} s in",
    ),
    "docs/experiments.md": (
        f"makes {_E2['python-print', 'file']} writes to a file and {_E2['python-print', 'terminal']:,} to a terminal",
        f"confidence interval of at least {sameness.CONFIDENCE_PERCENT} %",
        f"differ by less than {_LEAST_DIFFERENCE} never count",
        f"it takes {_KEEP_S * 1_000:g} ms for each message",
        f"takes {_SERVICE_S * 1_000:g} ms per request",
        f"p95 stays below {deadline.MOST_OF_IDLE} times its idle value",
        f"A run may wait for {_WAITING_S} s.** It has at most {_RUN_S} s of CPU time and {_WAITING_S} s more of "
        "wall time",
        *(f"sample every variant every {each} ms" for each in _SAMPLE_MS),
    ),
    "docs/explain.md": (
        f"grades {_LABELLED}",
        f"A run has up to {counts.LONGEST_MS // 1_000} s of CPU",
        f"After {counts.MOST_S:g} s no further run is started. The longest",
        f"within {100 * laws.STEADY:g} %",
        f"with up to {laws.BEYOND} times the largest size",
        f"at least {facts.MANY_CALLS:,} writes of at most",
        f"at least {facts.MANY_CALLS:,} small calls",
        f"may have cost more than {computing._CALLS_SHARE} % of the CPU time",
        f"accepted in less than {facts._NOTICEABLE_US / 1e6:g} s",
        f"at least {facts.MANY_CALLS:,} writes, most of them",
        f"after {rules.PASS_S:g} s, computing or waiting",
        f"otherwise after {rules.LONG_PASS_S:g} s",
        f"with the same line {extra_output._MANY_LINES:,} times or more in a row",
        f"with {bounded._SOURCE_LIMITS.cpu_time_ms // 1_000} s of CPU time and",
        f"at least {LANGUAGES['cpp'].costs.call_percent} % of the CPU time (in Python "
        f"{LANGUAGES['python'].costs.call_percent} %",
        f"for at least {waiting._LONG_US / 1e6:g} s and half of the wall time",
        f"at least {computing._OWN_SHARE} % of the CPU time outside the kernel, at most {computing._CALLS_SHARE} % for "
        f"read and write calls in it, and at most {computing._HANDLING_SHARE} % possibly",
        f"at most {quiet._HANDLING_SHARE} % of the time possibly",
        f"took at least {slow_start._LONG_US / 1e6:g} s and half of the CPU time",
        f"is at least {piecework._SHARE} % of the CPU time",
        f"at least {recursions._OWN_SHARE} % of the CPU time outside",
        f"at least {growing_work._MANY:,} values; so many lookups could have taken all of the time at the most that "
        f"one costs, and take at least {growing_work._LEAST_SHARE} % of it",
        f"in pieces of {CPYTHON.frames_bytes // 1_024} KiB, each from a call of its own (mmap): at least "
        f"{recursions._MANY_PIECES} of them",
        f"work on these pages is at least {recursions._SHARE} % of the CPU time",
        f"at least {collisions._MANY:,} values took {collisions._LONG_NS // 1_000} us or more there",
        f"took at least {hot_lines._LONG_NS[True] // 1_000} us each time in Python, "
        f"{hot_lines._LONG_NS[False] / 1_000:g} us in C++ and Rust",
        f"its stack of {CPYTHON.stack_bytes >> 20} MiB",
        f"which took at least {memory._SHARE} % of the CPU time",
        f"An accepted run of less than {facts._NOTICEABLE_US / 1e6:g} s gets no advice",
        f"took at least {growth.LEAST_TIME_US / 1e3:g} ms, a quarter",
        "its interval is Sen's (at least 95 %)",
        f"took longer than {growth._ABOVE:g} times what the interval allows",
        f"at most {growing_time._BEYOND} times as large as the largest",
        f"After {variants._MOST_S:g} s no further run",
        f"Each of two tries takes at most {endless.MOST_SEARCHED_MS / 1_000:g} s.",
        f"{margin.RUNS} times, and the slowest run times {margin.MARGIN}",
        f"up to {growth_runs.MOST_BETWEEN} sizes between",
        f"may take ten times the time limit (at most {execution._LONGEST_MS / 1_000:g} s, or half more than the limit)",
        f"on {growth_runs.MOST_OWN} at most",
        f"An input is run {growth_runs._ROUNDS} times at most, until they took "
        f"{growth_runs._ENOUGH_US / 1e6:g} s together",
        f"After {growth_runs.MOST_S:g} s no further of these runs",
        f"the same in {LINE_TIMES['same_hottest']} of {LINE_TIMES['programs_in_all']} programs, and in "
        f"{LINE_TIMES['within_5_points']} of {LINE_TIMES['programs_in_all']} its share",
        f"at most every {timeline._SHORTEST_MS} ms",
        f"within {NEAR_PERCENT} % of the limit",
        f"Over the limit by at most {OVER_PERCENT} %**",
        f"goes on until {100 + OVERRUN_PERCENT} % of the limit",
        f"slowest case within {NEAR_PERCENT} %**",
        f"times: by at least {100 * _OF_TIMES.share:g} % of the larger and {_OF_TIMES.least // 1_000} ms; peak memory: "
        f"{100 * _OF_MEMORY.share:g} % and {_OF_MEMORY.least // 1024} KiB; context switches and page faults: "
        f"{100 * _OF_SWITCHES.share:g} % and {_OF_SWITCHES.least}",
        f"with at least {sameness.CONFIDENCE_PERCENT} % confidence",
        f"all of it lies within {_LEAST_DIFFERENCE} of 1",
        f"can differ by up to {_LEAST_DIFFERENCE} in every run",
        f"ten times the limit, at most {interleaving._LONGEST_MS / 1_000:g} s or half more than the limit",
        same.figures(report("same")),
    ),
    "docs/operations.md": (
        f"within {slow_heads.GRACE_S:g} s (and hold",
        f"A body has {body_limit.GRACE_S:g} s plus one second per received KiB, but never more than "
        f"{body_limit.MOST_GRACE_S:g} s without data",
        f"an idle connection after {_KEEP_ALIVE_S} s",
        f"is silent in it for {db_pool.IDLE_S} s",
        f"notice by TCP within {db_pool.GONE_S} s",
        f"waits for an answer for {db_pool.ANSWER_S:g} s at most",
        f"never waits longer than {retention.LOCK_TIMEOUT_MS / 1_000:g} s for a lock",
        f"{round(_PER_HOUR, -3):,} submissions an hour, about {round(3_600_000 / _PER_HOUR, -1):g} ms each",
        f"{round(_RATE / _WEB, -1):g} submissions a second | … : {_RATE:.0f} a second keep {_WEB:.2f} of a core of web",
        f"{round(_RATE / _DATABASE, -1):g} submissions a second | … : {_RATE:.0f} a second keep {_DATABASE:.2f} of a "
        "core busy",
        f"{round(1_000 / _GRADED_MS, -1):g} submissions a second | … : {_GRADED_MS:g} ms of CPU time each",
        f"{_PAGES_PER_S / _OF_A_PAGE:.0f} a second | … : {_PAGES_PER_S:.0f} typical pages a second keep "
        f"{_OF_A_PAGE:.2f} of a core of web processes busy, p95 {_TYPICAL['p95_ms']:.0f} ms",
        f"are {round(1_000_000 / 24, -2):,.0f} an hour on average, which takes {1_000_000 / 24 / _PER_HOUR:.1f} "
        "grading cores",
        f"(of a short program {_COMPILED_MS['c++'] / 1_000:.2f} s in C++, "
        f"{_COMPILED_MS['python'] / 1_000:.2f} s in Python)",
        f"about {5 * round(max(LATENCY['neither_compile_nor_run_ms_p50'].values()) / 5)} ms for everything else",
        f"takes {_SUBMISSION_BYTES / 1_000:.1f} KB with its indexes, and {_CASE_BYTES / 1_000:.1f} KB more per test "
        f"case. A million submissions with ten cases each take {(_SUBMISSION_BYTES + 10 * _CASE_BYTES) / 1_000:.0f} GB",
        f"stays below {-(-ROWS['worst_p95_ms'] // 10) * 10:g} ms at p95",
        f"(a database of {_SAVED['database_bytes'] / 1e9:.0f} GB) took {_SAVED['backup_s'] / 60:.0f} minutes and "
        f"{_SAVED['dump_bytes'] / 1e9:.1f} GB on a busy machine, restoring it {_SAVED['restore_s'] / 60:.0f} minutes",
    ),
    "docs/packages.md": (
        f"limit over {_MOST} | an error; the limit becomes {_MOST} | {_MOST} is",
        f"at most {generated.LONGEST_MS // 1_000} s of CPU time",
        f"refused ones do not count | {caps.MOST_UNDECIDED} |",
        f"packages in an archive of a set | {caps.MOST_UNDECIDED} |",
        f"as soon as there are two | {caps.MOST_UNDECIDED_BYTES // caps.GIB} GiB |",
        f"their size together | {settings.DATA_UPLOAD_MAX_NUMBER_FILES}, {settings.MAX_PACKAGE_BYTES // MIB} MiB",
        f"is discarded after {caps.UNDECIDED_FOR.days} days",
        f"is discarded after {caps.REFUSED_FOR.total_seconds() / 3_600:g} hours",
    ),
    "docs/queue.md": (
        f"for {fairness.LOOK_EVERY_S * 1_000:g} ms of quicker ones",
        f"once they have waited for {fairness.COUNTS_WAIT.seconds} s",
        f"A run takes {(checks.CPU_TIME_MS[1] + engine._MOST_WAITING_MS) // 1_000} s at most",
        f"goes on with what goes first for {turns.STRETCH_S:g} s",
        f"as a whole {leases.POSTPONED_S} s later",
        f"The second thread begins {turns.DELAY_S * 1_000:g} ms after the grading ended",
    ),
    "docs/sandbox-design.md": (
        f"exact within {WITHIN_PERCENT} % + 1 MiB",
        f"two fifths above the CPU limit ({_COMPILER.wall_time_ms // 1_000} s)",
        f"on a machine {_COMPILER.wall_time_ms // 1_000} times oversubscribed",
    ),
    "docs/security.md": (
        f'never finer than {rounding.LEAST_TIME_US // 1_000} ms | below {rounding.LEAST_TIME_US // 1_000} ms "under '
        f'{rounding.LEAST_TIME_US // 1_000} ms"',
        f"at most eight, each with at least {rounding.LEAST_SHARE * 100:g} % of all",
        f"at most eight lines, each with at least {rounding.LEAST_SHARE * 100:g} % of all",
        f"with {bounded._SOURCE_LIMITS.cpu_time_ms // 1_000} s of CPU time",
        f"| {_limits(bounded._SOURCE_LIMITS)} |",
        f"the last {case_ending._TAIL_BYTES >> 10} KiB | the bounded reader | {_limits(bounded._STDERR_LIMITS)} |",
        f"| {line_times._READER_LIMITS.cpu_time_ms // 1_000} s of CPU time (writes and ends: "
        f"{line_costs.READER_LIMITS.cpu_time_ms // 1_000} s), {line_times._READER_LIMITS.memory_bytes >> 30} GiB, "
        f"{line_times._READER_LIMITS.output_bytes // MIB} MiB |",
        f"at most {python_frames._MOST_BYTES_OF_SAMPLE >> 10} KiB for each sample and "
        f"{python_frames._MOST_TABLES // MIB} MiB of line tables",
        f"| {sampler._MEMORY_BYTES // MIB} MiB of address space, {sampler.MOST_KEPT_BYTES // MIB} MiB of samples |",
    ),
    "docs/settings.md": (
        f"does not answer within {MAIL_TIMEOUT_S} s",
        "5 in 5 minutes per account",
        "once in 3 minutes",
        f"retry it every {leases.POSTPONED_S} s",
    ),
    "docs/teachers.md": (
        f"one to {assignments._MOST_PROBLEMS} problems",
        f"| problems of an assignment | {assignments._MOST_PROBLEMS} |",
        f"as many accounts as you say, {people.MOST_USES:,} at most",
        f"as many days as you say, {people.MOST_DAYS} at most",
        f"| accounts of an invitation, and its days | {people.MOST_USES:,} and {people.MOST_DAYS} |",
        f"brought back for {KEPT_FOR.days} days",
        f"the newest {MOST_SUBMISSIONS:,} submissions of each problem",
        f"| {caps.MOST_UNDECIDED}, and {caps.MOST_UNDECIDED_BYTES // caps.GIB} GiB unpacked; discarded after "
        f"{caps.UNDECIDED_FOR.days} days, refused ones after {caps.REFUSED_FOR.total_seconds() / 3_600:g} hours |",
        f"that wait or run | {settings.MAX_IN_FLIGHT_PER_USER} (",
        f"that are shared | {MOST_LINKS} |",
        *(f"| {level.label} " for level in (ExplanationLevel.NOTHING, ExplanationLevel.CAUSE, ExplanationLevel.LINE)),
    ),
    "judge/grading/experiment/library/e2-line-buffered-stdout/experiment.yaml": (
        f"makes {_E2['rust-println', 'file']:,} writes to a file",
    ),
    "judge/grading/experiment/library/e3-logging/experiment.yaml": (
        f"all that came in {_GATHER_S * 1_000:g} ms over",
        f"sends them every {_GATHER_S * 1_000:g} ms;",
    ),
    "problems/library/countton/statement/problem.en.md": (f"has about {_PRINTED_BYTES / 1e6:.0f} MB",),
    "problems/library/countton/statement/problem.ko.md": (f"출력은 약 {_PRINTED_BYTES / 1e6:.0f} MB입니다",),
    "problems/library/fewwrites/statement/problem.en.md": (f"has about {_FEW_BYTES / 1e3:.0f} KB",),
    "problems/library/fewwrites/statement/problem.ko.md": (f"출력은 약 {_FEW_BYTES / 1e3:.0f} KB입니다",),
    "problems/library/sensorrecords/statement/problem.en.md": (f"Six million 64-bit numbers take {6 * 8} MB",),
    "problems/library/sensorrecords/statement/problem.ko.md": (
        f"64비트 수 600만 개는 C++와 Rust에서 {6 * 8} MB를 차지하고",
    ),
    "problems/library/shunting/statement/problem.en.md": (f"up to {_LETTERS**2 / 2 / 1e9:.0f} GB in memory",),
    "problems/library/shunting/statement/problem.ko.md": (f"메모리에서 최대 {_LETTERS**2 / 2 / 1e9:.0f} GB를 복사",),
    "sandbox/README.md": (
        f"{SANDBOX['figures']['writes_500k_ratio']['meaning'].removeprefix('CPU time of ')} of 7 bytes to a file",
        f"checked every {_LOOK_MS:g} ms",
        f"at least every {_LOOK_MS:g} ms",
        f"A check that is {patience.GAP_US / 1_000:g} ms late",
        f"at most {100 * rules.FULL_SHARE:g} % of the host's time, or earlier if",
        f"rounds take at most {100 * rules.SPARSE_SHARE:g} % of it",
        f"at first {rules.FIRST_DRAIN_S:g} s;",
        f"up to {rules.LONGEST_DRAIN_S:g} s, beyond that after {rules.PATIENCE_S:g} s",
        f"is cut** after {rules.PASS_S:g} s of wall time",
        f"in any case after {rules.LONG_PASS_S:g} s",
        f"a pass is over {rules.PASS_S + rules.END_S:g} s after it began or they began to wait, whichever is earlier",
        f"for a part of the {rules.PASS_S:g} s already; the pass gets at least {rules.LEAST_PASS_S:g} s",
        f"for more than about {rules.LONGEST_DRAIN_S + rules.LEAST_PASS_S + rules.END_S:g} s, "
        f"but for the drains after {rules.PATIENCE_S:g} s",
        f"within {2 * pair._LOOK_S * 1_000:g} ms: the side's",
    ),
    "tests/faults/README.md": (
        f"within {WITHIN_S // 60} minutes of the fault's end; and {PATIENCE_S} s after the last verdict",
    ),
}
PHRASES = {
    page: (*_TIED.get(page, ()), *_PUBLISHED.get(page, ()), *_EXAMPLES.get(page, ()))
    for page in sorted({*_TIED, *_PUBLISHED, *_EXAMPLES})
}
