"""Interactive problems for real: programs and interactors that talk, hang, flood, crash and leave."""

import re
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.case_ending import CaseEnding
from judge.grading.events import CaseJudged, CaseProfiled as Profiled, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.languages import language_by_id, language_of_file
from judge.grading.running import interaction
from judge.grading.submission.grading import grade, profile_case
from judge.grading.verdicts import Verdict
from problems.loading.loading import load_package
from problems.package import Package, ProblemLimits
from sandbox.errors import CommandError
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.pair import PairOutcome, Side
from sandbox.types import Ending
from tests.judge.juries import verified
from tests.judge.packages import LIMITS, make_package
from tests.judge.spoken import spoken

LIBRARY = Path(__file__).resolve().parents[4] / "problems" / "library"
# Sends the input, wants its double back; then praises, unless the argument "curt" is given. Fails if it reads "crash".
PYTHON = """
import sys
from pathlib import Path
input_file, answer_file, feedback, *arguments = sys.argv[1:]
number = int(Path(input_file).read_text())
print(number, flush=True)
reply = sys.stdin.readline().strip()
Path(feedback, "judgemessage.txt").write_text(f"heard {reply}")
if reply == "crash":
    raise ValueError("on purpose")
if reply == str(2 * number):
    if "curt" not in arguments:
        print("well done", flush=True)
    sys.exit(42)
sys.exit(43)
"""
CPP = """
#include <fstream>
#include <iostream>
int main(int, char **argv) {
    long number, reply;
    std::ifstream(argv[1]) >> number;
    std::cout << number << std::endl;
    if (!(std::cin >> reply)) return 43;
    std::ofstream(std::string(argv[3]) + "judgemessage.txt") << "heard " << reply;
    return reply == 2 * number ? 42 : 43;
}
"""
CASES = {"sample/1": ("4\n", ""), "secret/1": ("5\n", ""), "secret/2": ("7\n", "")}
QUICK = replace(LIMITS, time_limit_ms=300)
RIGHT = "print(2 * int(input()))"


def package_with(
    folder: Path,
    interactor: str,
    name: str = "interactor.py",
    *,
    flags: tuple[str, ...] = (),
    limits: ProblemLimits = QUICK,
    cases: int = 3,
) -> Package:
    """An interactive package with the first of the cases."""
    chosen = dict(list(CASES.items())[:cases])
    source = textwrap.dedent(interactor)
    return make_package(folder, chosen, validator=(name, source), flags=flags, limits=limits, is_interactive=True)


def judged(
    package: Package,
    source: str,
    sandbox: NsjailSandbox,
    work_root: Path,
    language: str = "python",
    profile: ProfilePolicy = ProfilePolicy.NONE,
) -> tuple[GradingFinished, list[CaseJudged], list[Profiled]]:
    """Grade the program: the end, the cases, the profiles."""
    job = GradingJob(package=package, language=language, source=textwrap.dedent(source).encode(), profile=profile)
    *events, finished = grade(job, sandbox, work_root)
    assert isinstance(finished, GradingFinished)
    cases = [event for event in events if isinstance(event, CaseJudged)]
    return finished, cases, [event for event in events if isinstance(event, Profiled)]


