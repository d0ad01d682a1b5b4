"""The counts that CPU time by line is compared with, and that the committed report is what they came to."""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from bench.line_times import POINTS, summary
from bench.timed.callgrind import count_lines
from bench.timed.programs import TIMED, timed_programs

REPORT = Path("bench/reports/line_times.json")
PROGRAM = """
#include <stdlib.h>
#include <string.h>
volatile unsigned x;
__attribute__((noinline)) static void spin(long count) { while (count--) x++; }
int main() {
    spin(30000);
    spin(10000);
    char *room = malloc(1 << 20);
    for (int i = 0; i < 3; i++) memset(room, i, 1 << 20);
    return room[7] == 9;
}
"""


def test_callgrinds_counts_are_told_to_lines(tmp_path: Path) -> None:
    source, program = tmp_path / "main.c", tmp_path / "main"
    source.write_text(PROGRAM)
    subprocess.run(["gcc", "-O1", "-g1", "-o", str(program), str(source)], check=True)

    def lines_of(addresses: Iterable[int]) -> dict[int, int]:
        names = [f"{address:x}" for address in addresses]
        command = ["addr2line", "-e", str(program), *names]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        places = [place.split(" ")[0].rpartition(":") for place in told]
        return {
            int(name, 16): int(at) for name, (file, _, at) in zip(names, places, strict=True) if file == str(source)
        }

    (tmp_path / "empty").write_text("")
    counts = count_lines(program, tmp_path / "empty", tmp_path, lines_of)
    told = counts.instructions
    assert told[5] >= 40_000 * 4  # all steps of the loop, the only line of its function
    assert 3 * 1_000 < told[10] < 3 << 18  # memset is a library's, and counted by what it does at once, not by bytes
    assert told[5] + told[10] > 0.9 * told.total()
    cycles = counts.cycles
    assert cycles[10] - told[10] > 1 << 14 > cycles[5] - told[5]  # each line of the cache is missed once


def test_the_tracer_counts_each_line(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("n = int(input())\nx = 0\nfor i in range(n):\n    x = x * 3 + i\n")
    tracer = ["/usr/bin/python3", str(TIMED / "opcodes.py"), str(program)]
    done = subprocess.run(tracer, input="100\n", text=True, capture_output=True, check=True)
    counts = json.loads(done.stdout.splitlines()[-1])
    assert counts["4"] > 100 * 5 > counts["3"] > 100


def test_the_report_has_every_program_and_adds_up() -> None:
    report = json.loads(REPORT.read_text())
    names = set(timed_programs())
    assert set(report["programs"]) == names
    assert len(names) == 30
    by_cycles = {name for name, row in report["programs"].items() if "cycles_percent" in row}
    assert by_cycles == {name for name in names if not name.startswith("python/")}
    assert {key: report[key] for key in summary(report["programs"])} == summary(report["programs"])


@pytest.mark.parametrize(("difference", "is_hottest", "number"), [(POINTS, True, 1), (-5.1, True, 0), (0, False, 0)])
def test_a_share_counts_within_its_points(difference: float, is_hottest: bool, number: int) -> None:
    row = {"difference": difference, "is_hottest": is_hottest, "cost": 1.0}
    assert summary({"cpp/one": row})["within_5_points"] == number
