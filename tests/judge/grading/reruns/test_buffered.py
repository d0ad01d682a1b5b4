"""The buffered rerun: the same program measured with its output buffered, in the real jail."""

import math
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import BufferedRun, Finding, GradingJob, RerunEnded
from judge.grading.languages import CPP, LANGUAGES
from judge.grading.reruns.again import is_linked_statically
from judge.grading.reruns.buffered import INTERACTIVE, SEVERAL_PASSES, STATIC, rerun_buffered
from judge.grading.reruns.reasons import worth_trying
from judge.grading.verdicts import Verdict
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import LIMITS, make_package

LINES = 60_000
ANSWER = "".join(f"{number}\n" for number in range(LINES))
# Many small writes, by where they go and the language: E2 is stdout flushed at each line, E1 a leftover print.
PROGRAMS = {
    ("stdout", "cpp"): """
        #include <iostream>
        int main() { for (int i = 0; i < LINES; i++) std::cout << i << std::endl; }""",
    ("stdout", "python"): """
        for i in range(LINES): print(i, flush=True)""",
    ("stdout", "rust"): """
        fn main() { for i in 0..LINES { println!("{}", i); } }""",
    ("stderr", "cpp"): """
        #include <iostream>
        int main() {
            std::ios::sync_with_stdio(false);
            for (int i = 0; i < LINES; i++) { std::cout << i << '\\n'; std::cerr << "at " << i << "\\n"; }
        }""",
    ("stderr", "python"): """
        import sys
        for i in range(LINES):
            print(i)
            print("at", i, file=sys.stderr)""",
    ("stderr", "rust"): """
        use std::io::{stdout, BufWriter, Write};
        fn main() {
            let mut out = BufWriter::new(stdout().lock());
            for i in 0..LINES { writeln!(out, "{}", i).unwrap(); eprintln!("at {}", i); }
        }""",
}
Try = Callable[..., RerunEnded[BufferedRun]]


@pytest.fixture
def package(tmp_path: Path) -> Package:
    limits = replace(LIMITS, time_limit_ms=2_000)
    return make_package(tmp_path, {"secret/1": ("1\n", ANSWER)}, limits=limits)


@pytest.fixture
def tried(package: Package, sandbox: NsjailSandbox, work_root: Path) -> Try:
    """A function that tries a program on the case of the package, or of another one."""

    def run(language: str, source: str, given: Package = package) -> RerunEnded[BufferedRun]:
        code = textwrap.dedent(source).replace("LINES", str(LINES)).strip().encode()
        job = GradingJob(package=given, language=language, source=code, cpu=0)
        return rerun_buffered(job, "secret/1", sandbox, work_root)

    return run


def trial_of(tried: RerunEnded[BufferedRun]) -> BufferedRun:
    assert tried.result is not None, tried.problem
    assert not tried.problem
    return tried.result


@pytest.mark.parametrize(("stream", "language"), PROGRAMS)
def test_gathered_writes_take_less_time_for_the_same_bytes(stream: str, language: str, tried: Try) -> None:
    trial = trial_of(tried(language, PROGRAMS[stream, language]))
    assert trial.is_identical
    assert trial.is_whole
    assert trial.same_bytes == trial.plain.stdout_bytes + trial.plain.stderr_bytes
    assert trial.buffered.verdict is Verdict.AC
    assert trial.buffered.usage.cpu_time_us < trial.plain.usage.cpu_time_us
    assert trial.plain.io.write_calls >= LINES
    assert trial.buffered.io.write_calls < LINES / 1_000
    assert trial.buffered.io.write_bytes == trial.plain.io.write_bytes


def test_more_on_stderr_than_is_kept_is_not_compared_and_ends_nothing(package: Package, tried: Try) -> None:
    source = """
        #include <iostream>
        int main() {
            std::ios::sync_with_stdio(false);
            for (int i = 0; i < LINES; i++) {
                std::cout << i << '\\n';
                for (int k = 0; k < 9; k++) std::cerr << "the whole state of this program as it is now\\n";
            }
        }"""
    trial = trial_of(tried("cpp", source, replace(package, limits=replace(package.limits, time_limit_ms=5_000))))
    assert trial.is_whole
    assert trial.is_identical
    assert not trial.has_all_stderr
    assert trial.same_bytes == trial.plain.stdout_bytes == len(ANSWER)
    assert trial.plain.stderr_bytes == 0  # it is not kept


def test_over_the_limit_as_it_is_and_accepted_when_gathered(package: Package, tried: Try) -> None:
    source = """
        #include <iostream>
        int main() {
            for (int i = 0; i < LINES; i++) {
                for (int j = 0; j < 3; j++) std::cerr << "step " << j << "\\n";
                std::cout << i << '\\n';
            }
        }"""
    first = trial_of(tried("cpp", source))
    between_us = math.sqrt(first.plain.usage.cpu_time_us * first.buffered.usage.cpu_time_us)
    trial = trial_of(tried("cpp", source, within(package, time_limit_ms=round(between_us / 1_000))))
    assert trial.plain.verdict is Verdict.TLE
    assert trial.buffered.verdict is Verdict.AC
    assert trial.is_identical


def test_a_wrong_program_stays_wrong_however_fast(tried: Try) -> None:
    trial = trial_of(tried("python", "for i in range(LINES): print(-i, flush=True)"))
    assert trial.is_identical
    assert trial.buffered.verdict is Verdict.WA
    assert trial.plain.verdict is Verdict.WA


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_of_output_that_varies_from_run_to_run_nothing_is_claimed(stream: str, tried: Try) -> None:
    source = f"""
        import sys, time
        for i in range(LINES): print(i, flush=True)
        print(time.time_ns(), file=sys.{stream})"""
    trial = trial_of(tried("python", source))
    assert trial.is_whole
    assert not trial.is_identical
    assert len(ANSWER) <= trial.same_bytes < trial.plain.stdout_bytes + trial.plain.stderr_bytes


