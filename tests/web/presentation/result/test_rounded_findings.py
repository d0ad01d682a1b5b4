"""The judge's own sentences about a hidden case: of every rule, no number in them tells more than its row does."""

import ast
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from django.utils.translation import override

from judge.grading import explain as rules
from judge.grading.case_ending import CallExcess, CaseEnding, Overflow, TokenDifference
from judge.grading.events import (
    BufferChange,
    Finding,
    FindingOfOlderRow,
    Partner,
    RerunEvidence,
    StatesSeen,
    UnbufferedTwin,
)
from judge.grading.explain import BY_CODE, explain
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import OF_THE_SOURCE
from judge.grading.explain.evidence.shapes import Shape
from judge.grading.languages import CPP, PYTHON, Language
from judge.grading.languages.python import DIGIT_LIMIT
from judge.grading.reading.program_errors import ErrorKind, Origin, ProgramError
from judge.grading.scoring.case_order import LeftOut
from judge.grading.scoring.scoring import Scored
from judge.grading.verdicts import Verdict
from problems.jsonvalues import from_row, to_json
from problems.package import ProblemLimits
from problems.translation import Sentence
from sandbox.types import Ending, IoProfile, Profile, Usage
from tests.judge.grading.explain.own_time_stories import FULL_STACKS, OWN_TIME
from tests.judge.grading.explain.test_counted_work import PAIRS, ROWS, samples, work
from tests.judge.grading.explain.test_explain import ENDL, MANY_WRITES, case, facts, threads
from tests.judge.grading.explain.test_explain_call_limit import too_many_calls
from tests.judge.grading.explain.test_explain_conversation import IDLE, stuck
from tests.judge.grading.explain.test_explain_input_and_memory import IN_A_LOOP, READS, STORM
from tests.judge.grading.explain.test_growth import quadratic
from web.access.rounding import EXACT, Rounding
from web.presentation.result import findings
from web.presentation.result.findings import FindingView, finding_views

NAME = "secret/07-4711"  # digits that are no number
LIMITS = ProblemLimits(time_limit_ms=1_375, memory_bytes=255 << 20, output_bytes=9 << 20, write_calls=1_370)
HIDDEN = Rounding(
    is_exact=False, time_limit_us=1_375_000, memory_limit_bytes=255 << 20, write_calls_limit=LIMITS.write_calls
)
OF_THE_PROBLEM = ("1.375 s", "255 MiB", "9 MiB", "1,370 calls", "more than 100 times", "1.5 times the calls", "32 bits")
ODD = Usage(user_time_us=261_347, system_time_us=1_947_123, wall_time_us=2_218_765)
WRITES = replace(MANY_WRITES, name=NAME, usage=ODD, io=replace(MANY_WRITES.io, write_calls=3_141_593))
SLEPT = Usage(
    user_time_us=9_123, system_time_us=1_234, wall_time_us=3_012_345, voluntary_switches=123, involuntary_switches=17
)
BUSY = Partner(ended_first=False, cpu_time_us=2_012_345)


def _mmap(calls: int) -> Profile:
    return Profile(syscalls={"mmap": calls}, streams={})


def _on(name: str, told: Facts) -> Facts:
    """The same about a case of this name."""
    profiles = dict.fromkeys([name], *told.profiles.values()) if told.profiles else {}
    cases = tuple(replace(each, name=name) if each.name == "secret/1" else each for each in told.cases)
    inputs, answers = (
        {name if case_name == "secret/1" else case_name: shape for case_name, shape in shapes.items()}
        for shapes in (told.inputs, told.answers)
    )
    sizes = {case_name: shape.bytes for case_name, shape in inputs.items()}
    return replace(
        told,
        cases=cases,
        profiles=profiles,
        limits=LIMITS,
        input_bytes=sizes,
        inputs=inputs,
        answers=answers,
    )


def _failed(verdict: Verdict, **changes: object) -> Facts:
    return facts(case(), case(verdict, **{"usage": ODD, **changes}))


def _ended(error: ProgramError) -> CaseEnding:
    """A hidden case's end by this error, or without one of its threads."""
    told = error.bounded(PYTHON.known_errors)
    if error.origin is Origin.MAIN:
        return CaseEnding(how=Ending.EXITED, error=told)
    return CaseEnding(how=Ending.EXITED, lost=told)


