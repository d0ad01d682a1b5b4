"""Compile errors that name what only Windows has, by the real compiler."""

from pathlib import Path

import pytest

from judge.grading.events import GradingFinished, GradingJob
from judge.grading.languages import CPP
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import make_package
from tests.judge.spoken import spoken

pytestmark = pytest.mark.jail
WINDOWS = {
    "a header": ("#include <stdio.h>\n#include <conio.h>\nint main() { getch(); }", "conio.h", (2,)),
    "functions": ('#include <stdio.h>\nint main() { int a;\nscanf_s("%d", &a);\n_getch(); }', "scanf_s", (3, 4)),
}
OTHERS = (
    '#include <stdio.h>\nint main() { scamf("%d"); }',  # "did you mean scanf?"
    "#include <cstdoi>\nint main() {}",
    "struct Bed {};\nint main() { Bed().Sleep(); }",
    "int main() { const char *scanf_s = 7; }",  # an own name
)


def told(source: str, folder: Path, sandbox: NsjailSandbox, work_root: Path) -> GradingFinished:
    job = GradingJob(package=make_package(folder), language="cpp", source=source.encode(), cpu=0)
    finished = list(grade(job, sandbox, work_root))[-1]
    assert isinstance(finished, GradingFinished)
    assert finished.verdict is Verdict.CE
    return finished


@pytest.mark.parametrize("label", WINDOWS)
def test_a_name_of_windows_is_told(label: str, tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    source, name, lines = WINDOWS[label]
    found = spoken(told(source, tmp_path, sandbox, work_root).explanation, CPP)["windows-only"]
    assert found.text == f"`{name}` is not on the judge's Linux; it is known from Windows."
    assert found.lines == lines


@pytest.mark.parametrize("source", OTHERS)
def test_other_mistakes_are_not(source: str, tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    codes = {finding.code for finding in told(source, tmp_path, sandbox, work_root).explanation}
    assert codes == {"compile"}
