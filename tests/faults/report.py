"""The table of faults: printed after a run, and kept in bench/reports/faults.json after a run of all of them."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from django.conf import settings

from tests.faults.trial import Line

REPORT: Path = settings.BASE_DIR / "bench" / "reports" / "faults.json"
_COLUMNS = ("fault", "injected", "submissions", "verdicts", "lost", "double", "recover_s")


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


def write(lines: Sequence[Line]) -> None:
    """Keep them."""
    REPORT.write_text(json.dumps({"faults": [asdict(line) for line in lines]}, indent=1) + "\n")


def _sums(lines: Sequence[Line]) -> tuple[str, ...]:
    counts = [sum(asdict(line)[column] for line in lines) for column in _COLUMNS[1:-1]]
    return ("all", *map(str, counts), str(max((line.recover_s for line in lines), default=0.0)))