@pytest.mark.parametrize(("name", "interactor"), [("interactor.py", PYTHON), ("interactor.cpp", CPP)])
def test_its_word_counts_and_is_for_staff(
    tmp_path: Path, name: str, interactor: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = package_with(tmp_path, interactor, name)
    assert verified(package, sandbox, work_root)[0].errors == ()
    finished, cases, _ = judged(package, RIGHT, sandbox, work_root)
    assert (finished.verdict, [case.verdict for case in cases]) == (Verdict.AC, [Verdict.AC] * 3)
    assert [case.judge_message for case in cases] == ["heard 8", "heard 10", "heard 14"]
    assert not any(case.ending or case.output or case.expected for case in cases)


def test_its_flags_are_its_arguments(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    listens = "print(2 * int(input()), flush=True); assert input() == 'well done'"
    for flags, verdict in (((), Verdict.AC), (("curt",), Verdict.RE)):
        package = package_with(tmp_path, PYTHON, flags=flags, cases=1)
        assert judged(package, listens, sandbox, work_root)[0].verdict is verdict


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("print(1 + int(input()))", "WA"),
        ("print(1, flush=True); import time; time.sleep(60)", "WA"),
        ("", "WA"),
        (f"{RIGHT}\nraise SystemExit(3)", "RE"),
        ("import os; os.kill(os.getpid(), 11)", "RE"),
        ("print(2 * int(input()), flush=True); import time; time.sleep(60)", "TLE"),
        ("import sys; sys.stdin.readline(); print(8); sys.stdin.readline()", "TLE"),
        ("while True: pass", "TLE"),
        ("x = b'x' * (200 << 20)", "MLE"),
        ("import sys\nwhile True: sys.stderr.write('x' * 10**6)", "OLE"),
    ],
)
def test_the_program_gets_the_verdict_that_it_earns(
    tmp_path: Path, source: str, verdict: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    finished, (case,), _ = judged(package_with(tmp_path, PYTHON, cases=1), source, sandbox, work_root)
    assert finished.verdict.value == verdict, case


@pytest.mark.parametrize(
    ("interactor", "source", "words"),
    [
        ("raise SystemExit(0)", "input()", "exited with 0 on sample/1 while the submission was running"),
        ("import os; os.kill(os.getpid(), 11)", "input()", "SIGSEGV"),
        ("while True: pass", "input()", "failed: CPU time limit of 0.2 s"),
        ("x = b'x' * (1 << 29)", "input()", "failed: memory limit of 128 MiB"),
        ("input()\n1 // 0", RIGHT.replace("input()", "4"), "ZeroDivisionError"),
        ("import sys; sys.stdin.read(); 1 // 0", "", "after the submission had ended (exit code 0)"),
        ("import sys; sys.stdin.read()\nwhile True: pass", "", "CPU time limit of 0.2 s"),
        ("def (", RIGHT, "does not compile"),
    ],
)
def test_an_interactor_that_fails_by_itself_is_a_judge_error_that_names_it(
    tmp_path: Path, interactor: str, source: str, words: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    limits = replace(QUICK, validation_time_ms=200, validation_memory_bytes=128 * 1024 * 1024)
    package = package_with(tmp_path, interactor, limits=limits)
    finished, cases, _ = judged(package, source, sandbox, work_root)
    assert finished.verdict is Verdict.JE
    assert finished.judge_message.startswith("interactor.py: the checker ")
    assert words in finished.judge_message
    assert [case.verdict for case in cases] in ([], [Verdict.JE])


@pytest.mark.parametrize(
    ("interactor", "source", "verdict"),
    [
        ("input()\nraise SystemExit(42)", "", "WA"),  # EOFError
        ("import sys; sys.stdin.read()\nwhile True: print('x' * 1000)", "", "WA"),  # BrokenPipeError
        ("input()\nraise SystemExit(42)", "raise SystemExit(1)", "RE"),
        ("import sys; sys.stdin.read(); 1 // 0", "while True: pass", "TLE"),
        ("import sys; sys.stdin.read()\nwhile True: pass", "raise SystemExit(1)", "RE"),
    ],
)
def test_an_interactor_that_was_left_alone_may_fail(
    tmp_path: Path, interactor: str, source: str, verdict: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    limits = replace(QUICK, validation_time_ms=200)
    finished, (case,), _ = judged(
        package_with(tmp_path, interactor, limits=limits, cases=1), source, sandbox, work_root
    )
    assert finished.verdict.value == verdict
    assert "after the submission had ended" in case.judge_message


def test_an_end_that_the_interactor_makes_is_seen_at_once(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    says_all = """
    import os, sys
    print(*range(5), sep="\\n", flush=True)
    os.close(1)
    sys.exit(42 if sys.stdin.read().split() == ["10"] else 43)
    """
    reads_all = "import sys\nprint(sum(map(int, sys.stdin.read().split())))"
    finished, _, _ = judged(package_with(tmp_path, says_all), reads_all, sandbox, work_root)
    assert finished.verdict is Verdict.AC, finished.judge_message


@pytest.mark.parametrize(
    ("interactor", "source", "verdict"),
    [
        ("input()\nraise SystemExit(42)", "import os, time\nos.close(1)\ntime.sleep(0.3)", "WA"),  # EOFError
        ("input()\nraise SystemExit(42)", "import os, time\nos.close(1)\ntime.sleep(60)", "TLE"),
        ("import sys; sys.exit(42 if sys.stdin.read() else 43)", "import os, time\nos.close(1)\ntime.sleep(60)", "TLE"),
        (
            "import sys; sys.exit(42 if sys.stdin.read() else 43)",
            "import os, time\nos.close(1)\ntime.sleep(0.2); 1 // 0",
            "RE",
        ),
        ("while True: print('x' * 1000)", "import os, time\nos.close(0)\ntime.sleep(0.3)", "WA"),  # BrokenPipeError
    ],
)
def test_a_program_that_hangs_up_and_lives_on_cannot_make_a_judge_error(
    tmp_path: Path, interactor: str, source: str, verdict: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    finished, _, _ = judged(package_with(tmp_path, interactor, cases=1), source, sandbox, work_root)
    assert finished.verdict.value == verdict, finished.judge_message


def test_one_in_cpp_that_writes_to_nobody_may_fail_too(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    interactor = '#include <cstdio>\nint main() { while (getchar() != EOF) {} for (;;) puts("more"); }'
    package = package_with(tmp_path, interactor, "interactor.cpp", cases=1)
    finished, (case,), _ = judged(package, "", sandbox, work_root)
    assert finished.verdict is Verdict.WA
    assert "SIGPIPE" in case.judge_message


def test_a_flood_ends_and_is_kept_nowhere(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = package_with(tmp_path, "import sys\nwhile sys.stdin.read(1 << 16): pass\nsys.exit(43)", cases=1)
    finished, (case,), _ = judged(package, "while True: print('x' * 1000)", sandbox, work_root)
    assert finished.verdict is Verdict.TLE
    assert case.output == b""


@pytest.mark.parametrize(
    "source",
    [
        "import os\nwhile True: os.write(1, b'x' * 65_536)",
        "import os\nfor _ in range(2_000): os.write(1, b'x' * 65_536)",
        "import os\nopen('x', 'wb').write(b'x' * 65_536)\nx = os.open('x', 0)\nwhile True: os.splice(x, 1, 65_536, 0)",
    ],
)
def test_a_line_too_long_for_the_interactor_is_the_programs_fault(
    tmp_path: Path, source: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    limits = replace(LIMITS, validation_memory_bytes=64 * 1024 * 1024)
    package = package_with(tmp_path, PYTHON, limits=limits, cases=1)
    finished, (case,), _ = judged(package, source, sandbox, work_root)
    assert finished.verdict is Verdict.OLE
    assert case.ending
    assert (case.ending.how, case.ending.limit, case.ending.stream) == (Ending.OUTPUT_LIMIT, 1 << 20, "stdout"), case
    assert "memory limit of 64 MiB" in case.judge_message


def test_who_was_slow_is_told_to_staff(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    ponders = "import sys, time\nwhile time.process_time() < 1: pass\nsys.stdin.read(); sys.exit(43)"
    finished, (case,), _ = judged(package_with(tmp_path, ponders, cases=1), "input()", sandbox, work_root)
    assert finished.verdict is Verdict.TLE
    assert re.fullmatch(r"the interactor used [\d.]+ m?s of CPU time", case.judge_message)
    assert case.partner is not None
    assert case.partner.cpu_time_us >= 1_000_000
    assert not case.partner.ended_first


@pytest.mark.parametrize("name", ["forgets_to_flush.cpp", "readline.py", "bufwriter.rs"])
def test_whoever_forgets_to_flush_is_told_so(name: str, sandbox: NsjailSandbox, work_root: Path) -> None:
    guess = load_package(LIBRARY / "guess")
    source = (LIBRARY / "guess" / "submissions" / "time_limit_exceeded" / name).read_text()
    language = language_of_file(name)
    assert language is not None
    only = replace(guess, test_cases=guess.test_cases[:1])
    finished, (case,), _ = judged(only, source, sandbox, work_root, language.id)
    assert (finished.verdict, case.io.write_calls) == (Verdict.TLE, 0)
    found = spoken(finished.explanation, language)["unflushed-question"]
    assert "Until then it had sent 0 bytes" in found.text
    assert found.advice.startswith("Flush after each question: `")
    assert found.lines


def test_who_never_reads_is_told_so(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    answers = "import sys\nfor line in sys.stdin: print('higher', flush=True)\nsys.exit(43)"
    finished, _, _ = judged(
        package_with(tmp_path, answers, cases=1), "while True: print('? 1000', flush=True)", sandbox, work_root
    )
    assert finished.verdict is Verdict.TLE
    found = spoken(finished.explanation, language_by_id("python"))["unread-answers"]
    assert re.search(r"sent [\d.]+ KiB in [\d,]+ write calls and made \d+ read calls", found.text)


def test_both_are_measured_apart(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    busy = f"for i in range(3 * 10**6): pass\n{PYTHON}"
    _, (case,), _ = judged(package_with(tmp_path, busy, cases=1), RIGHT, sandbox, work_root)
    assert case.partner is not None
    assert case.usage.cpu_time_us < case.partner.cpu_time_us
    assert (case.io.write_calls, case.io.write_bytes, case.stdout_bytes) == (1, 2, 2)


def test_the_profile_pass_counts_the_conversation(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = package_with(tmp_path, PYTHON, cases=2)
    _, _, profiles = judged(package, RIGHT, sandbox, work_root, profile=ProfilePolicy.ALL)
    assert [profiled.name for profiled in profiles] == ["sample/1", "secret/1"]
    for profiled, sent in zip(profiles, (2, 3), strict=True):
        assert profiled.result is not None, profiled.problem
        assert (profiled.result.streams["stdout"].calls, profiled.result.streams["stdout"].bytes) == (1, sent)
    job = GradingJob(package=package, language="python", source=RIGHT.encode())
    later = profile_case(job, "sample/1", sandbox, work_root)
    assert later.result is not None
    assert later.result.streams["stdin"].bytes == 2


def test_a_program_that_the_kernel_does_not_load_fails_in_every_case(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Side] = []

    def refuse(program: Side, interactor: Side, *, is_profiled: bool = False) -> PairOutcome:
        tried.append(program)
        for side in (program, interactor):
            side.jail.abandon()  # as it is after the kernel's refusal
        raise CommandError("/program/main cannot be started: Exec format error", "Exec format error")

    monkeypatch.setattr(interaction, "run_pair", refuse)
    package = package_with(tmp_path, PYTHON)
    finished, cases, profiles = judged(package, "int main() {}", sandbox, work_root, "cpp", ProfilePolicy.SLOWEST)
    assert finished.verdict is Verdict.RE
    assert [case.verdict for case in cases] == [Verdict.RE] * 3
    sample, *hidden = [case.ending for case in cases]
    assert sample == CaseEnding(how=None, refusal="Exec format error")
    assert hidden == [CaseEnding(how=None)] * 2
    assert "the program cannot be started: Exec format error" in cases[1].judge_message
    assert len(tried) == 1
    assert [profiled.result for profiled in profiles] == [None]


@pytest.mark.parametrize(
    ("interactor", "words"),
    [
        ("raise SystemExit(1)", "exited with 1 on sample/1 with a submission that ends without a word"),
        ("while True: pass", "time limit of 0."),
        ("def (", "does not compile"),
    ],
)
def test_a_broken_one_is_found_before_publishing(
    tmp_path: Path, interactor: str, words: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = package_with(tmp_path, interactor, limits=replace(QUICK, validation_time_ms=200))
    (error,) = verified(package, sandbox, work_root)[0].errors
    assert words in error


def test_one_that_only_misses_its_partner_can_be_published(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    assert verified(package_with(tmp_path, "input()"), sandbox, work_root)[0].errors == ()
