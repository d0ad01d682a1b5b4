"""Gradings that violate a case's expectation are detected: verdict, time, forbidden texts."""

from pathlib import Path

import pytest

from judge.grading.events import CaseJudged, CompileFinished, GradingFinished
from judge.grading.verdicts import Verdict
from sandbox.types import IoProfile, Usage
from tests.hostile.corpus.corpora import CASE, make_corpus
from tests.hostile.corpus.corpus import Case, cases_of
from tests.hostile.corpus.manifest import read_manifest
from tests.hostile.grading import Graded, problems_of
from tests.hostile.host.witness import _BLOCK_BYTES, forbidden_in_file
from tests.hostile.report import Line


def _case(folder: Path, more: str = "") -> Case:
    (case,) = cases_of(read_manifest(make_corpus(folder, CASE + more)))
    return case


def _graded(*, stderr: bytes = b"", message: str = "", judge_message: str = "", seconds: float = 0.5) -> Graded:
    judged = CaseJudged(
        name="sample/1",
        is_sample=True,
        verdict=Verdict.AC,
        usage=Usage(),
        io=IoProfile(),
        exit_code=0,
        signal=None,
        stdout_bytes=2,
        stderr_bytes=len(stderr),
        stderr=stderr,
        judge_message=judge_message,
    )
    compiled = CompileFinished(ok=True, message=message, wall_time_us=1, toolchain="a compiler", cases=1)
    return Graded(
        events=(compiled, judged, GradingFinished(verdict=Verdict.AC, explanation=())),
        seconds=seconds,
    )


def test_what_a_case_leaves_out_is_the_defaults(tmp_path: Path) -> None:
    case = _case(tmp_path)
    assert (case.deadline_ms, case.tests, case.repeat, case.parallel) == (300_000, 1, 1, 1)
    assert [pattern.pattern for pattern in case.forbid] == ["(?m)^LEAK", "OJ-CANARY-[A-Z]+-[0-9a-f]{32}"]
    assert case.invariants == {"no_procs", "no_files"}
    assert case.problem_limits.time_limit_ms == 1_000


def test_lists_of_a_case_add_to_the_defaults_and_limits_replace_them(tmp_path: Path) -> None:
    case = _case(
        tmp_path, "forbid = ['^TOLD']\ninvariants = ['host_intact']\nlimits = { time_ms = 300 }\ndeadline_ms = 9\n"
    )
    assert [pattern.pattern for pattern in case.forbid][2:] == ["^TOLD"]
    assert case.invariants == {"no_procs", "no_files", "host_intact"}
    assert (case.problem_limits.time_limit_ms, case.problem_limits.processes, case.deadline_ms) == (300, 64, 9)


def test_a_filtered_program_may_be_told_to_have_crashed_and_a_refused_one_has_no_verdict(tmp_path: Path) -> None:
    (filtered,) = cases_of(read_manifest(make_corpus(tmp_path, CASE.replace('["AC"]', '["SECURITY"]'))))
    (refused,) = cases_of(read_manifest(make_corpus(tmp_path, CASE.replace('["AC"]', '["REJECTED"]'))))
    assert filtered.verdicts == {Verdict.RE}
    assert (refused.verdicts, refused.may_be_refused) == (frozenset(), True)
    assert Line.of(refused, [], []).expected == "REJECTED"


def test_a_grading_as_expected_has_no_problems(tmp_path: Path) -> None:
    assert not problems_of(_case(tmp_path), _graded(stderr=b"it is no LEAK in the middle of a line"))


def test_a_verdict_after_the_deadline_is_a_problem(tmp_path: Path) -> None:
    case = _case(tmp_path, "deadline_ms = 2500\nrepeat = 3\n")
    assert not problems_of(case, _graded(seconds=2.5))
    assert problems_of(case, _graded(seconds=2.6)) == ["the verdict took 2.6 s, of 2.5 s"]


@pytest.mark.parametrize("place", ["stderr", "message", "judge_message"])
def test_what_a_case_forbids_is_found_wherever_grading_tells_it(place: str, tmp_path: Path) -> None:
    case = _case(tmp_path, r"forbid = ['^TOLD \d+$', 'naïve']")
    for text in ("first\nTOLD 17\nthen", "first\nso naïve a thing\n"):
        graded = _graded(stderr=text.encode()) if place == "stderr" else _graded(**{place: text})  # type: ignore[arg-type]
        (problem,) = problems_of(case, graded)
        assert problem in ("grading tells: TOLD 17", "grading tells: naïve a thing")
    assert not problems_of(case, _graded(stderr=b"TOLD 17 times"))


def test_what_is_forbidden_is_found_across_the_blocks_of_a_long_output(tmp_path: Path) -> None:
    case = _case(tmp_path, "forbid = ['TOLD [0-9]{3000}']")
    output = tmp_path / "output"
    output.write_bytes(b"x" * (_BLOCK_BYTES - 1_500) + b"TOLD " + b"1" * 3_000)
    assert forbidden_in_file(output, case.forbid) == ["TOLD " + "1" * 3_000]
    output.write_bytes(b"x" * _BLOCK_BYTES + b"LEAK is no line of its own\n")
    assert not forbidden_in_file(output, case.forbid)
