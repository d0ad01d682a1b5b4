"""Counted work: each line's count is the marked one, and a program that spoils its counts has none."""

import re
import textwrap
from pathlib import Path

import pytest

from judge.grading.counted_work import CountedWork
from judge.grading.events import GradingJob, RerunEnded
from judge.grading.reruns.counts import count_work
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.grading.reruns.counted_programs import PROGRAMS
from tests.judge.packages import make_package

_SIZES = (7, 10, 20, 31, 50)
_MARK = re.compile(r"\s*(?://|#)@ (.*)$")


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return make_package(tmp_path, {f"secret/{n}": (f"{n}\n", "1\n") for n in _SIZES})


def counted(
    language: str, source: str, package: Package, sandbox: NsjailSandbox, work_root: Path
) -> RerunEnded[CountedWork]:
    code = "\n".join(_MARK.sub("", line) for line in source.split("\n"))
    job = GradingJob(package=package, language=language, source=code.encode(), cpu=0)
    return count_work(job, f"secret/{_SIZES[-1]}", sandbox, work_root)


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_line_has_its_exact_count(name: str, package: Package, sandbox: NsjailSandbox, work_root: Path) -> None:
    source = textwrap.dedent(PROGRAMS[name]).strip()
    ended = counted(name.partition(" ")[0], source, package, sandbox, work_root)
    assert ended.result is not None, ended.problem
    work = ended.result
    assert [run.sizes[0] for run in work.runs] == [*_SIZES]
    assert work.is_counted
    marks = {number: mark[1] for number, row in enumerate(source.split("\n"), 1) if (mark := _MARK.search(row))}
    counts = {line.line: line.counts for line in work.lines}
    expected = {line: tuple(eval(mark, {"n": n}) for n in _SIZES) for line, mark in marks.items()}  # noqa: S307
    assert {line: counts.get(line) for line in marks} == expected


SPOILED = {
    "cpp": """
        #include <cstdlib>
        #include <fstream>
        int main() {
            std::atexit([] {});
            std::ofstream("counts.gcda") << "nothing";
        }""",
    "python": """
        open(".tally-counts", "w").write("[[1, -5]]")
        """,
    "rust": """
        fn main() {
            std::process::abort();
        }""",
}


@pytest.mark.parametrize("language", SPOILED)
def test_a_program_that_spoils_its_counts_has_none(
    language: str, package: Package, sandbox: NsjailSandbox, work_root: Path
) -> None:
    ended = counted(language, textwrap.dedent(SPOILED[language]).strip(), package, sandbox, work_root)
    assert ended.result is None
    assert "Nothing was counted" in ended.problem
