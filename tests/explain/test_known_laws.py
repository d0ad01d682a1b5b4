"""Counted work on programs of known law: what is said is right, and something is said of four in five."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from django.conf import settings

from judge.grading.counted_work import CountedLine, CountedWork
from judge.grading.events import GradingJob
from judge.grading.explain.evidence.law_words import formula
from judge.grading.explain.evidence.laws import value_of
from judge.grading.explain.rules.own_time.counted_work import hottest
from judge.grading.reruns.counts import count_work
from sandbox.jail.nsjail import NsjailSandbox
from tests.explain.known_laws import KnownProgram, known_programs
from tests.extent import RUNS_ALL
from tests.judge.packages import LIMITS, make_package

pytestmark = [pytest.mark.each, pytest.mark.timeout(1_800)]
_SHARE = 7  # one in so many of a quick run
_LEAST_SAID = 0.8
_NEAR = 0.1  # what a law that is not exact may be off by


def counted(program: KnownProgram, folder: Path) -> CountedWork:
    """Run it on its sizes."""
    cases = {f"secret/{n}": (program.input(n), "") for n in (*program.sizes, program.case)}
    folder.mkdir()
    work_root: Path = settings.WORK_DIR
    job = GradingJob(
        package=make_package(folder, cases, limits=LIMITS),
        language=program.language,
        source=program.path.read_bytes(),
        cpu=0,
    )
    ended = count_work(job, f"secret/{program.case}", NsjailSandbox(work_root), work_root)
    assert ended.result is not None, (program.path.name, ended.problem)
    return ended.result


def what_is_false(program: KnownProgram, work: CountedWork) -> str:
    """What is said of the program and is not so; "" if nothing is."""
    hot = hottest(work)
    if hot is None or hot.law is None:
        return ""
    if program.law == "none":
        return f"line {hot.line} runs {formula(hot.law)} times"
    if hot.line not in program.lines:
        return f"line {hot.line} is not the hottest"
    for run in work.runs:
        sizes = dict(zip(work.names, run.sizes, strict=True))
        if not _is_right(program, hot, sizes):
            return f"{formula(hot.law)} for {sizes}"
    sizes = dict(zip(work.names, work.sizes, strict=True))
    return "" if _is_right(program, hot, sizes) else f"{formula(hot.law)} for {sizes}"


def _is_right(program: KnownProgram, hot: CountedLine, sizes: Mapping[str, int]) -> bool:
    law = hot.law
    assert law is not None
    said, truth = value_of(law, sizes), program.value(hot.line, sizes)
    if said is None or (not law.is_exact and truth < 100):
        return True
    return said == truth if law.is_exact else abs(float(said) - truth) <= _NEAR * truth


@pytest.mark.parametrize("language", ["cpp", "rust", "python"])
def test_each_law_that_is_said_is_right(language: str, tmp_path: Path) -> None:
    programs = known_programs(language)
    assert len(programs) == 20
    chosen = programs if RUNS_ALL else programs[len(language) % _SHARE :: _SHARE]
    false, silent = {}, []
    for program in chosen:
        work = counted(program, tmp_path / program.path.stem)
        hot = hottest(work)
        law = hot.law if hot else None
        print(program.path.name, program.law, f"line {hot.line}" if hot else "", formula(law) if law else "nothing")
        if why := what_is_false(program, work):
            false[program.path.name] = why
        if law is None and program.law != "none":
            silent.append(program.path.name)
    assert not false
    told = sum(program.law != "none" for program in chosen)
    assert not RUNS_ALL or len(silent) <= (1 - _LEAST_SAID) * told, silent
