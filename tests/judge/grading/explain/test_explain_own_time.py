"""The rules about time that a program spends in itself, on made-up numbers: when each speaks, and when it must not."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from judge.grading.events import Finding
from judge.grading.explain import explain, in_words, main_cause
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.shapes import Shape
from judge.grading.languages import CPP, PYTHON
from judge.grading.verdicts import Verdict
from sandbox.types import IoProfile, Profile, Usage
from tests.judge.grading.explain.own_time_stories import (
    BACKTRACKS,
    BUSY,
    FAILS,
    FULL_STACKS,
    LARGE,
    MANY,
    MAPS,
    OVERFLOW,
    OWN_TIME,
    TINY,
    slow,
)
from tests.judge.grading.explain.test_explain import case, facts
from tests.judge.spoken import findings

SAID = {
    "endless": "may-never-end",
    "tiny": "may-never-end",
    "low is mid": "may-never-end",
    "fails": "failed-read",
    "past the end": "failed-read",
    "backtracks": "backtracking",
    "prints": "print-by-print",
    "cin": "line-by-line",
    "streams": "conversion",
    "erases": "costly-container",
    "copies": "copying",
    "branches": "branching-recursion",
    "maps": "costly-map",
    "deep": "deep-recursion",
    "locks": "lock-storm",
    "fresh": "fresh-memory",
    "start": "slow-start",
    "unclear": "where-it-went",
}


@pytest.mark.parametrize("label", OWN_TIME)
def test_each_rule_speaks_of_its_story(label: str) -> None:
    found = findings(OWN_TIME[label])
    assert SAID[label] in found
    assert len(set(found) & set(SAID.values())) == 1
    assert found[SAID[label]].text


def _with(label: str, **changes: object) -> Facts:
    """The story with its slow case changed."""
    told = OWN_TIME[label]
    cases = tuple(replace(each, **changes) if each.name == "secret/1" else each for each in told.cases)  # type: ignore[arg-type]
    return replace(told, cases=cases)


def _source(label: str, source: str) -> Facts:
    return replace(OWN_TIME[label], source=source.encode())


NESTED = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x++;"
SILENT: dict[str, tuple[str, Callable[[], Facts]]] = {
    "nobody knows how long it takes": ("start", lambda: _with("start", exit_code=None, signal=9)),
    "it wrote something": ("endless", lambda: _with("endless", stdout_bytes=3)),
    "the input was not read as a whole": ("fails", lambda: _with("fails", io=IoProfile(read_calls=2, read_bytes=9))),
    "the values take long": ("fails", lambda: replace(OWN_TIME["fails"], inputs={"secret/1": MANY})),
    "more repeats than the reads": (
        "fails",
        lambda: _source("fails", f"{FAILS[:-1]} for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s ^= i; }}"),
    ),
    "a loop beside the reads": (
        "fails",
        lambda: _source("fails", f"{FAILS[:-1]} for (long long i = 2; i < s; i++) x ^= i; }}"),
    ),
    "the library may take long": ("fails", lambda: _source("fails", f"{FAILS[:-1]} sort(a, a + n); }}")),
    "something was read": ("past the end", lambda: _with("past the end", io=IoProfile(read_calls=99, read_bytes=99))),
    "a loop beside the pattern": ("backtracks", lambda: _source("backtracks", BACKTRACKS[:-1] + NESTED + "}")),
    "a long loop beside the pattern": (
        "backtracks",
        lambda: _source("backtracks", BACKTRACKS[:-1] + "\nfor (int i = 0; i < n; i++) x++; }"),
    ),
    "reading the text once takes long": (
        "backtracks",
        lambda: replace(OWN_TIME["backtracks"], input_bytes={"secret/1": 9_000_000}),
    ),
    "a pattern of one way": ("backtracks", lambda: _source("backtracks", BACKTRACKS.replace("(a+)*", "(ab)*"))),
    "it wrote while it searched": ("low is mid", lambda: _with("low is mid", stdout_bytes=3)),
    "it waited": ("endless", lambda: _with("endless", usage=Usage(user_time_us=9_000, wall_time_us=3_000_000))),
    "a break": ("endless", lambda: _source("endless", "int main() { while (i < n) { if (x) break; total += i; } }")),
    "a thread may end it": (
        "endless",
        lambda: _source("endless", "int main() { thread t(f); while (i < n) total += i; }"),
    ),
    "the numbers are large": (
        "tiny",
        lambda: replace(OWN_TIME["tiny"], inputs={"secret/1": replace(TINY, largest=99_999)}),
    ),
    "no loop with a condition": (
        "tiny",
        lambda: _source("tiny", "int main() { for (int i = 0; i < n; i++) n += 2 - 2; }"),
    ),
    "a loop that ends": ("tiny", lambda: _source("tiny", "int main() { while (i < n * n * n) { f(n); i += 1; } }")),
    "a large number in the source": (
        "tiny",
        lambda: _source("tiny", "int main() { while (i < 20000000) { n += 2; i++; } }"),
    ),
    "recursion": (
        "tiny",
        lambda: _source("tiny", "int f(int x) { while (x < n) x++; return f(x); } int main() { f(1); }"),
    ),
    "chunks": ("prints", lambda: _with("prints", io=IoProfile(write_calls=900, write_bytes=234_567_890))),
    "few lines": (
        "prints",
        lambda: replace(OWN_TIME["prints"], answers={"secret/1": Shape(bytes=234_567_890, lines=90, words=90)}),
    ),
    "read at once": ("cin", lambda: _with("cin", io=IoProfile(read_calls=20, read_bytes=234_567_890))),
    "not in a loop": ("cin", lambda: _source("cin", "int main() { cin >> x; }")),
    "another loop in a loop": (
        "erases",
        lambda: _source("erases", f"int main() {{ vector<int> v; while (!v.empty()) v.erase(v.begin()); {NESTED} }}"),
    ),
    "few values": (
        "erases",
        lambda: replace(OWN_TIME["erases"], inputs={"secret/1": replace(LARGE, words=300)}, answers={}),
    ),
    "its calls may be why": (
        "copies",
        lambda: _with("copies", usage=Usage(user_time_us=900_000, system_time_us=700_000)),
    ),
    "a large input": ("branches", lambda: replace(OWN_TIME["branches"], inputs={"secret/1": LARGE})),
    "a sort beside the map": ("maps", lambda: _source("maps", MAPS.replace("for", "sort(a, a + n); for"))),
    "a loop beside the map": ("maps", lambda: _source("maps", MAPS.replace("m[a[i]]++;", "{ m[a[i]]++; } " + NESTED))),
    "a map of texts too": ("maps", lambda: _source("maps", MAPS.replace("for", "map<string, int> t; for"))),
    "a recursion beside the map": ("maps", lambda: _source("maps", f"{OVERFLOW.partition(chr(10))[0]} {MAPS}")),
    "asked once": ("maps", lambda: _source("maps", "int main() { map<int, int> m; m[3]++; }")),
    "few values for the map": (
        "maps",
        lambda: replace(OWN_TIME["maps"], inputs={"secret/1": replace(LARGE, words=9_000)}, answers={}),
    ),
    "the values cannot have taken that long": (
        "maps",
        lambda: _with("maps", usage=Usage(user_time_us=9_000_000, wall_time_us=9_000_000)),
    ),
    "no recursion": ("deep", lambda: _source("deep", "for i in range(n):\n  a.append(i)")),
    "few pieces": (
        "deep",
        lambda: replace(OWN_TIME["deep"], profiles={"secret/1": Profile(syscalls={"mmap": 140}, streams={})}),
    ),
    "larger pieces": (
        "deep",
        lambda: _with("deep", usage=replace(OWN_TIME["deep"].cases[0].usage, minor_faults=341_234)),
    ),
    "the kernel took little": (
        "deep",
        lambda: _with("deep", usage=replace(OWN_TIME["deep"].cases[0].usage, system_time_us=50_000)),
    ),
    "few futex calls": ("locks", lambda: replace(OWN_TIME["locks"], profiles={})),
    "few pages": (
        "fresh",
        lambda: _with("fresh", usage=Usage(user_time_us=1_300_000, system_time_us=300_000, minor_faults=900)),
    ),
    "calls cost more than pages": (
        "fresh",
        lambda: _with("fresh", io=IoProfile(read_calls=900_000, read_bytes=9_000_000)),
    ),
}


@pytest.mark.parametrize("reason", SILENT)
def test_a_rule_keeps_silent_where(reason: str) -> None:
    label, told = SILENT[reason]
    assert SAID[label] not in findings(told())


@pytest.mark.parametrize("label", FULL_STACKS)
def test_a_full_stack_is_told_with_the_function_that_calls_itself(label: str) -> None:
    told = explain(FULL_STACKS[label])
    found = findings(FULL_STACKS[label])["stack-overflow"]
    assert "`f` calls itself" in found.text
    assert found.advice
    assert found.lines
    both = replace(
        FULL_STACKS[label], source=FULL_STACKS[label].source.replace(b"f(", b"g(") + b"\n" + FULL_STACKS[label].source
    )
    assert "`g`, `f` call themselves" in findings(both)["stack-overflow"].text
    assert main_cause(told, FULL_STACKS[label].verdict) == "stack-overflow"


def test_a_crash_is_not_a_full_stack_without_its_signs() -> None:
    full, pieces, said, of_python = FULL_STACKS.values()
    (crash,) = full.cases
    for silent in (
        replace(full, source=b"int main() {}"),
        replace(full, cases=(replace(crash, signal=9),)),  # the kernel ended it for its memory
        replace(full, cases=(replace(crash, verdict=Verdict.RE),), verdict=Verdict.RE),
        replace(full, language=PYTHON, source=pieces.source),
        replace(pieces, profiles={}),
        replace(said, cases=(replace(said.cases[0], ending=None),)),
        replace(of_python, cases=(replace(of_python.cases[0], signal=6),)),
        replace(of_python, cases=(replace(of_python.cases[0], usage=BUSY),)),
    ):
        assert "stack-overflow" not in findings(silent)


def test_the_stack_of_a_python_program_is_named_with_its_size() -> None:
    found = findings(FULL_STACKS["stack of CPython"])["stack-overflow"]
    assert "The stack of a Python program has 32 MiB, whatever the memory limit is" in found.text
    assert "threading.stack_size" in found.advice


def test_fresh_memory_may_be_that_of_a_recursion() -> None:
    assert "recursion" not in findings(OWN_TIME["fresh"])["fresh-memory"].advice
    told = replace(OWN_TIME["fresh"], source=OVERFLOW.encode())
    assert "If your recursion goes many thousands of levels deep" in findings(told)["fresh-memory"].advice


def test_a_program_that_may_never_end_is_not_sent_for_a_better_algorithm() -> None:
    told = explain(OWN_TIME["endless"])
    assert "algorithm" not in {finding.code for finding in told}
    assert main_cause(told, Verdict.TLE) == "may-never-end"


def test_the_special_cause_goes_before_the_algorithm() -> None:
    told = explain(OWN_TIME["erases"])
    assert "algorithm" not in {finding.code for finding in told}
    assert main_cause(told, Verdict.TLE) == "costly-container"


def test_the_lines_that_a_run_printed_are_counted_where_a_checker_hides_the_answer() -> None:
    told = OWN_TIME["prints"]
    hidden = replace(told, answers={}, cases=(replace(told.cases[0], printed_lines=12_345_678),))
    assert findings(hidden)["print-by-print"].evidence["pieces"] == 12_345_678
    assert "print-by-print" not in findings(replace(told, answers={}))


def test_an_accepted_program_gets_the_numbers_without_advice() -> None:
    usage = Usage(user_time_us=700_000, system_time_us=1_000, wall_time_us=702_000)
    accepted = replace(
        OWN_TIME["prints"],
        cases=(replace(OWN_TIME["prints"].cases[0], verdict=Verdict.AC, usage=usage, exit_code=0, signal=None),),
        verdict=Verdict.AC,
    )
    found = findings(accepted)["print-by-print"]
    assert found.advice == ""
    fast = replace(accepted, cases=(replace(accepted.cases[0], usage=Usage(user_time_us=400_000)),))
    assert list(findings(fast)) == ["summary"]


def test_an_accepted_case_without_a_cause_is_told_nothing() -> None:
    assert findings(facts(case(usage=Usage(user_time_us=901_000)), language=PYTHON)).keys() == {"summary"}


def test_every_slow_case_gets_a_statement() -> None:
    for usage in (
        Usage(user_time_us=600_000, system_time_us=601_000, wall_time_us=1_300_000),
        Usage(user_time_us=850_000, system_time_us=351_000, wall_time_us=1_300_000),
    ):
        assert findings(facts(slow(usage=usage))).keys() == {"summary", "where-it-went"}


@pytest.mark.parametrize(
    ("construct", "is_one_line", "words"),
    [
        ("by value", True, "at the line that passes a vector or text by value."),
        ("+", False, "at the lines that add to a text with `+`."),
        ("substr()", True, "at the line with `substr(...)`."),
    ],
)
def test_the_line_is_called_by_what_stands_there(construct: str, is_one_line: bool, words: str) -> None:
    evidence = {"test_case": "secret/1", "construct": construct, "line_percent": 80, "is_one_line": is_one_line}
    finding = Finding(code="copying", evidence=evidence, lines=(3,))
    assert words in in_words(finding, CPP).text
    assert in_words(finding, None).text == ""  # a language that is here no more
