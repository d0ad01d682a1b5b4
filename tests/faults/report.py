"""The table of faults: printed after a run, and kept after a run of all of them.

bench/reports/faults.json is for scripts, faults.md beside it is the same for people.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings

from bench.machine import in_words
from tests.faults.trial import WITHIN_S, Line

REPORT: Path = settings.BASE_DIR / "bench" / "reports" / "faults.json"
PAGE = REPORT.with_suffix(".md")
_COLUMNS = ("fault", "injected", "submissions", "verdicts", "lost", "double", "recover_s")
_HEADING = (*_COLUMNS[:-1], "recovered in")
_INTRODUCTION = f"""# Faults, injected into real processes: the last full run

Written by `make test-faults` beside faults.json; [tests/faults](../../tests/faults/README.md) tells how it is done.
*Injected*: how often. *Submissions*: those that were promised to somebody meanwhile. *Lost*: promised, and without
a verdict. *Double*: decided twice, changed after it was seen, or results of two attempts. *Recovered in*: from the
fault's end until all of them have their verdict and a further one has its own; more than {WITHIN_S} s, or a wrong
verdict, fails the run.
"""


def merged(lines: Sequence[Line]) -> list[Line]:
    """One line for each fault: several tests may inject the same one."""
    found: dict[str, Line] = {}
    for line in lines:
        known = found.get(line.fault)
        found[line.fault] = line if known is None else _sum(known, line)
    return list(found.values())


def _sum(one: Line, other: Line) -> Line:
    counts = {name: getattr(one, name) + getattr(other, name) for name in _COLUMNS[1:-1]}
    return Line(fault=one.fault, recover_s=max(one.recover_s, other.recover_s), **counts)


def table(lines: Sequence[Line]) -> list[str]:
    """The lines as text, the sums last."""
    rows = [_COLUMNS, *(tuple(str(asdict(line)[column]) for column in _COLUMNS) for line in lines), _sums(lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]


def write(lines: Sequence[Line], machine: dict[str, Any]) -> None:
    """Keep them. `machine`: as `bench.machine.describe` had it before the first fault."""
    report = {"machine": machine, "faults": [asdict(line) for line in lines]}
    REPORT.write_text(json.dumps(report, indent=1) + "\n")
    PAGE.write_text(page(lines, machine))


def read(report: str) -> tuple[list[Line], dict[str, Any]]:
    """The lines that a report for scripts holds, and the machine."""
    kept = json.loads(report)
    return [Line(**each) for each in kept["faults"]], kept["machine"]


def page(lines: Sequence[Line], machine: dict[str, Any]) -> str:
    """The report for people: the machine, then a table in Markdown, the sums last."""
    rows = [tuple(str(asdict(line)[column]) for column in _COLUMNS) for line in lines]
    cells = [_HEADING, ("---", *["---:"] * len(_COLUMNS[1:])), *(_for_people(row) for row in [*rows, _sums(lines)])]
    introduction = _INTRODUCTION + "\n" + in_words(machine).partition("\n")[0] + ".\n"
    return "\n".join([introduction, *("| " + " | ".join(row) + " |" for row in cells)]) + "\n"


def _for_people(row: tuple[str, ...]) -> tuple[str, ...]:
    name, *numbers, seconds = row
    return (name.replace("|", "\\|"), *(f"{int(number):,}" for number in numbers), f"{seconds} s")


def _sums(lines: Sequence[Line]) -> tuple[str, ...]:
    counts = [sum(asdict(line)[column] for line in lines) for column in _COLUMNS[1:-1]]
    return ("all", *map(str, counts), str(max((line.recover_s for line in lines), default=0.0)))
