"""The rules on made-up numbers: each speaks when it should, and, as important, keeps silent when it should not."""

from dataclasses import replace

import pytest

from judge.grading.case_ending import CaseEnding
from judge.grading.events import CaseJudged
from judge.grading.explain import explain, main_cause
from judge.grading.explain.evidence.facts import Facts
from judge.grading.languages import CPP, PYTHON, RUST, Language
from judge.grading.reading.program_errors import ErrorKind, Origin, ProgramError
from judge.grading.verdicts import Verdict
from problems.package import ProblemLimits
from sandbox.types import Ending, IoProfile, Profile, StreamUse, Usage
from tests.judge.grading.reading.syntax.test_code import code_of
from tests.judge.spoken import findings, spoken

ENDL = (
    b"#include <iostream>\nusing namespace std;\nint main() {\n  // endl\n"
    b'  for (int i = 0; i < 9; i++) cout << "endl" << 1 << endl;\n}\n'
)


def case(verdict: Verdict = Verdict.AC, **changes: object) -> CaseJudged:
    """An unremarkable case; `changes` replace its fields."""
    plain = CaseJudged(
        name="secret/1",
        is_sample=False,
        verdict=verdict,
        usage=Usage(user_time_us=200_000, system_time_us=8_000, wall_time_us=210_000),
        io=IoProfile(read_calls=40, write_calls=840, read_bytes=160_000, write_bytes=6_888_890),
        exit_code=0,
        signal=None,
        stdout_bytes=6_888_890,
        stderr_bytes=0,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def facts(*cases: CaseJudged, language: Language = CPP, source: bytes = b"", **changes: object) -> Facts:
    failed = next((case.verdict for case in cases if case.verdict is not Verdict.AC), Verdict.AC)
    plain = Facts(
        language=language,
        source=source,
        limits=ProblemLimits(time_limit_ms=1_000),
        verdict=failed,
        cases=cases,
        profiles={},
        total_cases=len(cases),
        read_code=code_of,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_the_signals_of_a_division_are_explained_to_those_who_cannot_know_them() -> None:
    failed = case(Verdict.RE, exit_code=None, signal=4)
    finding = findings(facts(case(), failed, source=b"int main() { int a, b = 0; std::cin >> a; return a / b; }"))[
        "division"
    ]
    assert "divided by zero" in finding.text
    assert finding.evidence == {"test_case": "secret/1", "signal": "SIGILL"}
    assert "floating point" in findings(facts(replace(failed, signal=8)))["division"].text
    for silent in (
        facts(failed, language=RUST),
        facts(failed, source=b"int main() { __builtin_trap(); } // a / b"),
        facts(failed, source=b"int main(int a, char **) { return a / 2; }"),
        facts(replace(failed, signal=11)),
        facts(replace(failed, verdict=Verdict.TLE)),
        facts(case()),
    ):
        assert "division" not in findings(silent)


MANY_WRITES = case(
    Verdict.TLE,
    usage=Usage(user_time_us=260_000, system_time_us=940_000, wall_time_us=1_210_000),
    io=IoProfile(read_calls=40, write_calls=3_000_000, read_bytes=160_000, write_bytes=6_000_000),
    stdout_bytes=6_000_000,
    exit_code=None,
    signal=9,
)


def test_an_accepted_program_gets_its_numbers_and_nothing_else() -> None:
    told = findings(facts(case(), case(name="secret/2", usage=Usage(user_time_us=5_000, wall_time_us=5_000))))
    assert list(told) == ["summary"]
    assert told["summary"].text == (
        "All 2 test cases are accepted; the slowest, secret/1, used 0.21 s of CPU time (3 % of it in the kernel) with "
        "840 write calls of 8.0 KiB on average. The limit is 1 s."
    )


def test_many_small_writes_are_named_with_the_line_that_makes_them() -> None:
    told = findings(facts(MANY_WRITES, source=ENDL))
    assert told["flush-per-line"].text == (
        "Your program made 3,000,000 write calls of 2 bytes on average on secret/1 before it was stopped; 78 % of its "
        "CPU time (0.94 s of 1.20 s) was spent in the kernel."
    )
    assert told["flush-per-line"].lines == (5,)
    assert told["flush-per-line"].advice == "`endl` flushes each time: write `'\\n'` instead."
    assert told["flush-per-line"].evidence == {
        "test_case": "secret/1",
        "is_stopped": True,
        "write_calls": 3_000_000,
        "bytes_per_write": 2.0,
        "system_time_us": 940_000,
        "cpu_time_us": 1_200_000,
        "kernel_percent": 78,
        "weight_percent": 77,
        "construct": "endl",
    }
    assert "algorithm" not in told
    assert "unbuffered-stderr" not in told
    finished = findings(facts(replace(MANY_WRITES, exit_code=0, signal=None)))["flush-per-line"]
    assert "on secret/1; 78 %" in finished.text


WRITES_ONCE = (b"int main() { while (cin >> x) s += x; }", b"int main() { cout << 1 << endl; }")


@pytest.mark.parametrize(
    ("language", "source", "construct"),
    [
        (CPP, b"int main() { for (;;) cout << 1 << flush; }", "flush"),
        (CPP, b"int main() { while (1) { printf(a); fflush(stdout); } }", "fflush"),
        (CPP, b"int main() { cout << unitbuf; }", "unitbuf"),
        (CPP, b"int main() { while (cin >> x) cout << x << '\\n'; }", "cin.tie"),
        (CPP, b"int main() { cin.tie(nullptr); while (cin >> x) cout << x << '\\n'; }", None),
        (CPP, WRITES_ONCE[0], None),
        (CPP, b"int main() { for (;;) write(1, &c, 1); }", "write()"),
        (CPP, WRITES_ONCE[1], None),
        (PYTHON, b"for i in x: print(i, flush=True)", "flush=True"),
        (PYTHON, b"import sys\nfor i in x: print(i); sys.stdout.flush()", "flush()"),
        (PYTHON, b"for i in x: print(input())", "input()"),
        (PYTHON, b"import os\n# flush=True\nwhile 1: os.write(1, b'1')", "os.write()"),
        (RUST, b'fn main() { loop { println!("{}", 1); } }', "println!"),
        (RUST, b'fn main() { for i in 0..n {\nprintln!("{}", i); }\nstdout().flush(); }', "println!"),
        (RUST, b'fn main() { let mut o = BufWriter::new(stdout()); loop { println!("{}", 1); } }', "println!"),
        (RUST, b'fn main() { let o = stdout().lock(); loop { writeln!(o, "x"); } }', "writeln!"),
        (RUST, b"fn main() { let o = BufWriter::new(stdout()); loop { writeln!(o); o.flush(); } }", "flush()"),
        (RUST, b"fn main() { let o = BufWriter::new(stdout()); loop { writeln!(o); } }", None),
    ],
)
def test_the_construct_is_named_by_language(language: Language, source: bytes, construct: str | None) -> None:
    finding = findings(facts(MANY_WRITES, language=language, source=source))["flush-per-line"]
    assert finding.evidence.get("construct") == construct
    assert bool(finding.lines) is (construct is not None)
    assert bool(finding.advice) is (source not in WRITES_ONCE)  # where no loop writes, there is nothing to gather


def test_printing_that_may_be_too_slow_without_its_flushes_is_the_next_step() -> None:
    source = b"for i in x:\n    print(i, flush=True)"
    first = "`flush=True` flushes each time: leave it out."
    much = replace(MANY_WRITES, printed_lines=400_000)
    told = findings(facts(much, language=PYTHON, source=source))["flush-per-line"]
    assert told.advice.startswith(f"{first} That alone may not be enough. Each `print` costs much more")
    few = findings(facts(replace(much, printed_lines=40_000), language=PYTHON, source=source))["flush-per-line"]
    assert few.advice == first


@pytest.mark.parametrize(
    "changes",
    [
        {"io": IoProfile(write_calls=9_999, write_bytes=20_000)},  # few
        {"io": IoProfile(write_calls=3_000_000, write_bytes=3_000_000 * 4_096)},  # large
        {"usage": Usage(user_time_us=1_100_000, system_time_us=100_000)},  # cheap
        {"stdout_bytes": 1_000},  # not to stdout
        {
            "usage": Usage(user_time_us=260_000, system_time_us=940_000, minor_faults=6_000_000)
        },  # the kernel had other work
        {"io": replace(MANY_WRITES.io, read_calls=12_000_000)},  # likewise
        {"verdict": Verdict.AC, "usage": Usage(user_time_us=20_000, system_time_us=60_000)},  # fast and right
    ],
    ids=["few", "large", "cheap", "elsewhere", "faults", "reads", "fast"],
)
def test_writes_are_not_blamed_without_the_numbers(changes: dict[str, object]) -> None:
    assert "flush-per-line" not in findings(facts(replace(MANY_WRITES, **changes), source=ENDL))  # type: ignore[arg-type]


def profile(stdout: int, stderr: int) -> Profile:
    streams = {"stdin": 0, "stdout": stdout, "stderr": stderr, "files": 3}
    return Profile(syscalls={}, streams={name: StreamUse(calls=calls) for name, calls in streams.items()})


def test_the_profile_tells_stdout_from_stderr() -> None:
    both = replace(MANY_WRITES, stderr_bytes=3_000_000, stdout_bytes=3_000_000)
    to_stderr = findings(facts(both, profiles={"secret/1": profile(stdout=700, stderr=3_000_000)}))
    assert "flush-per-line" not in to_stderr
    assert to_stderr["unbuffered-stderr"].text == (
        "Your program wrote 2.9 MiB to stderr on secret/1 before it was stopped, which nobody checks. Most of its "
        "3,000,000 write calls went there; 78 % of its CPU time (0.94 s of 1.20 s) was spent in the kernel."
    )
    to_stdout = findings(facts(both, profiles={"secret/1": profile(stdout=3_000_000, stderr=700)}))
    assert "flush-per-line" in to_stdout
    assert "unbuffered-stderr" not in to_stdout


@pytest.mark.parametrize(
    ("language", "source"),
    [
        (CPP, b"int main() { for (;;) // cerr\ncerr << count; cerr << 1; }"),
        (CPP, b'int main() { for (;;) /* stderr */\nfprintf(stderr, "%d", count); }'),
        (PYTHON, b"import sys\nfor i in x: print(count, file=sys.stderr)"),
        (RUST, b'fn main() { loop { println!("1");\neprintln!("{}", count); } }'),
        (RUST, b"fn main() { loop {\ndbg!(count); } }"),
    ],
)
def test_the_lines_that_print_to_stderr_are_named(language: Language, source: bytes) -> None:
    debugging = replace(MANY_WRITES, stderr_bytes=5_999_000, stdout_bytes=1_000)
    finding = findings(facts(debugging, language=language, source=source))["unbuffered-stderr"]
    assert finding.advice.endswith("leave out what prints there.")
    assert finding.lines == (2,)


def test_without_a_profile_the_bytes_tell() -> None:
    debugging = replace(MANY_WRITES, stderr_bytes=5_999_000, stdout_bytes=1_000)
    assert {"unbuffered-stderr"} == findings(facts(debugging)).keys() - {"summary"}


def test_a_slow_algorithm_is_not_blamed_on_output() -> None:
    slow = case(
        Verdict.TLE,
        usage=Usage(user_time_us=1_180_000, system_time_us=20_000, wall_time_us=1_200_000),
        io=IoProfile(read_calls=12, write_calls=1, read_bytes=50_000, write_bytes=7),
    )
    told = findings(facts(slow, source=ENDL))
    assert told.keys() == {"summary", "algorithm"}
    assert told["algorithm"].text == (
        "Your program's own computation made secret/1 too slow, not its input or output: 98 % of the CPU time (1.18 s "
        "of 1.20 s) was spent in your program itself and its libraries, with 12 read calls and 1 write call."
    )
    assert main_cause(explain(facts(slow)), Verdict.TLE) == "algorithm"
    all_of_it = replace(slow, usage=Usage(user_time_us=1_199_000, system_time_us=4_000, wall_time_us=1_203_000))
    told = findings(facts(all_of_it, source=ENDL))
    assert (
        "not its input or output: nearly all of the CPU time (1.20 s) was spent in your program itself"
        in told["algorithm"].text
    )
    assert told["algorithm"].evidence["own_percent"] == 99
    reader = replace(slow, io=replace(slow.io, read_bytes=20_000_000))  # reading it may have taken as long
    assert "algorithm" not in findings(facts(reader))


def test_fewer_steps_are_no_advice_for_a_program_that_may_never_end() -> None:
    busy = Usage(user_time_us=1_180_000, system_time_us=20_000, wall_time_us=1_200_000)
    slow = case(Verdict.TLE, name="secret/3", usage=busy, io=IoProfile(read_calls=12), exit_code=None, signal=9)
    source = b"int main() { int n; cin >> n; while (n != 1) n = n % 2 ? 3 * n + 1 : n / 2; cout << n; }"
    unknown = facts(slow, source=source)
    told = findings(unknown)["algorithm"]
    assert "Whether it would have come to an end, these numbers do not tell." in told.text
    assert told.advice.startswith("Check first that every loop ends")
    assert "fewer steps" in findings(replace(unknown, source=ENDL))["algorithm"].advice  # all of its loops end
    ended = [
        case(name=f"secret/{number}", usage=Usage(user_time_us=100_000 * number), io=slow.io, stdout_bytes=9)
        for number in (1, 2)
    ]
    sizes = {f"secret/{number}": 10**number for number in (1, 2, 3)}
    grows = replace(unknown, cases=(*ended, slow), input_bytes=sizes)
    assert findings(grows)["algorithm"].advice.startswith("Use an algorithm with fewer steps")
    same = (ended[0], replace(ended[1], usage=ended[0].usage))
    assert findings(replace(grows, cases=(*same, slow)))["algorithm"].advice.startswith("Check first")


def test_waiting_is_not_blamed_on_the_algorithm() -> None:
    asleep = case(
        Verdict.TLE,
        usage=Usage(user_time_us=9_000, system_time_us=1_000, wall_time_us=3_000_000, voluntary_switches=2),
    )
    told = findings(facts(asleep))
    assert told.keys() == {"summary", "waiting"}
    assert "for 2.99 s it was waiting, not computing. It gave up its core 2 times" in told["waiting"].text
    assert "its wall time of 3.00 s exceeded the wall limit" in told["summary"].text


def test_a_busy_machine_is_not_blamed_on_the_program() -> None:
    usage = Usage(user_time_us=900_000, wall_time_us=3_000_000, queued_time_us=2_000_000)
    assert findings(facts(case(usage=usage))).keys() == {"summary"}


@pytest.mark.parametrize(
    ("expected", "output", "words"),
    [
        (b"3\n", b"debug 1\ndebug 2\n3\n", "2 more lines"),
        (b"3\n1\n", b"x\n3\nx\n1\n", "2 more lines"),
        (b"3\n", b"count: 3\n", "1 more word:"),
        (b"3\n", b"sum 3 done\n", "other text around it"),
        (b"3\n", "합은 3입니다\n".encode(), "other text around it"),
        (b"3 -4\n5\n", b"The first is 3, then -4.\nThen 5!\n", "other text around it"),
        (b"3\n", b"1 + 2 = 3.\n", None),  # another number may be meant as the answer
        (b"3\n", b"sum 3.5 done\n", None),
        (b"3\n", b"sum -3 done\n", None),
        (b"3\n", b"sum\n3 done\n", None),
        (b"3\n", b"3\nbye\n", None),
        (b"3\n", b"4\n", None),
        (b"3\n1\n", b"1\n3\n1 2\n", None),
        (b"3\n", b"", None),
        (b"", b"x\n", None),
    ],
)
def test_a_leftover_print_is_recognised_in_a_sample(expected: bytes, output: bytes, words: str | None) -> None:
    wrong = case(Verdict.WA, is_sample=True, expected=expected, output=output, stdout_bytes=len(output))
    finding = findings(facts(wrong)).get("leftover-output")
    assert (words in finding.text) if finding and words else (finding is None and words is None)
    hidden = replace(wrong, is_sample=False)
    assert "leftover-output" not in findings(facts(hidden))


@pytest.mark.parametrize(
    ("verdict", "code", "words"),
    [
        (Verdict.CE, "compile", "did not compile"),
        (Verdict.JE, "judge-error", "not your program"),
    ],
)
def test_every_verdict_has_a_sentence_even_without_cases(verdict: Verdict, code: str, words: str) -> None:
    (finding,) = findings(facts(verdict=verdict, total_cases=3)).values()
    assert (finding.code, words in finding.text) == (code, True)


REFUSED = CaseEnding(how=None, refusal="Exec format error")
LOST = ProgramError(kind=ErrorKind.EXCEPTION, name="KeyError", origin=Origin.THREAD)
LOST_PART = CaseEnding(how=Ending.EXITED, lost=LOST)
FLOODED = CaseEnding(how=Ending.OUTPUT_LIMIT, limit=8 << 20, stream="stdout")


@pytest.mark.parametrize(
    ("verdict", "changes", "words"),
    [
        (Verdict.WA, {}, "its output is wrong. It used 0.21 s"),
        (
            Verdict.WA,
            {"ending": LOST_PART},
            "its output is wrong. It used 0.21 s of CPU time (3 % of it in the kernel).",
        ),
        (Verdict.RE, {}, "it failed while running."),
        (
            Verdict.RE,
            {"ending": REFUSED},
            "running (the program cannot be started: Exec format error).",
        ),
        (Verdict.MLE, {}, "needed more than the 2 GiB of memory"),
        (Verdict.OLE, {}, "wrote more than is allowed."),
        (Verdict.OLE, {"ending": FLOODED}, "wrote more than is allowed (output limit of 8 MiB on stdout)."),
    ],
)
def test_the_summary_names_the_first_failure(verdict: Verdict, changes: dict[str, object], words: str) -> None:
    told = findings(facts(case(), case(verdict, name="secret/2", **changes), case(Verdict.WA, name="secret/3")))
    assert told["summary"].text.startswith("secret/2 is the first test case to fail (1 of 3 accepted): ")
    assert words in told["summary"].text
    assert ("too-much-output" in told) is (verdict is Verdict.OLE)


def test_threads_that_share_one_core_are_not_said_to_wait() -> None:
    usage = Usage(user_time_us=960_000, wall_time_us=2_730_000, voluntary_switches=2, involuntary_switches=1_204)
    assert "waiting" not in findings(facts(case(Verdict.TLE, usage=usage)))


@pytest.mark.parametrize(
    ("language", "source", "lines_named"),
    [
        (PYTHON, "for i in x:\n    print('debug', i)\nprint(n)", (2,)),
        (PYTHON, "for i in x:\n    print(i)\nprint(n)", (2,)),
        (PYTHON, "for i in x:\n    print(i)\n    print(n)", ()),  # which of them nobody can tell
        (CPP, 'int main() { for (;;)\nprintf("debug %d\\n", i); cout << n; }', (2,)),
        (RUST, 'fn main() { for i in x {\nprintln!("debug {}", i); }\nprintln!("{}", n); }', (2,)),
    ],
)
def test_the_print_that_was_left_in_is_pointed_at(
    language: Language, source: str, lines_named: tuple[int, ...]
) -> None:
    output = b"debug 1\ndebug 2\n3\n"
    wrong = case(Verdict.WA, is_sample=True, expected=b"3\n", output=output, stdout_bytes=len(output))
    found = findings(facts(wrong, language=language, source=source.encode()))["leftover-output"]
    assert found.lines == lines_named


THREADS = b"import threading\nthreading.Thread(target=f).start()"


def threads(futex: int, cores: int = 2, **usage: int) -> Facts:
    measured = {"user_time_us": 1_200_000, "wall_time_us": 1_250_000, "voluntary_switches": 600, **usage}
    syscalls = {"clone3": 4, "futex": futex}
    profiles = {"secret/1": Profile(syscalls=syscalls, streams={})}
    limits = ProblemLimits(time_limit_ms=1_000, cores=cores)
    slow = case(Verdict.TLE, usage=Usage(**measured), io=IoProfile(read_calls=12, write_calls=1))
    return facts(slow, language=PYTHON, source=THREADS, profiles=profiles, limits=limits)


def test_threads_that_share_an_interpreter_are_told_so() -> None:
    told = explain(threads(2_000))
    found = spoken(told, PYTHON)["taking-turns"]
    assert "1.20 s of CPU time in 1.25 s of wall time" in found.text
    assert found.lines == (2,)
    assert main_cause(told, Verdict.TLE) == "algorithm"  # the limit counts the CPU time of all threads
    waiting = explain(threads(90_000, user_time_us=400_000, system_time_us=300_000, voluntary_switches=90_000))
    assert "one of them waited for another" in spoken(waiting, PYTHON)["taking-turns"].text
    for silent in (
        threads(2_000, cores=1),
        threads(2_000, voluntary_switches=5),  # one after the other
        threads(2_000, wall_time_us=650_000),  # side by side
        replace(threads(2_000), source=b"print(1)"),
    ):
        assert "taking-turns" not in {finding.code for finding in explain(silent)}


def test_output_far_beyond_the_answer_is_named_without_telling_the_answer() -> None:
    wrong = case(Verdict.WA)
    found = findings(facts(wrong, answer_bytes={"secret/1": 7}))["too-much-output"]
    assert found.text == "On secret/1 your program wrote 6.6 MiB to stdout, more than 100 times what the answer has."
    assert "7" not in map(str, found.evidence.values())
    for silent in (facts(wrong, answer_bytes={"secret/1": 600_000}), facts(case(), answer_bytes={"secret/1": 7})):
        assert "too-much-output" not in findings(silent)


def test_writes_that_took_a_third_of_the_time_are_the_cause_as_those_that_took_most_of_it() -> None:
    third = replace(MANY_WRITES, usage=Usage(user_time_us=800_000, system_time_us=400_000))
    for slow in (third, MANY_WRITES):
        assert main_cause(explain(facts(slow, source=ENDL)), Verdict.TLE) == "flush-per-line"


def test_output_that_repeats_one_line_comes_from_a_loop_that_may_never_end() -> None:
    source = b"int main() { std::cout << 1;\nwhile (true) {\n std::cout << a + b << '\\n'; } }"
    endless = case(Verdict.OLE, stdout_bytes=8_500_000, repeated_lines=4_123_456, exit_code=None)
    found = findings(facts(endless, source=source))["too-much-output"]
    assert found.text.endswith(
        "The output ends with the same line, 4,123,456 times in a row: the loop that prints it may never end."
    )
    assert found.lines == (3,)
    assert findings(facts(replace(endless, repeated_lines=9), source=source))["too-much-output"].lines == ()
    too_slow = facts(replace(endless, verdict=Verdict.TLE), source=source, answer_bytes={"secret/1": 7})
    assert "4,123,456 times in a row" in findings(too_slow)["too-much-output"].text


def test_threads_of_python_that_only_compute_are_told_that_they_take_turns() -> None:
    slow = case(Verdict.TLE, usage=Usage(user_time_us=1_190_000, wall_time_us=1_200_000), io=IoProfile(read_calls=12))
    source = b"import threading\nthreading.Thread(target=f).start()\nfor i in range(n): s += i"
    told = findings(facts(slow, language=PYTHON, source=source))["algorithm"]
    assert "only the one that holds Python's interpreter lock runs" in told.text
    assert "lock" not in findings(facts(slow, language=PYTHON, source=b"for i in range(n): s += i"))["algorithm"].text
    threads = b"int main() { std::thread t(f); for (int i = 0; i < n; i++) s += i; }"
    assert "lock" not in findings(facts(slow, source=threads))["algorithm"].text
