"""The unbuffered rerun: what buffers did to an output, and what the rules say before and after it, in the real jail."""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from judge.grading.events import (
    BufferChange,
    CaseJudged,
    Finding,
    GradingJob,
    ProfilePolicy,
    RerunEnded,
    RerunEvidence,
    UnbufferedTwin,
)
from judge.grading.explain import explain, in_words
from judge.grading.explain.rules import buffers
from judge.grading.languages import language_by_id
from judge.grading.reruns.reasons import worth_unbuffering
from judge.grading.reruns.unbuffered import rerun_unbuffered
from judge.grading.submission.conclusion import Graded, facts_of
from judge.grading.submission.grading import grade, source_of
from judge.grading.verdicts import Verdict
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import make_package

pytestmark = pytest.mark.jail
CASES = {"sample/1": ("1 2\n", "3\n"), "secret/1": ("20 20\n", "40\n")}
TWO_LINES = {"sample/1": ("12 15\n", "27\n-3\n")}
CPP = "#include <cstdio>\n#include <cstdlib>\n#include <iostream>\n#include <unistd.h>\n#include <sys/wait.h>\n"
RUST = "use std::io::*;\n"
READ = (
    "let mut s = String::new(); stdin().read_to_string(&mut s).unwrap();\n"
    "let t: i64 = s.split_whitespace().map(|x| x.parse::<i64>().unwrap()).sum();\n"
)


@dataclass(frozen=True)
class Told:
    """What a program's first failure is told to be, before and after the rerun."""

    before: Finding | None
    after: Finding | None
    codes: frozenset[str]  # of all findings before
    twin: RerunEnded[UnbufferedTwin]


Tell = Callable[..., Told]