NOTHING_RETURNED = "main.cpp:1:12: warning: no return statement in function returning non-void [-Wreturn-type]\n"
DEEP = ProgramError(kind=ErrorKind.EXCEPTION, name="RecursionError", line=1, message="maximum 4711")
LOST = ProgramError(kind=ErrorKind.EXCEPTION, name="IndexError", line=1, message="4711", origin=Origin.THREAD)
TWIN = UnbufferedTwin(change=BufferChange.LOST, stdout_bytes=0, twin_bytes=4_711, is_right=True)
TOO_SLOW = case(Verdict.TLE, name=NAME, usage=Usage(user_time_us=1_512_345, wall_time_us=1_523_456), exit_code=None)
DIGITS = ProgramError(kind=ErrorKind.EXCEPTION, name=DIGIT_LIMIT, line=1, message="4711")
GROWING_MAXIMUM = b"""int main() {
  vector<int> v; int x; long long s = 0;
  while (cin >> x) { v.push_back(x);
    s += *max_element(v.begin(), v.end()); } }"""
HASHED = b"""int main() {
  unordered_map<long long, int> m; long long x; int n = 0;
  while (cin >> x)
    n += m[x]++; }"""
FRACTIONS = b"from fractions import Fraction\ns = 0\nfor i in range(10**6):\n  s += Fraction(1, i + 1)\n"


def _sampled(source: bytes, language: Language = CPP) -> Facts:
    """A slow program whose time was spent at line 4."""
    told = facts(TOO_SLOW, source=source, language=language)
    return replace(told, reruns={NAME: RerunEvidence(line_times=samples((4, 971)))})


