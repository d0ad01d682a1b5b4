"""Recursions that never end, and crashes beside a recursion that is not the reason, in real jails."""

from pathlib import Path

import pytest
from django.conf import settings

from judge.grading.events import CaseJudged, Finding, GradingFinished, GradingJob
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from problems.package import ProblemLimits
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB
from tests.judge.packages import make_package

pytestmark = pytest.mark.jail

_LIMITS = ProblemLimits(time_limit_ms=4_000, memory_bytes=128 * MIB)
_CPP = (
    "#include <cstdio>\n#include <cstdlib>\n#include <vector>\n"
    "int deep(int x) { return x ? 1 + (deep(x - 1) ^ 1) : 0; }\n"
)
_RUST = "fn deep(x: u64) -> u64 { if x == 0 { 0 } else { 1 + std::hint::black_box(deep(x - 1)) } }\n"
_CACHED = """
import sys
from functools import cache
sys.setrecursionlimit(10**8)
@cache
def deep(x):
    return deep(x - 1) + 1 if x else 0
print(deep(10**7))
"""
FULL = {
    "C++": ("cpp", _CPP + 'int main() { printf("%d", deep(1 << 30)); }', Verdict.MLE),
    "Rust": ("rust", _RUST + 'fn main() { println!("{}", deep(1 << 40)); }', Verdict.MLE),
    "Rust, in a thread": (
        "rust",
        _RUST + 'fn main() { println!("{}", std::thread::spawn(|| deep(1 << 40)).join().unwrap()); }',
        Verdict.RE,
    ),
    "Python, through C code": ("python", _CACHED, Verdict.RE),
    "Python, allowed to": ("python", _CACHED.replace("@cache\n", ""), Verdict.MLE),
}
OTHERS = {
    "a bad address": ("cpp", _CPP + 'int main() { int *p = nullptr; printf("%d", deep(9) + p[rand()]); }', Verdict.RE),
    "much memory": (
        "cpp",
        _CPP + 'int main() { std::vector<int> v; for (;;) v.push_back(deep(3)); printf("%d", v[deep(5)]); }',
        Verdict.MLE,
    ),
    "a panic": ("rust", _RUST + 'fn main() { panic!("{}", deep(9)); }', Verdict.RE),
    "an abort": ("rust", _RUST + "fn main() { if deep(9) > 0 { std::process::abort(); } }", Verdict.RE),
    "a list": (
        "python",
        "def deep(x):\n    return deep(x - 1) + 1 if x else 0\n\nv = [deep(9)]\nwhile True:\n    v.append(v[:])",
        Verdict.MLE,
    ),
}


def _graded(language: str, source: str, folder: Path) -> tuple[CaseJudged, tuple[Finding, ...]]:
    package = make_package(folder, {"sample/1": ("1\n", "1\n")}, limits=_LIMITS)
    job = GradingJob(package=package, language=language, source=source.encode())
    events = list(grade(job, NsjailSandbox(settings.WORK_DIR), settings.WORK_DIR))
    (case,) = (event for event in events if isinstance(event, CaseJudged))
    assert isinstance(events[-1], GradingFinished)
    return case, events[-1].explanation


@pytest.mark.parametrize("label", FULL)
def test_a_recursion_that_never_ends_is_told(label: str, tmp_path: Path) -> None:
    language, source, verdict = FULL[label]
    case, explanation = _graded(language, source, tmp_path)
    assert case.verdict is verdict
    (finding,) = (finding for finding in explanation if finding.code == "stack-overflow")
    assert finding.evidence["functions"] == "deep"
    assert [source.split("\n")[line - 1].partition("(")[0].split()[-1] for line in finding.lines] == ["deep"]


@pytest.mark.parametrize("label", OTHERS)
def test_another_failure_beside_a_recursion_is_not_a_full_stack(label: str, tmp_path: Path) -> None:
    language, source, verdict = OTHERS[label]
    case, explanation = _graded(language, source, tmp_path)
    assert case.verdict is verdict
    assert "stack-overflow" not in {finding.code for finding in explanation}