def test_a_program_that_knows_how_it_is_run_gets_no_claim(tried: Try) -> None:
    source = """
        import os
        with open("/proc/self/maps") as maps:
            gathered = "coalesce" in maps.read()
        for i in range(LINES): print(i, flush=True)
        os._exit(0 if gathered else 1)"""
    trial = trial_of(tried("python", source))
    assert trial.is_whole
    assert trial.same_bytes == len(ANSWER)
    assert not trial.is_identical


def test_what_does_not_end_even_with_more_time_is_compared_as_far_as_it_came(package: Package, tried: Try) -> None:
    source = """
        #include <cstdio>
        #include <cstring>
        #include <unistd.h>
        int main() {
            char line[16];
            for (int i = 0; i < LINES; i++) write(1, line, sprintf(line, "%d\\n", i));
            for (FILE *maps = fopen("/proc/self/maps", "r"); fgets(line, sizeof line, maps);)
                if (strstr(line, "coalesce")) return 0;
            for (;;) {}
        }"""
    trial = trial_of(tried("cpp", source, within(package, time_limit_ms=100)))
    assert not trial.is_whole
    assert not trial.is_identical
    assert trial.same_bytes == trial.plain.stdout_bytes == len(ANSWER)
    assert trial.plain.verdict is Verdict.TLE
    assert trial.plain.usage.wall_time_us > 100_000  # it went on beyond its limit, and had no end


def test_a_program_that_is_slow_otherwise_is_stopped_again(package: Package, tried: Try) -> None:
    tried_case = tried(
        "cpp", "int main() { for (volatile int i = 0;; i = i + 1) {} }", within(package, time_limit_ms=100)
    )
    assert tried_case.result is None
    assert "did not come to its end: buffering its output is not enough" in tried_case.problem


def test_a_program_whose_writes_cannot_be_gathered_is_said_to_be_one(package: Package, tried: Try) -> None:
    source = """
        with open("mine", "wb", buffering=0) as mine:
            while True:
                mine.write(b"x")
                mine.seek(0)"""
    tried_case = tried("python", source, within(package, time_limit_ms=100))
    assert tried_case.result is None
    assert "could not be buffered" in tried_case.problem


@pytest.mark.parametrize(
    ("language", "source", "words"),
    [
        ("python", "print(1, flush=True)\nprint(1 // 0)", "an error of its own"),
        ("cpp", "#include <cstdlib>\nint main() { abort(); }", "an error of its own"),
        ("python", "b = bytearray(200 * 1024 * 1024)\nprint(len(b))", "memory limit"),
        ("python", "while True: print('x' * 1000, flush=True)", "output limit"),
        ("python", "print(", "could not be compiled again"),
    ],
)
def test_a_program_that_fails_gets_a_sentence(language: str, source: str, words: str, tried: Try) -> None:
    tried_case = tried(language, source)
    assert tried_case.result is None
    assert words in tried_case.problem
    assert "exit code" not in tried_case.problem


def test_a_program_that_is_linked_statically_says_so(tried: Try, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LANGUAGES, "cpp", replace(CPP, compile_flags=(*CPP.compile_flags, "-static")))
    assert tried("cpp", PROGRAMS["stdout", "cpp"]) == RerunEnded(name="secret/1", result=None, problem=STATIC)


def test_who_names_no_dynamic_linker_is_linked_statically(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_bytes(b"#!/bin/sh\n" * 20)
    assert is_linked_statically(text)
    assert not is_linked_statically(Path("/usr/bin/python3"))


def test_a_conversation_is_not_tried(package: Package, tried: Try) -> None:
    assert tried("python", "print(1)", replace(package, is_interactive=True)).problem == INTERACTIVE


def test_a_case_of_several_passes_is_not_tried(package: Package, tried: Try) -> None:
    assert tried("python", "print(1)", replace(package, most_passes=2)).problem == SEVERAL_PASSES


def test_a_broken_package_is_told(tmp_path: Path, tried: Try) -> None:
    broken = make_package(tmp_path / "broken", {"secret/1": ("1\n", "1\n")}, validator=("check.cpp", "int main( {"))
    assert "package is broken" in tried("python", "print(1)", broken).problem


def test_the_limit_of_write_calls_counts_for_either_run(package: Package, tried: Try) -> None:
    trial = trial_of(tried("python", PROGRAMS["stdout", "python"], within(package, write_calls=1_000)))
    assert trial.plain.verdict is Verdict.SLE
    assert trial.buffered.verdict is Verdict.AC


@pytest.mark.parametrize("code", ["flush-per-line", "unbuffered-stderr"])
def test_a_finding_about_small_writes_suggests_its_case(code: str) -> None:
    summary = Finding(code="summary", evidence={"test_case": "secret/1"})
    small = Finding(code=code, evidence={"test_case": "secret/2"})
    assert worth_trying((summary, small)) == "secret/2"
    assert worth_trying((summary,)) == ""


def test_too_many_writes_suggest_their_case_and_too_many_reads_do_not() -> None:
    for what, named in (("write", "secret/2"), ("read", "")):
        evidence = {"test_case": "secret/2", f"{what}_calls": 5_000, f"{what}_bytes": 5_000}
        assert worth_trying((Finding(code="call-limit", evidence=evidence),)) == named


def within(package: Package, **limits: int) -> Package:
    return replace(package, limits=replace(package.limits, **limits))  # type: ignore[arg-type]  # all of them are numbers