STORIES: dict[str, Facts] = {
    "accepted": facts(case(usage=ODD)),
    "refused": facts(verdict=Verdict.CE),
    "broken": facts(verdict=Verdict.JE),
    "all accepted": replace(facts(case(usage=ODD), case()), total_cases=2),
    "writes": facts(WRITES, source=ENDL),
    "writes so far": replace(
        facts(replace(WRITES, verdict=Verdict.TLE, exit_code=None, signal=9), source=ENDL),
        counts_later=frozenset({NAME}),
    ),
    "stderr": facts(replace(WRITES, stderr_bytes=5_999_123, stdout_bytes=1_234)),
    "reads": facts(replace(READS, io=replace(READS.io, read_calls=512_345))),
    "memory": facts(STORM, source=IN_A_LOOP, profiles={NAME: _mmap(12_345)}),
    "waiting": facts(case(Verdict.TLE, usage=SLEPT)),
    "turns": threads(91_234, user_time_us=400_123, system_time_us=300_456, voluntary_switches=90_567),
    "unheard": facts(stuck(), is_interactive=True),
    "unanswered": facts(stuck(sent=16, calls=3), is_interactive=True),
    "unread": facts(
        stuck(sent=155_617, io=IoProfile(write_calls=22_231, write_bytes=155_617, read_calls=12)), is_interactive=True
    ),
    "busy": facts(stuck(sent=1_234, calls=345, partner=BUSY), is_interactive=True),
    "over": facts(stuck(partner=replace(IDLE, ended_first=True)), is_interactive=True),
    "algorithm": facts(
        case(
            Verdict.TLE,
            usage=Usage(user_time_us=2_012_345, system_time_us=23_456, wall_time_us=2_049_999),
            io=IoProfile(read_calls=12, write_calls=1, read_bytes=50_123, write_bytes=7),
        )
    ),
    "too many writes": facts(
        case(Verdict.SLE, io=IoProfile(write_calls=5_432, write_bytes=40_123), ending=too_many_calls("write"))
    ),
    "too many reads": facts(
        case(Verdict.SLE, io=IoProfile(read_calls=9_123, read_bytes=9_123), ending=too_many_calls("read"))
    ),
    "no write": _failed(Verdict.WA, io=IoProfile(read_calls=9)),
    "one write": _failed(Verdict.WA, io=IoProfile(write_calls=1, write_bytes=7)),
    "one large write": _failed(Verdict.WA, io=IoProfile(write_calls=1, write_bytes=7_654_321)),
    "crash": _failed(Verdict.RE, ending=CaseEnding(how=Ending.SIGNALLED, signal="SIGFPE"), exit_code=None, signal=8),
    "lost thread": replace(_failed(Verdict.WA, ending=_ended(LOST)), language=PYTHON),
    "deep recursion": replace(_failed(Verdict.RE, ending=_ended(DEEP)), language=PYTHON),
    "no return": replace(_failed(Verdict.RE), file_name="main.cpp", compile_message=NOTHING_RETURNED),
    "memory limit": _failed(Verdict.MLE, ending=CaseEnding(how=Ending.MEMORY_LIMIT, limit=255 << 20)),
    "output limit": _failed(
        Verdict.OLE,
        ending=CaseEnding(how=Ending.OUTPUT_LIMIT, limit=9 << 20, stream="stdout"),
        stdout_bytes=9_437_199,
        stderr_bytes=73,
    ),
    "far too long": replace(_failed(Verdict.WA), answer_bytes={NAME: 7}),
    "clock": _failed(Verdict.TLE, usage=Usage(user_time_us=23_456, wall_time_us=6_123_456)),
    "not run": replace(
        facts(case(usage=ODD)),
        left_out=(LeftOut(names=("a", "b"), because=Sentence("two were too slow")),),
        total_cases=17,
    ),
    "points": replace(facts(case(usage=ODD)), scored=Scored(verdict=Verdict.AC, score=37.5, max_score=40, groups=())),
    "lost buffer": replace(
        facts(case(Verdict.WA, stdout_bytes=0), source=b'int main() { printf("1"); _exit(0); }'),
        reruns={NAME: RerunEvidence(unbuffered=TWIN)},
    ),
    "doubled buffer": replace(
        facts(case(Verdict.WA, stdout_bytes=4_711), source=b'int main() { printf("1"); fork(); }'),
        answer_bytes={NAME: 2_345},
    ),
    "two buffers": facts(
        case(Verdict.WA, stdout_bytes=4_711),
        source=b'int main() { ios::sync_with_stdio(false); printf("1"); cout << 2; }',
    ),
    "of Windows": facts(
        verdict=Verdict.CE,
        file_name="main.cpp",
        compile_message="main.cpp:1:10: fatal error: conio.h: No such file or directory\n",
    ),
    "nothing read": replace(
        facts(case(Verdict.WA), case(name="secret/2")),
        inputs={"secret/1": Shape(bytes=7, lines=1, words=2), "secret/2": Shape(bytes=9, lines=1, words=2)},
    ),
    "wrapped": _failed(Verdict.WA, ending=CaseEnding(how=None, overflow=Overflow(bits=32, is_wrapped=True))),
    "clamped": _failed(Verdict.WA, ending=CaseEnding(how=None, overflow=Overflow(bits=32, is_wrapped=False))),
    "repeated state": replace(
        facts(TOO_SLOW), reruns={NAME: RerunEvidence(states=StatesSeen(line=3, visits=4_711, reads=1, writes=0))}
    ),
    "counted": replace(
        facts(TOO_SLOW), reruns={NAME: RerunEvidence(counted_work=replace(work(PAIRS, ROWS), is_counted=True))}
    ),
    "maximum again": replace(
        _sampled(GROWING_MAXIMUM), inputs={"secret/1": Shape(bytes=300_007, lines=1, words=50_001)}
    ),
    "fractions": _sampled(FRACTIONS, PYTHON),
    "collisions": replace(
        _sampled(HASHED),
        cases=(case(name="secret/2", usage=Usage(user_time_us=12_345)), TOO_SLOW),
        inputs={name: Shape(bytes=471_107, lines=2, words=60_001) for name in ("secret/1", "secret/2")},
    ),
    "many digits": replace(_failed(Verdict.RE, ending=_ended(DIGITS)), language=PYTHON),
    "large array": replace(
        _failed(Verdict.RE, exit_code=None, signal=11), source=b"int main() { int table[471100000]; table[1] = 2; }"
    ),
    **OWN_TIME,
    **FULL_STACKS,
    "growth": quadratic(),
    "leftover": facts(case(Verdict.WA, is_sample=True, expected=b"3\n", output=b"x\n3\n", stdout_bytes=4)),
}
ABOUT_GROUPS = {"points", "not-run"}
ABOUT_NOTHING = {"compile", "judge-error", "windows-only"}
OF_SAMPLES = {"leftover-output"}
OF_PYTHON = {"taking-turns", "lost-part", "recursion-limit", "digit-limit", "dear-steps"}