@pytest.fixture
def tell(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> Tell:
    def run(language: str, source: str, cases: dict[str, tuple[str, str]] = CASES) -> Told:
        package = make_package(tmp_path, cases)
        code = textwrap.dedent(source).strip().encode()
        job = GradingJob(package=package, language=language, source=code, cpu=0, profile=ProfilePolicy.NONE)
        events = list(grade(job, sandbox, work_root))
        judged = [event for event in events if isinstance(event, CaseJudged)]
        failed = next(case for case in judged if case.verdict is not Verdict.AC)
        graded = Graded(job=job, events=judged, source=source_of(job, sandbox, work_root))
        facts = facts_of(graded, failed.verdict, "")
        twin = rerun_unbuffered(job, failed.name, sandbox, work_root)
        told = replace(facts, reruns={failed.name: RerunEvidence(unbuffered=twin.result)})
        codes = frozenset(finding.code for finding in explain(facts))
        return Told(buffers.find(facts), buffers.find(told), codes, twin)

    return run


LOST = {
    "process::exit": ("rust", f"{RUST}fn main() {{ {READ} let mut out = BufWriter::new(stdout());\n"
        'writeln!(out, "{}", t).unwrap();\nstd::process::exit(0); }', 6),
    "mem::forget": ("rust", f"{RUST}fn main() {{ {READ} let mut out = BufWriter::with_capacity(512, stdout());\n"
        'write!(out, "{}\\n", t).unwrap();\nstd::mem::forget(out); }', 6),
    "os._exit": ("python", "import os\na, b = map(int, input().split())\nprint(a + b)\nos._exit(0)", 4),
    "_exit": ("cpp", f'{CPP}int main() {{ int a, b; scanf("%d %d", &a, &b);\nprintf("%d\\n", a + b);\n_exit(0); }}', 8),
    "quick_exit": ("cpp", f"{CPP}int main() {{ std::ios::sync_with_stdio(false); int a, b; std::cin >> a >> b;\n"
        "std::cout << a + b << '\\n';\nstd::quick_exit(0); }", 8),
}  # fmt: skip


@pytest.mark.parametrize("end", LOST)
def test_a_lost_buffer_is_possible_by_the_source_and_proved_by_the_twin(end: str, tell: Tell) -> None:
    language, source, line = LOST[end]
    told = tell(language, source)
    assert told.twin.result == UnbufferedTwin(
        change=BufferChange.LOST, stdout_bytes=0, twin_bytes=2, is_right=True, lost="3"
    )
    assert told.before
    assert told.after
    assert (told.before.code, told.before.lines) == (told.after.code, told.after.lines) == ("lost-buffer", (line,))
    assert worth_unbuffering([told.before]) == "sample/1"
    assert not worth_unbuffering([told.after])
    before, after = (in_words(finding, language_by_id(language)).text for finding in (told.before, told.after))
    assert f"`{end}()`" in before
    assert "may be incomplete" in before
    assert f"`{end}()` was never written. What is missing begins with `3`." in after
    assert after.endswith("it prints the right output.")


def test_what_a_crash_loses_is_told_beside_it(tell: Tell) -> None:
    source = f'{CPP}int main() {{ int a, b; scanf("%d %d", &a, &b);\nprintf("%d\\n", a + b);\nraise(11); }}'
    told = tell("cpp", source.replace("<cstdio>", "<csignal>\n#include <cstdio>"))
    assert told.before is None
    assert told.after
    assert told.after.code == "lost-buffer"
    assert "when SIGSEGV ended it was never written" in in_words(told.after, language_by_id("cpp")).text


FORKS = {
    "fork": ("cpp", f'{CPP}int main() {{ int a, b; scanf("%d %d", &a, &b);\nprintf("%d\\n", a + b);\n'
        "if (fork() == 0) return 0;\nwait(nullptr); }", 8),
    "os.fork": ("python", "import os\nprint(sum(map(int, input().split())))\nif os.fork():\n    os.wait()", 3),
}  # fmt: skip


@pytest.mark.parametrize("fork", FORKS)
def test_a_doubled_buffer_is_no_print_that_was_left_in(fork: str, tell: Tell) -> None:
    language, source, line = FORKS[fork]
    told = tell(language, source)
    assert "leftover-output" not in told.codes
    assert told.before
    assert told.after
    assert (told.before.code, told.after.code, told.after.lines) == ("doubled-buffer", "doubled-buffer", (line,))
    assert told.after.evidence["is_right"]
    assert "may be doubled" in in_words(told.before, language_by_id(language)).text
    assert "both processes wrote it" in in_words(told.after, language_by_id(language)).text


MIXES = {
    "two buffers": ("cpp", f'{CPP}int main() {{ std::ios::sync_with_stdio(false); int a, b; std::cin >> a >> b;\n'
        'printf("%d\\n", a + b);\nstd::cout << a - b << "\\n"; }', "a buffer each"),
    "past it": ("cpp", f'{CPP}int main() {{ int a, b; scanf("%d %d", &a, &b);\nprintf("%d\\n", a + b);\n'
        'write(1, "-3\\n", 3); }', "some past it"),
    "past it, out of step": ("cpp", f'{CPP}int main() {{ std::ios::sync_with_stdio(false); int a, b;\n'
        'std::cin >> a >> b; std::cout << a + b << "\\n";\nwrite(1, "-3\\n", 3); }', "some past it"),
    "os.write": ("python", "import os\na, b = map(int, input().split())\nprint(a + b)\n"
        'os.write(1, b"%d\\n" % (a - b))', "some past it"),
}  # fmt: skip


@pytest.mark.parametrize("mix", MIXES)
def test_an_output_by_two_roads_comes_in_another_order(mix: str, tell: Tell) -> None:
    language, source, words = MIXES[mix]
    told = tell(language, source, TWO_LINES)
    assert told.before
    assert told.after
    assert (told.before.code, told.after.code) == ("reordered-output", "reordered-output")
    assert len(told.after.lines) == 2
    assert "may have come" in in_words(told.before, language_by_id(language)).text
    text = in_words(told.after, language_by_id(language)).text
    assert words in text
    assert text.endswith("it prints the right output.")


INNOCENT = {
    "exits after a flush": ("python", "import os\nprint(1)\nprint(flush=True)\nos._exit(0)", False),
    "prints too little": ("python", "import os\nprint(end='')\nos._exit(0)", True),
    "forks after a flush": ("cpp", f'{CPP}int main() {{ printf("3\\n3\\n"); fflush(stdout);\n'
        "if (fork() == 0) return 0;\nwait(nullptr); }", True),
    "unsynced but wrong": ("cpp", f'{CPP}int main() {{ std::ios::sync_with_stdio(false); std::cout << 8 << std::endl;\n'
        'printf("7\\n"); }', True),
    "a Rust exit without a buffer": ("rust", 'fn main() { print!("");\nstd::process::exit(0); }', False),
}  # fmt: skip


@pytest.mark.parametrize("label", INNOCENT)
def test_what_the_twin_disproves_is_taken_back(label: str, tell: Tell) -> None:
    language, source, is_doubted = INNOCENT[label]
    told = tell(language, source)
    assert (told.before is not None) == is_doubted
    assert told.twin.result
    assert told.twin.result.change is BufferChange.NONE
    assert told.after is None


def test_nothing_is_said_of_an_output_that_changes_by_itself(tell: Tell) -> None:
    told = tell("python", "import os, time\nprint(time.time_ns())\nos._exit(0)")
    assert told.twin.result is None
    assert told.twin.problem
    assert told.after is not None
    assert "change" not in told.after.evidence
