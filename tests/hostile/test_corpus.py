"""Every case of the manifest through the real grader in the real jail.

A case's programs run on one sandbox under a watch; then nothing of them may be left, and an honest submission must be
accepted. See the heads of manifest.toml and own.toml for what makes a case pass.
"""

import logging
import os
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from django.test import Client

from judge.grading.bounded import read_source, reader_in
from judge.grading.events import GradingJob
from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from sandbox.cgroups.cgroup import ControlGroups
from sandbox.jail.nsjail import NsjailSandbox
from tests.hostile.conftest import canary
from tests.hostile.corpus.corpus import (
    CASES,
    CHOSEN,
    HAS_SHARED,
    HONEST,
    OF_OUR_CORPUS,
    PROGRAMS,
    Case,
    differing_copies,
    with_predecessors,
)
from tests.hostile.grading import Graded, grade_on, grade_together, job_of, package_of, problems_of
from tests.hostile.host.faults import Fault, kill_nsjail_during
from tests.hostile.host.host import Baseline, leftovers
from tests.hostile.host.peers import Peer
from tests.hostile.host.watch import Watch
from tests.hostile.host.witness import Witness
from tests.hostile.report import Line
from tests.hostile.showing import Site

pytestmark = [pytest.mark.usefixtures("canaries", "every_send_counts"), pytest.mark.timeout(600)]

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
        folder = self.packages / case.id / checker
        return job_of(case, package_of(case, folder, checker, canary("TEST")))

    def graded(self, case: Case, job: GradingJob, witness: Witness) -> tuple[list[Graded], list[str]]:
        """Grade once, or several at the same time: the gradings, and what was wrong with them."""
        cpus = tuple(sorted(os.sched_getaffinity(0)))
        with Watch(self.work_root, case.invariants) as watch:
            if "peers_ok" in case.invariants:
                gradings, found = self.peer.beside(
                    lambda: grade_together(witness, self.work_root, job, case.parallel, cpus[:1])
                )
            else:
                gradings, found = grade_together(witness, self.work_root, job, case.parallel, cpus), []
        found += [problem for grading in gradings for problem in problems_of(case, grading)]
        return gradings, found + watch.problems

    def honest_problems(self, language: str) -> list[str]:
        """What is wrong when an honest program follows."""
        case = HONEST[_HONEST[language]]
        return [
            f"{problem}, an honest {language} program afterwards"
            for problem in problems_of(case, grade_on(self.sandbox, self.work_root, self.job(case)))
        ]


@pytest.fixture(scope="session")
def place(sandbox: NsjailSandbox, groups: ControlGroups, work_root: Path, packages: Path) -> Place:
    """The sandbox, and the problems' folder."""
    honest = replace(HONEST["ctl_09_cpu_60_percent.cpp"], tests=3)
    job = job_of(honest, package_of(honest, packages / "peer", "tokens", "hidden"))
    place = Place(
        sandbox=sandbox,
        groups=groups,
        work_root=work_root,
        packages=packages,
        peer=Peer(sandbox, work_root, job),
    )
    for name in _HONEST.values():  # brings what a worker keeps: the meter, the prepared header, compiled programs
        assert grade_on(sandbox, work_root, place.job(HONEST[name])).verdict is Verdict.AC
    assert read_source(reader_in(sandbox, work_root), b"print(1)", LANGUAGES["python"]).tokens  # the image of readers
    return place


@pytest.fixture
def site(author: Client, worker: None, neighbour: None, tmp_path: Path, request: pytest.FixtureRequest) -> Site:
    """The site with a problem that takes as long a source as the case may have."""
    case: Case = request.getfixturevalue("case")
    return Site(author, tmp_path, case.problem_limits.code_bytes)


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: case.id)
@pytest.mark.each
def test_a_case_ends_as_the_manifest_says(
    case: Case, place: Place, site: Site, lines: list[Line], caplog: pytest.LogCaptureFixture
) -> None:
    if not case.verdicts:
        problems = ["the form takes it"] if site.takes(case) else place.honest_problems(case.language)
        lines.append(Line.of(case, [], problems))
        assert not problems, "\n".join(problems)
        return
    jobs = [(each, place.job(each, checker)) for each in with_predecessors(case) for checker in each.checkers]
    before = Baseline.take(place.work_root, place.packages)
    witness = Witness(place.sandbox, place.groups)
    forget_pages(case.cold)
    judged: list[tuple[Case, Graded]] = []
    problems = []
    for each, job in jobs:
        witness.expect(each)
        for _ in range(each.repeat):
            gradings, found = place.graded(each, job, witness)
            judged += [(each, graded) for graded in gradings]
            problems += found
    problems += [f"printed: {text}" for text in witness.forbidden]
    problems += leftovers(before, place.work_root, place.packages, place.groups, witness)
    problems += [f"logged: {record.getMessage()}" for record in caplog.records if record.levelno >= logging.ERROR]
    problems += place.honest_problems(case.language)
    problems += [problem for each, graded in judged for problem in site.problems(each, graded)]
    lines.append(Line.of(case, [graded for each, graded in judged if each is case], problems))
    assert not problems, "\n".join(problems)


def forget_pages(pattern: str) -> None:
    """Have the page cache forget the files of that pattern, as far as nobody has them mapped."""
    for path in Path("/").glob(pattern.lstrip("/")) if pattern else ():
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@pytest.mark.parametrize("case", [case for case in CASES if case.fault], ids=lambda case: case.id)
@pytest.mark.thorough
def test_a_program_does_not_outlive_its_killed_jail(case: Case, place: Place) -> None:
    fault = Fault.of(case.fault)
    job = place.job(case)
    before = Baseline.take(place.work_root, place.packages)
    witness = Witness(place.sandbox, place.groups)
    kill_nsjail_during(lambda: grade_on(witness, place.work_root, job), witness, fault.after_s)
    assert not leftovers(before, place.work_root, place.packages, place.groups, witness, patience_s=fault.within_s)
    assert grade_on(place.sandbox, place.work_root, job).verdict is fault.verdict


@OF_OUR_CORPUS
def test_no_program_is_without_a_case() -> None:
    assert {path.name for path in PROGRAMS.iterdir()} <= {case.file for case in CASES}


@OF_OUR_CORPUS
@pytest.mark.skipif(not HAS_SHARED, reason="there is no folder shared/hostile beside the project's")
def test_our_copies_of_the_corpus_are_what_it_holds() -> None:
    assert not differing_copies()