def _findings() -> list[tuple[str, Finding]]:
    found = []
    for label, told in STORIES.items():
        given = _on(NAME, told) if label != "turns" else replace(_on(NAME, told), language=PYTHON)
        if label == "unanswered":
            given = replace(given, limits=replace(LIMITS, write_factor=1.5))
        found += [(label, finding) for finding in explain(given)]
    return found


FINDINGS = _findings()


def _shown(finding: Finding, shown: Rounding) -> FindingView:
    language = PYTHON if finding.code in OF_PYTHON else CPP
    (view,) = finding_views([finding], {NAME: shown}, shown, language)
    return view


def _words(view: FindingView) -> str:
    facts = "; ".join(f"{fact.label}: {fact.value}" for fact in view.facts)
    return unescape(f"{view.html} | {facts}").replace("\u00a0", " ")


def _too_exact(words: str) -> list[str]:
    """The numbers in it that have more than two digits, or are small and stand for a count."""
    for kept in (NAME, *OF_THE_PROBLEM):
        words = words.replace(kept, "")
    words = re.sub(r"\(\d+ of \d+ accepted\)|All \d+ test cases|by -1;", "", words)
    words = re.sub(r"[Ll]ine \d+", "", words)  # of the student's source
    words = words.replace("n*(n-1)/2", "")
    words = re.sub(r"Counted in \d+ runs", "", words)  # by us
    powers = r"power of about [\d.]+(?: \(between [\d.]+ and [\d.]+, from \d+ test cases)?|takes [\d.]+ times"
    words = re.sub(powers, "", words)  # a fit to many numbers, to the tenth
    found = []
    for match in re.finditer(r"(?<!under )(?<![\d,.])(\d+(?:[.,]\d+)*)(?: (\w+|%))?", words):
        number, unit = match[1].replace(",", ""), match[2]
        digits = number.replace(".", "").strip("0")
        is_small = float(number) < 100 and unit not in ("ms", "s", "%", "KiB", "MiB", "GiB")
        if len(digits) > 2 or is_small or (unit == "ms" and float(number) % 10):
            found.append(match[0])
    return found


def test_every_rule_speaks_in_these_stories() -> None:
    sources = [path.read_text() for path in Path(str(rules.__file__)).parent.rglob("*.py")]
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    codes = {
        node.value.value
        for node in nodes
        if isinstance(node, ast.keyword) and node.arg == "code" and isinstance(node.value, ast.Constant)
    }
    assert codes <= {finding.code for _, finding in FINDINGS}


@pytest.mark.parametrize(
    "finding", [found for _, found in FINDINGS], ids=[f"{label}: {found.code}" for label, found in FINDINGS]
)
def test_no_number_of_a_hidden_case_is_exact_in_a_sentence(finding: Finding) -> None:
    if finding.code in ABOUT_GROUPS:
        assert _words(_shown(finding, HIDDEN)) == _words(_shown(finding, EXACT))
    elif finding.code not in OF_SAMPLES:
        assert _too_exact(_words(_shown(finding, HIDDEN))) == []
        assert NAME in str(finding.evidence) or finding.code in ABOUT_NOTHING


def test_the_check_finds_exact_numbers() -> None:
    exact = [finding for _, finding in FINDINGS if _too_exact(_words(_shown(finding, EXACT)))]
    assert {finding.code for finding in exact} >= {"summary", "flush-per-line", "waiting", "allocation-storm"}


def test_what_the_problem_says_stays_as_it_is() -> None:
    told = " ".join(_words(_shown(finding, HIDDEN)) for _, finding in FINDINGS)
    for kept in ("The limit is 1.375 s", "more than the 255 MiB of memory", "(the limit is 9 MiB)", "1,370 calls"):
        assert kept in told
    assert "2 of 2" not in told
    assert "(1 of 2 accepted)" in told
    assert "CPU time limit of 1.375 s" in told
    assert f"All 2 test cases are accepted; the slowest, {NAME}, used 2.2 s" in told


