"""What comes with a slow verdict while calls are still to be counted by name."""

from dataclasses import replace

import pytest

from judge.grading.events import CaseJudged
from judge.grading.explain import explain_anew, explain_so_far, in_words, main_cause
from judge.grading.explain.evidence.facts import Facts
from judge.grading.languages import CPP
from judge.grading.verdicts import Verdict
from sandbox.types import IoProfile, Profile, StreamUse, Usage
from tests.judge.grading.explain.test_explain import case, facts

NAME = "secret/1"
ENDL = b"int main() { for (int i = 0; i < n; i++)\n cout << i << endl; }"
TRACES = b"int main() { for (int i = 0; i < n; i++)\n cerr << i << '\\n'; }"
HALF_IN_KERNEL = Usage(user_time_us=300_123, system_time_us=900_456, wall_time_us=1_210_000, minor_faults=123)


def stopped(io: IoProfile, usage: Usage = HALF_IN_KERNEL, **more: int) -> CaseJudged:
    return case(Verdict.TLE, name=NAME, usage=usage, io=io, exit_code=None, signal=9, **more)


def waiting(source: bytes, told: CaseJudged) -> Facts:
    return replace(facts(told, source=source), counts_later=frozenset({NAME}))


WRITES = IoProfile(read_calls=12, read_bytes=9, write_calls=1_300_000, write_bytes=9_100_000)
READS = IoProfile(read_calls=1_300_000, read_bytes=1_300_000)
FEW = IoProfile(read_calls=12, read_bytes=9, write_calls=3, write_bytes=9_100_000)
STORIES = {
    "writes": (
        waiting(ENDL, stopped(WRITES, stdout_bytes=9_100_000)),
        "Your program made 1,300,000 write calls of 7 bytes on average on secret/1 before it was stopped; 75 % of its "
        "CPU time (0.90 s of 1.20 s) was spent in the kernel. The source has `endl` where output is written, which "
        "hands each piece over at once.",
        (2,),
    ),
    "stderr": (
        waiting(TRACES, stopped(WRITES, stderr_bytes=9_100_000)),
        "Your program made 1,300,000 write calls of 7 bytes on average on secret/1 before it was stopped; 75 % of its "
        "CPU time (0.90 s of 1.20 s) was spent in the kernel. 8.7 MiB of its output went to stderr, which nobody "
        "checks.",
        (2,),
    ),
    "reads": (
        waiting(b"", stopped(READS)),
        "Your program made 1,300,000 read calls of 1 byte on average on secret/1 before it was stopped; 75 % of its "
        "CPU time (0.90 s of 1.20 s) was spent in the kernel.",
        (),
    ),
    "memory": (
        waiting(b"", stopped(FEW, replace(HALF_IN_KERNEL, minor_faults=812_345))),
        "On secret/1 before it was stopped, 24 % of the CPU time (0.30 s of 1.20 s) was spent in your program itself "
        "and its libraries, and 0.90 s in the kernel, for 12 read calls, 3 write calls and 812,345 fresh pages of "
        "memory.",
        (),
    ),
}


@pytest.mark.parametrize("label", STORIES)
def test_what_is_counted_already_comes_with_the_verdict(label: str) -> None:
    told, sentence, lines = STORIES[label]
    first = explain_so_far(told)
    assert first.awaits == (NAME,)
    (finding,) = (finding for finding in first.findings if finding.code == "so-far")
    assert in_words(finding, CPP).text == sentence
    assert finding.lines == lines
    assert main_cause(first.findings, Verdict.TLE) == ""  # what it cost is not known yet


def test_the_finding_that_waited_takes_its_place() -> None:
    told, _sentence, _lines = STORIES["writes"]
    first = explain_so_far(told)
    profile = Profile(syscalls={"write": 1_300_000}, streams={"stdout": StreamUse(calls=1_300_000, bytes=9_100_000)})
    then = explain_anew(first.findings, told, told.with_counts({NAME: profile}, frozenset()))
    assert [finding.code for finding in then.findings] == ["summary", "flush-per-line"]


def test_beside_a_finding_about_the_time_it_says_nothing() -> None:
    told, _sentence, _lines = STORIES["writes"]
    profile = Profile(syscalls={"write": 1_300_000}, streams={"stdout": StreamUse(calls=1_300_000, bytes=9_100_000)})
    waits = replace(stopped(READS), name="secret/2")
    both = replace(
        told, cases=(*told.cases, waits), profiles={NAME: profile}, counts_later=frozenset({NAME, "secret/2"})
    )
    assert "so-far" not in {finding.code for finding in explain_so_far(both).findings}


def test_an_accepted_program_needs_no_first_numbers() -> None:
    accepted = replace(
        STORIES["writes"][0], cases=(case(name=NAME, usage=HALF_IN_KERNEL, io=WRITES, stdout_bytes=9_100_000),)
    )
    first = explain_so_far(accepted)
    assert first.awaits == (NAME,)
    assert [finding.code for finding in first.findings] == ["summary"]


def test_reads_that_flush_are_not_called_output() -> None:
    tied = b"int main() { for (int i = 0; i < n; i++) {\ncin >> x;\ncout << x << ' '; } }"
    first = explain_so_far(waiting(tied, stopped(WRITES, stdout_bytes=9_100_000)))
    (finding,) = (finding for finding in first.findings if finding.code == "so-far")
    assert "The source has" not in in_words(finding, CPP).text
    assert finding.lines == ()
