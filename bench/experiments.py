"""The ready experiments from the command line: `python -m bench.experiments [--json] [--only e1] [--rounds N]`.

Runs E1 to E4 in real jails, as the experiments page does, and writes bench/reports/experiments.json and the figures in
docs/experiments.md. With --only the other experiments keep what was measured before. Needs root, g++ and rustc; a full
run takes two to three minutes, and other load makes the figures worthless. The exit code is 1 when a claim of E1, E2 or
E4 came out reversed.
"""

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench import machine, reporting
from bench.experiment.latencies import LOGGING, latencies_of
from bench.experiment.page import with_figures
from bench.experiment.report import Measured, outcome_lines, report_of
from judge.grading.experiment.engine import run_experiment
from judge.grading.experiment.library import ready_experiments
from judge.grading.experiment.results import Outcome, RunMeasured, VariantFailed, summarise
from judge.grading.experiment.spec import ExperimentSpec
from sandbox.jail.nsjail import NsjailSandbox

ROOT = Path(__file__).resolve().parent.parent
REPORT = reporting.REPORTS / "experiments.json"
PAGE = ROOT / "docs" / "experiments.md"
WORK_ROOT = Path("/var/lib/tally/bench")
MUST_HOLD = ("e1", "e2", "e4")  # E3 has a published figure for other hardware altogether: half a core


def measure(key: str, spec: ExperimentSpec, rounds: int | None, work_root: Path) -> Measured:
    """Run one experiment; a terminal is told how far it is. Raises SandboxError."""
    sandbox = NsjailSandbox(work_root)
    described, began = machine.describe(), time.monotonic()
    runs: list[RunMeasured] = []
    failed: list[VariantFailed] = []
    chosen = spec if rounds is None else replace(spec, rounds=rounds)
    for found in run_experiment(chosen, sandbox, work_root):
        if isinstance(found, VariantFailed):
            failed.append(found)
            continue
        runs.append(found)
        _tell(f"\r{key}: {len(runs)} of {chosen.total_runs} runs")
    took_s = time.monotonic() - began
    latencies = latencies_of(chosen, sandbox, work_root) if key == LOGGING else {}
    _tell("\n")
    return Measured(
        key=key,
        spec=chosen,
        machine=described,
        took_s=round(took_s),
        results=summarise(chosen, runs, failed),
        latencies=latencies,
    )


def is_reversed(measured: Measured) -> bool:
    """Whether one of its claims came out the other way round, or could not be measured, where it must hold."""
    wrong = (Outcome.REVERSED, Outcome.MISSING)
    return measured.key.startswith(MUST_HOLD) and any(each.outcome in wrong for each in measured.results.claims)


def _tell(progress: str) -> None:
    if sys.stderr.isatty():
        print(progress, end="", file=sys.stderr, flush=True)


def _kept(path: Path) -> dict[str, Any]:
    """What was measured before, by experiment."""
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}


def main(arguments: list[str] | None = None) -> int:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the report instead of the claims")
    parser.add_argument("--only", action="append", metavar="KEY", help="this experiment, by the start of its key: e1")
    parser.add_argument("--rounds", type=int, help="how often each variant runs (default: as the experiment says)")
    reporting.add_switches(parser, "experiments")
    parser.add_argument(
        "--page", type=Path, default=PAGE, help="document whose figures to write (default: %(default)s)"
    )
    parser.add_argument("--work-dir", type=Path, default=WORK_ROOT, help="folder for jails (default: %(default)s)")
    options = parser.parse_args(arguments)
    ready = ready_experiments()
    keys = [key for key in ready if options.only is None or key.startswith(tuple(options.only))]
    if not keys or (options.rounds is not None and options.rounds < 1):
        parser.error(f"rounds must be 1 at least, and the experiments are {', '.join(ready)}")
    began_on = reporting.begin(options)
    found = [measure(key, ready[key], options.rounds, options.work_dir) for key in keys]
    reports = {**_kept(options.report), **{each.key: report_of(each) for each in found}}
    reports = {key: reports[key] for key in sorted(reports)}
    if reporting.write(reports, options, began_on):
        options.page.write_text(with_figures(options.page.read_text("utf-8"), reports), "utf-8")
    print(json.dumps(reports, indent=2) if options.json else "\n".join(map(outcome_lines, found)))
    return int(any(map(is_reversed, found)))


if __name__ == "__main__":
    sys.exit(main())