def test_how_many_of_a_few_calls_there_were_is_not_told_by_the_words_around_them() -> None:
    none, one = (
        _words(_shown(finding, HIDDEN)).partition(" | ")[0]
        for label, finding in FINDINGS
        if finding.code == "summary" and label in ("no write", "one write")
    )
    assert none == one
    assert none.endswith("with under 100 write calls.")


def test_every_code_has_its_sentences() -> None:
    assert set(BY_CODE) == {finding.code for _, finding in FINDINGS}


def test_every_fact_beside_a_sentence_has_a_name_in_the_readers_language() -> None:
    with override("ko"):
        labels = {fact.label for _, finding in FINDINGS for fact in _shown(finding, EXACT).facts}
    assert labels
    assert [label for label in labels if not re.search("[가-힣]", label)] == []


def _older(code: str, text: str) -> Finding:
    """A finding as rows of the first versions have it: with its sentences in English."""
    evidence = {"test_case": NAME, "write_calls": 3_141_593, "minor_faults": 1_234}
    return FindingOfOlderRow(code=code, text=text, evidence=evidence, lines=(5,), advice="Leave it out.")


TOLD_BEFORE = f"Your program made 3,141,593 write calls of 2 bytes on average on {NAME}."


def test_an_older_row_whose_evidence_suffices_is_told_in_sentences_of_now() -> None:
    (finding,) = (found for label, found in FINDINGS if label == "writes" and found.code == "flush-per-line")
    stored = FindingOfOlderRow(
        code=finding.code, evidence=finding.evidence, lines=finding.lines, text=TOLD_BEFORE, advice="Leave it out."
    )
    assert _shown(stored, HIDDEN) == _shown(finding, HIDDEN)
    assert _shown(stored, EXACT) == _shown(finding, EXACT)


@pytest.mark.parametrize("code", ["flush-per-line", "summary", "no-rule-any-more"])
def test_the_sentence_of_an_older_row_is_for_those_who_see_exact_numbers(code: str) -> None:
    exact = _shown(_older(code, TOLD_BEFORE), EXACT)
    assert (exact.html, exact.advice, exact.lines, exact.facts) == (TOLD_BEFORE, "Leave it out.", (5,), ())
    assert finding_views([_older(code, TOLD_BEFORE)], {NAME: HIDDEN}, HIDDEN, CPP) == []


def test_a_text_of_a_hidden_case_is_told_only_if_it_names_a_part_of_the_source() -> None:
    for label, finding in FINDINGS:
        if finding.code not in ABOUT_GROUPS | OF_SAMPLES:
            texts = {name for name, value in finding.evidence.items() if isinstance(value, str)}
            assert texts <= OF_THE_SOURCE, (label, finding.code)
    evidence = {"test_case": NAME, "construct": "endl", "read": "the secret is 4711", "is_large": True}
    bounded = {name: findings._as_shown(name, value, HIDDEN, CPP) for name, value in evidence.items()}
    assert bounded == {"test_case": NAME, "construct": "endl", "read": "", "is_large": True}


def test_an_ending_in_the_evidence_is_bounded_though_a_row_has_more() -> None:
    error = ProgramError(kind=ErrorKind.EXCEPTION, name="ValueError", line=2, message="4711")
    ending = CaseEnding(
        how=Ending.EXITED,
        exit_code=47,
        error=error,
        calls=CallExcess(what="write", made=4_711, most=4_700),
        difference=TokenDifference(number=4_711, expected="'4711'", got="'4712'"),
        refusal="4711",
        text="read 4711",
    )
    bounded = findings._as_shown("ending", to_json(ending), HIDDEN, PYTHON)
    assert "47" not in str(bounded)
    assert from_row(CaseEnding, bounded) == ending.bounded(PYTHON.known_errors)


@pytest.mark.parametrize("code", ["no-rule-any-more", "waiting"])
def test_a_finding_without_a_sentence_is_left_out(code: str) -> None:
    finding = Finding(code=code, evidence={})
    assert finding_views([finding], {}, EXACT, PYTHON) == []


def test_facts_are_what_the_sentence_does_not_tell() -> None:
    finding = next(found for label, found in FINDINGS if label == "turns" and found.code == "taking-turns")
    assert [fact.label for fact in _shown(finding, EXACT).facts] == ["involuntary context switches"]
