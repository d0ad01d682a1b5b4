"""Every case of the manifest through the real grader in the real jail.

A case's programs run on one sandbox under a watch; then nothing of them may be left, and an honest submission must be
accepted. See the heads of manifest.toml and own.toml for what makes a case pass.
"""

import logging
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from judge.events import GradingJob
from judge.verdicts import Verdict
from sandbox.cgroup import ControlGroups
from sandbox.nsjail import NsjailSandbox
from sandbox.types import Destination
from tests.hostile.conftest import canary
from tests.hostile.corpus import (
    CASES,
    CHOSEN,
    HAS_SHARED,
    KNOWN_INVARIANTS,
    PROGRAMS,
    Case,
    case_named,
    differing_copies,
    with_predecessors,
)
from tests.hostile.faults import kill_nsjail_during
from tests.hostile.grading import grade_on, grade_together, job_of, package_of, problems_of
from tests.hostile.host import Baseline, leftovers
from tests.hostile.peers import Peer
from tests.hostile.report import Line
from tests.hostile.watch import Watch
from tests.hostile.witness import Witness

pytestmark = [pytest.mark.usefixtures("canaries"), pytest.mark.timeout(300)]

_HONEST = {language: f"ctl_01_aplusb.{end}" for language, end in (("python", "py"), ("cpp", "cpp"), ("rust", "rs"))}


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where cases run."""

    sandbox: NsjailSandbox
    groups: ControlGroups
    work_root: Path
    packages: Path
    peer: Peer

    def job(self, case: Case, checker: str = "tokens") -> GradingJob:
        """The case as a submission to a problem of its own."""
        folder = self.packages / case.file / checker
        return job_of(case, package_of(case, folder, checker, canary("TEST")))

    def problems(self, case: Case, job: GradingJob, witness: Witness) -> tuple[str, float, list[str]]:
        """Grade once, or several at the same time; the verdict, the seconds it took, and what was wrong."""
        with Watch(self.work_root, case.invariants) as watch:
            if "peers_ok" in case.invariants:
                gradings, found = self.peer.beside(lambda: [grade_on(witness, self.work_root, replace(job, cpu=0))])
            else:
                gradings, found = grade_together(witness, self.work_root, job, case.parallel), []
        found += [problem for grading in gradings for problem in problems_of(case, grading)]
        return gradings[0].verdict.value, max(grading.seconds for grading in gradings), found + watch.problems

    def honest_problems(self, language: str) -> list[str]:
        """What is wrong when an honest program follows."""
        case = case_named(_HONEST[language])
        return [
            f"{problem}, an honest {language} program afterwards"
            for problem in problems_of(case, grade_on(self.sandbox, self.work_root, self.job(case)))
        ]


@pytest.fixture(scope="session")
def place(sandbox: NsjailSandbox, groups: ControlGroups, work_root: Path, packages: Path) -> Place:
    """The sandbox, and the problems' folder."""
    honest = case_named("ctl_09_cpu_60_percent.cpp")
    job = job_of(
        replace(honest, repeat=3), package_of(replace(honest, repeat=3), packages / "peer", "tokens", "hidden")
    )
    place = Place(
        sandbox=sandbox,
        groups=groups,
        work_root=work_root,
        packages=packages,
        peer=Peer(sandbox, work_root, job),
    )
    for language in _HONEST:  # brings what a worker keeps open: the meter, the prepared header
        assert not place.honest_problems(language)
    return place


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: case.file)
def test_a_case_ends_as_the_manifest_says(
    case: Case, place: Place, lines: list[Line], caplog: pytest.LogCaptureFixture
) -> None:
    jobs = [(each, place.job(each, checker)) for each in with_predecessors(case) for checker in each.checkers]
    before = Baseline.take(place.work_root, place.packages)
    witness = Witness(place.sandbox, place.groups, Destination(case.destination))
    problems: list[str] = []
    for each, job in jobs:
        verdict, seconds, found = place.problems(each, job, witness)
        problems += found
    problems += [f"printed: {text}" for text in witness.forbidden]
    problems += leftovers(before, place.work_root, place.packages, place.groups, witness)
    problems += [f"logged: {record.getMessage()}" for record in caplog.records if record.levelno >= logging.ERROR]
    problems += place.honest_problems(case.language if case.category.startswith("compile") else "python")
    lines.append(Line.of(case, verdict, seconds, problems))
    assert not problems, "\n".join(problems)


def test_a_program_does_not_outlive_its_killed_jail(place: Place) -> None:
    (case,) = (case for case in CASES if case.fault)
    job = place.job(case)
    before = Baseline.take(place.work_root, place.packages)
    witness = Witness(place.sandbox, place.groups)
    kill_nsjail_during(lambda: grade_on(witness, place.work_root, job), witness)
    assert not leftovers(before, place.work_root, place.packages, place.groups, witness)
    assert grade_on(place.sandbox, place.work_root, job).verdict is Verdict.TLE


def test_the_manifests_name_each_program_once_and_only_known_invariants() -> None:
    files = sorted(case.file for case in CASES)
    assert files == sorted({path.name for path in PROGRAMS.iterdir()} | {case.file for case in CASES})
    assert not {name for case in CASES for name in case.invariants} - KNOWN_INVARIANTS
    assert not [case.file for case in CASES if Verdict.JE in case.verdicts or not case.verdicts]


@pytest.mark.skipif(not HAS_SHARED, reason="there is no folder shared/hostile beside the project's")
def test_our_copies_of_the_corpus_are_what_it_holds() -> None:
    assert not differing_copies()
