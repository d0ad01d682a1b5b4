"""Measure what a jail adds: `python bench/sandbox.py [--json] [--rounds N] [--quick]`, in one run with bare execution.

Needs root and g++. A full run takes about ten minutes, a quick one about one; other load makes the figures worthless.
With --json each figure is a key with a number (null: could not be measured); "figures" has their spread and bars,
"fidelity" one entry for each CPU-bound program under each condition. The exit code is 0 whatever the figures are.

    per_case_over_bare_ms_p50        wall of one more case in an open jail, less fork, exec and wait of a bare runner
    python_over_bare_ms_p50          the same for a Python program of one line
    oversubscribed_over_bare_ms_p50  the first one again, with a busy loop on every core
    open_jail_ms_p50                 opening a jail until it can take the first case
    open_jail_cpu_ms_p50             CPU time of opening and closing it, of the host's process, nsjail and the init
    writes_500k_ratio                CPU time of 500,000 writes of 7 bytes, jailed over bare
    profile_writes_500k_ratio        the same under the meter
    meter_attach_ms_p50, meter_detach_ms_p50
    cpu_bound_ratio                  CPU time of programs that only compute, jailed over bare, median of all pairs
    cpu_time_error_pct               the largest difference of their medians, of all programs under all conditions
    cpu_spread_ratio                 mean (p95 - p5) / median of their CPU time, jailed over bare
"""

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: Python looks for what it imports in the file's folder, not in ours
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench import machine, reporting
from bench.jail.fidelity import Fidelity, fidelity_of, table_rows as fidelity_rows
from bench.jail.figures import Figure, figures_of, table_rows as figure_rows
from bench.jail.measuring import measure
from bench.jail.page import rewrite_page

WORK_ROOT = Path("/var/lib/tally/bench")
FULL = (16, 1_000)  # rounds, and the work of CPU-bound programs in thousandths of a second or so
QUICK = (5, 200)


def report_as_json(described: dict[str, object], rounds: int, found: list[Figure], bound: list[Fidelity]) -> Any:
    """The report for scripts."""
    return {
        "machine": described,
        "rounds": rounds,
        **{figure.name: _rounded(figure.value) for figure in found},
        "figures": {
            figure.name: {key: _rounded(value) for key, value in dataclasses.asdict(figure).items() if key != "name"}
            for figure in found
        },
        "fidelity": [{key: _rounded(value) for key, value in dataclasses.asdict(each).items()} for each in bound],
    }


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value


def _align(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--quick", action="store_true", help="fewer rounds of shorter programs: rough figures")
    parser.add_argument("--rounds", type=int, help=f"how often (default: {FULL[0]}, with --quick {QUICK[0]})")
    parser.add_argument("--work", type=int, help="thousandths of a second that CPU-bound programs compute, or so")
    parser.add_argument("--work-dir", type=Path, default=WORK_ROOT, help="folder for jails (default: %(default)s)")
    reporting.add_switches(parser, "sandbox")
    options = parser.parse_args(arguments)
    rounds, work = (
        given or usual
        for given, usual in zip((options.rounds, options.work), QUICK if options.quick else FULL, strict=True)
    )
    if rounds < 1 or work < 1:
        parser.error("rounds and work must be 1 at least")
    described = reporting.begin(options)
    samples = measure(options.work_dir, rounds, work)
    bound = [fidelity_of(series) for series in samples.bound]
    found = figures_of(samples, bound)
    report = report_as_json(described, rounds, found, bound)
    if (rounds, work) == FULL and reporting.write(report, options) and reporting.is_committed(options):
        rewrite_page(report)
    if options.json:
        print(json.dumps(report, indent=2))
        return
    print(machine.in_words(described), _align(figure_rows(found)), _align(fidelity_rows(bound)), sep="\n\n")
    if samples.meter_problem:
        print(f"\nthe meter: {samples.meter_problem}")


if __name__ == "__main__":
    main()
