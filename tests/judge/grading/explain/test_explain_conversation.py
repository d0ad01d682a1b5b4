"""Findings on interactive programs: what is observable from outside, and no advice that would break them."""

import pytest

from judge.grading.events import CaseJudged, Partner
from judge.grading.languages import CPP, PYTHON, RUST, Language
from judge.grading.verdicts import Verdict
from sandbox.types import IoProfile, Usage
from tests.judge.grading.explain.test_explain import ENDL, MANY_WRITES, case, facts
from tests.judge.spoken import findings

WAITED = Usage(user_time_us=1_000, system_time_us=1_000, wall_time_us=2_502_000)
IDLE = Partner(ended_first=False, cpu_time_us=20_000)


def stuck(sent: int = 0, calls: int = 0, partner: Partner | None = IDLE, **changes: object) -> CaseJudged:
    io = IoProfile(write_calls=calls, write_bytes=sent)
    given = {"usage": WAITED, "io": io, "stdout_bytes": sent, "exit_code": None, "signal": 9, "partner": partner}
    return case(Verdict.TLE, **{**given, **changes})


@pytest.mark.parametrize(
    ("language", "source", "words"),
    [
        (
            CPP,
            b"int main() {\n  cin.tie(nullptr);\n}",
            "`cout << flush` or `endl`, `fflush(stdout)` after `printf`. `tie` has ended the flush that `cin` "
            "does before it reads.",
        ),
        (CPP, b'int main() { printf("1"); }', "`cout << flush` or `endl`, `fflush(stdout)` after `printf`."),
        (
            PYTHON,
            b"import sys\nprint(1)\nsys.stdin.readline()\n",
            "`print(..., flush=True)`. Unlike `input()`, reading from `stdin` does not flush.",
        ),
        (
            RUST,
            b"fn main() { let out = BufWriter::new(stdout()); }",
            "`flush()` of `stdout()` or of your `BufWriter`. The `BufWriter` keeps lines that `println!` "
            "alone would hand over.",
        ),
    ],
)
def test_a_question_that_was_never_sent_is_named_with_the_flush_of_its_language(
    language: Language, source: bytes, words: str
) -> None:
    found = findings(facts(stuck(), language=language, source=source, is_interactive=True))["unflushed-question"]
    assert found.text == (
        "On secret/1 your program waited for 2.50 s, and so did the interactor. Until then it had sent 0 bytes. If it "
        "asked a question, that question is probably still in its output buffer."
    )
    assert found.advice == f"Flush after each question: {words}"
    assert bool(found.lines) is (words.count(".") > words.count("...") * 3 + 1)
    assert found.evidence["sent_bytes"] == 0
    assert found.evidence["waiting_time_us"] == 2_500_000


GUESS = """import sys
n = int(sys.stdin.readline())
low, high = 1, n
while low < high:
    middle = (low + high) // 2
    print("?", middle)
    answer = sys.stdin.readline().strip()
    low, high = (middle + 1, high) if answer == ">" else (low, middle)
print("!", low)
"""


@pytest.mark.parametrize(
    ("language", "source", "lines"),
    [
        (PYTHON, GUESS, (6,)),
        (PYTHON, GUESS.replace("middle)\n    a", "middle, flush=True)\n    a"), (2, 7)),  # what keeps a question
        (PYTHON, "import sys\nwhile True:\n    a = sys.stdin.readline()\n    print(a)\n", (4,)),
        (CPP, "int main() {\n  cin.tie(nullptr);\n  cin >> n;\n  cout << 1;\n  cin >> n;\n  cout << 2;\n}", (4,)),
        (CPP, 'int main() {\n  printf("?");\n  scanf("%d", &n);\n  scanf("%d", &n);\n}', (2,)),
        (
            RUST,
            'fn main() {\n  let mut o = BufWriter::new(stdout());\n  write!(o, "?");\n  stdin().read_line(&mut s);\n}',
            (3,),
        ),
    ],
)
def test_the_line_is_the_question_behind_which_the_flush_belongs(
    language: Language, source: str, lines: tuple[int, ...]
) -> None:
    told = facts(stuck(), language=language, source=source.encode(), is_interactive=True)
    assert findings(told)["unflushed-question"].lines == lines


def test_what_it_had_sent_before_is_told() -> None:
    found = findings(facts(stuck(sent=16, calls=3), is_interactive=True))["unflushed-question"]
    assert "Until then it had sent 16 bytes in 3 write calls. If it asked another question" in found.text


def test_a_program_that_never_reads_is_told_to_read() -> None:
    io = IoProfile(write_calls=22_231, write_bytes=155_617, read_calls=12)
    told = findings(facts(stuck(sent=155_617, io=io), is_interactive=True))
    assert "had sent 152 KiB in 22,231 write calls and made 12 read calls." in told["unread-answers"].text
    assert "unflushed-question" not in told


@pytest.mark.parametrize(
    ("sent", "reads"),
    [
        pytest.param(155_617, 22_231, id="reads each answer"),
        pytest.param(60_000, 12, id="fits into the pipe"),
    ],
)
def test_a_program_whose_answers_are_read_or_fit_is_not(sent: int, reads: int) -> None:
    io = IoProfile(write_calls=22_231, write_bytes=sent, read_calls=reads)
    told = findings(facts(stuck(sent=sent, io=io), is_interactive=True))
    assert "unread-answers" not in told
    assert "unflushed-question" in told


def test_a_program_that_does_not_end_after_the_last_word_is_told_so() -> None:
    over = Partner(ended_first=True, cpu_time_us=20_000)
    told = findings(facts(stuck(partner=over), is_interactive=True))
    assert "although the conversation was over" in told["conversation-over"].text
    assert "unflushed-question" not in told


def test_a_judges_side_that_computes_is_not_blamed_on_the_program() -> None:
    busy = Partner(ended_first=False, cpu_time_us=2_000_000)
    told = findings(facts(stuck(partner=busy), is_interactive=True))
    assert "the judge's side was computing for 2.00 s meanwhile" in told["slow-interactor"].text
    assert "unflushed-question" not in told


@pytest.mark.parametrize(
    "quiet",
    [
        case(partner=IDLE, usage=WAITED),  # accepted
        stuck(usage=Usage(user_time_us=1_200_000, wall_time_us=1_300_000)),  # too slow, not stuck
        stuck(usage=Usage(user_time_us=700_000, wall_time_us=3_000_000, queued_time_us=2_000_000)),  # no core
        stuck(partner=None),
    ],
)
def test_it_keeps_silent_when_something_else_is_the_reason(quiet: CaseJudged) -> None:
    codes = set(findings(facts(quiet, is_interactive=True)))
    assert not codes & {"unflushed-question", "conversation-over", "slow-interactor", "waiting"}


def test_nobody_is_told_to_leave_out_a_flush_or_to_read_more_at_once() -> None:
    reads = case(
        io=IoProfile(read_calls=50_000, read_bytes=100_000),
        usage=Usage(user_time_us=100_000, system_time_us=100_000, wall_time_us=210_000),
    )
    for told in (facts(MANY_WRITES, source=ENDL), facts(reads)):
        assert set(findings(told)) & {"flush-per-line", "tiny-reads"}
    for told in (facts(MANY_WRITES, source=ENDL, is_interactive=True), facts(reads, is_interactive=True)):
        assert not set(findings(told)) & {"flush-per-line", "tiny-reads"}
