"""Keys that collide are told from those that do not, in the real jail, by two cases of one size."""

from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from judge.grading.events import CaseJudged, CompileFinished, GradingFinished, GradingJob, RerunEvidence
from judge.grading.explain import explain_anew
from judge.grading.reruns.line_times import measure_line_times
from judge.grading.submission.conclusion import Graded, facts_of
from judge.grading.submission.grading import grade, source_of
from problems.package import ProblemLimits
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.meter.perf import sampling_problem
from tests.judge.packages import make_package

pytestmark = [pytest.mark.timeout(600), pytest.mark.jail]
VALUES = 60_000
PYTHON = b"""import sys
seen = {}
for x in map(int, sys.stdin.read().split()):
    seen[x] = seen.get(x, 0) + 1
print(len(seen))
"""
POWERS = PYTHON.replace(b"    seen[x]", b"    y = pow(3, x, 2**521 - 1)\n    seen[x]")
CPP = b"""#include <iostream>
#include <unordered_map>
using namespace std;
int main() {
    ios::sync_with_stdio(false);
    unordered_map<long long, int> seen;
    long long x;
    while (cin >> x)
        seen[x]++;
    cout << seen.size() << endl;
}
"""


def said(language: str, source: bytes, step: int, folder: Path) -> dict[str, tuple[int, ...]]:
    """What is said of a program over keys 1, 2, 3, ... and over as many multiples of `step`, with the lines."""
    if sampling_problem() is not None:
        pytest.skip("this host cannot sample")
    answer = f"{VALUES}\n"
    cases = {
        f"secret/{name}": ("".join(f"{factor * key}\n" for key in range(1, VALUES + 1)), answer)
        for name, factor in (("1", 1), ("2", step))
    }
    package = make_package(folder, cases, limits=ProblemLimits(time_limit_ms=700))
    job, place = GradingJob(package=package, language=language, source=source), (NsjailSandbox(settings.WORK_DIR),)
    events = list(grade(job, *place, settings.WORK_DIR))
    last = events[-1]
    assert isinstance(last, GradingFinished)
    judged = [event for event in events if isinstance(event, CaseJudged | CompileFinished)]
    graded = Graded(job=job, events=judged, source=source_of(job, *place, settings.WORK_DIR))
    facts = facts_of(graded, last.verdict, "")
    times = measure_line_times(job, "secret/2", *place, settings.WORK_DIR).result
    now = replace(facts, reruns={"secret/2": RerunEvidence(line_times=times)})
    return {finding.code: finding.lines for finding in explain_anew(last.explanation, facts, now).findings}


def test_multiples_of_the_tables_size_collide_in_cpp(tmp_path: Path) -> None:
    found = said("cpp", CPP, 85_229, tmp_path)
    assert found.get("colliding-keys") == (9,)
    assert "algorithm" not in found


def test_multiples_of_the_hashs_modulus_collide_in_python(tmp_path: Path) -> None:
    found = said("python", PYTHON, 2**61 - 1, tmp_path)
    assert found.get("colliding-keys") == (4,)
    assert "algorithm" not in found


def test_larger_numbers_that_take_longer_elsewhere_do_not_collide(tmp_path: Path) -> None:
    assert "colliding-keys" not in said("python", POWERS, 2**61 + 7, tmp_path)
