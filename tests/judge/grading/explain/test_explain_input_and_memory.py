"""The rules on small reads and on memory, with made-up numbers: no finding without certainty."""

from dataclasses import replace

import pytest

from judge.grading.languages import CPP, PYTHON, RUST
from judge.grading.verdicts import Verdict
from problems.package import ProblemLimits
from sandbox.types import IoProfile, Profile, StreamUse, Usage
from tests.judge.grading.explain.test_explain import case, facts
from tests.judge.spoken import findings

READS = case(
    Verdict.TLE,
    usage=Usage(user_time_us=300_000, system_time_us=900_000),
    io=IoProfile(read_calls=500_000, read_bytes=500_000, write_calls=1, write_bytes=2),
    exit_code=None,
)
BYTE_BY_BYTE = b"import os\nwhile True:\n    os.read(0, 1)\n"
STORM = case(
    Verdict.TLE,
    usage=Usage(user_time_us=300_000, system_time_us=900_000, minor_faults=800_000, peak_memory_bytes=60 << 20),
    io=IoProfile(read_calls=4, write_calls=1),
)
IN_A_LOOP = b"int main() { for (;;) {\nauto p = new int[1 << 24]; } }"


def profile(*, stdin: int = 0, files: int = 0, **syscalls: int) -> dict[str, Profile]:
    streams = {"stdin": StreamUse(calls=stdin, bytes=stdin), "files": StreamUse(calls=files, bytes=files)}
    return {"secret/1": Profile(syscalls=syscalls, streams=streams)}


def test_small_reads_are_named() -> None:
    assert findings(facts(READS))["tiny-reads"].text.startswith(
        "Your program made 500,000 read calls of 1 byte on average on secret/1 before it was stopped; 75 % of its CPU"
    )
    large = replace(READS, io=replace(READS.io, read_bytes=500_000 * 4_096))
    assert "tiny-reads" not in findings(facts(large))


def test_small_reads_of_stdin_get_advice_about_stdin() -> None:
    profiles = profile(stdin=500_000, files=200, read=500_150)
    found = findings(facts(READS, language=PYTHON, source=BYTE_BY_BYTE, profiles=profiles))["tiny-reads"]
    assert "`sys.stdin` reads 8 KiB at a time" in found.advice
    assert found.lines == (3,)


@pytest.mark.parametrize("profiles", [profile(stdin=9, files=500_000, read=400_009, pread64=100_000), {}])
def test_small_reads_of_other_files_or_of_nobody_knows_what_get_no_advice_about_stdin(
    profiles: dict[str, Profile],
) -> None:
    found = findings(facts(READS, language=PYTHON, source=BYTE_BY_BYTE, profiles=profiles))["tiny-reads"]
    assert found.advice == "Reading larger pieces takes fewer calls."
    assert found.lines == ()


def test_memory_that_is_fetched_again_and_again_is_named() -> None:
    profiles = profile(mmap=400, munmap=390, clone3=4)
    told = facts(STORM, source=IN_A_LOOP, profiles=profiles)
    found = findings(told)["allocation-storm"]
    assert (
        "800,000 fresh pages of 4 KiB and 790 calls for it in the profile pass, but never more than 60 MiB at a time; "
        "75 % of its CPU time" in found.text
    )
    assert found.lines == (2,)
    assert int(str(found.evidence["weight_percent"])) > 50
    much = replace(STORM, usage=replace(STORM.usage, peak_memory_bytes=3 << 30))  # it needs it all
    cheap = replace(STORM, usage=replace(STORM.usage, system_time_us=60_000))
    writing = replace(STORM, io=IoProfile(write_calls=9_000_000))
    for silent in (much, cheap, writing):
        assert "allocation-storm" not in findings(replace(told, cases=(silent,)))


def test_large_pieces_of_output_are_advised_a_size_and_an_accepted_program_nothing() -> None:
    slow = replace(STORM, verdict=Verdict.TLE, io=IoProfile(write_calls=200, write_bytes=200 << 20))
    told = facts(slow, language=PYTHON, source=b"", profiles=profile(mmap=400, munmap=390))
    assert "Print smaller pieces, of about 1,000 lines" in findings(told)["allocation-storm"].advice
    accepted = replace(told, cases=(replace(slow, verdict=Verdict.AC),))
    assert findings(accepted)["allocation-storm"].advice == ""
    of_none = replace(told, cases=(replace(slow, io=IoProfile()),))
    assert "outside of the loop" in findings(of_none)["allocation-storm"].advice


@pytest.mark.parametrize("call", ["fork", "vfork", "clone", "clone3"])
def test_pages_that_processes_copy_are_not_fetched_again_and_again(call: str) -> None:
    """Sixty processes and their parent copy 60 MiB each time: up to 1,843,200 pages."""
    told = facts(STORM, language=RUST, source=IN_A_LOOP, profiles=profile(mmap=30, **{call: 60}))
    assert "allocation-storm" not in findings(told)


def test_where_nobody_counted_the_processes_nothing_is_said_of_memory() -> None:
    assert "allocation-storm" not in findings(facts(STORM, language=CPP, source=IN_A_LOOP))


def test_beside_a_table_beyond_the_limit_the_lines_that_add_are_named() -> None:
    """Only what is used of a table counts: the memory may have gone to what a loop adds."""
    source = b"int table[100000000];\nint main() { vector<int> v; for (;;)\nv.push_back(1); }"
    full = case(Verdict.MLE, usage=replace(STORM.usage, peak_memory_bytes=64 << 20))
    found = findings(facts(full, source=source, limits=ProblemLimits(memory_bytes=64 << 20)))["memory-limit"]
    assert found.lines == (1, 3)
    assert "The table in the source has 381 MiB; what is used of it counts. What a loop adds to" in found.text
