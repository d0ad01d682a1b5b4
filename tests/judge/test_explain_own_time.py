"""The rules about time that a program spends in itself, on made-up numbers: when each speaks, and when it must not."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.explain import Facts, explain, main_cause
from judge.grading.explain.texts import Shape, shape_of
from judge.grading.languages import PYTHON
from judge.grading.verdicts import Verdict
from sandbox.types import IoProfile, Usage
from tests.judge.own_time_stories import LARGE, OWN_TIME, TINY, slow
from tests.judge.spoken import findings
from tests.judge.test_explain import case, facts

SAID = {
    "endless": "may-never-end",
    "tiny": "may-never-end",
    "prints": "print-by-print",
    "cin": "line-by-line",
    "streams": "conversion",
    "erases": "costly-container",
    "copies": "copying",
    "branches": "branching-recursion",
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
    "it wrote something": ("endless", lambda: _with("endless", stdout_bytes=3)),
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


def test_a_program_that_may_never_end_is_not_sent_for_a_better_algorithm() -> None:
    told = explain(OWN_TIME["endless"])
    assert "algorithm" not in {finding.code for finding in told}
    assert main_cause(told, Verdict.TLE) == "may-never-end"


def test_the_special_cause_goes_before_the_algorithm() -> None:
    told = explain(OWN_TIME["erases"])
    assert "algorithm" in {finding.code for finding in told}
    assert main_cause(told, Verdict.TLE) == "costly-container"


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


def test_every_slow_case_gets_a_statement() -> None:
    for usage in (
        Usage(user_time_us=600_000, system_time_us=601_000, wall_time_us=1_300_000),
        Usage(user_time_us=850_000, system_time_us=351_000, wall_time_us=1_300_000),
    ):
        assert findings(facts(slow(usage=usage))).keys() == {"summary", "where-it-went"}
    assert "where-it-went" in findings(facts(case(usage=Usage(user_time_us=501_000)), language=PYTHON))


def test_a_file_s_lines_and_words(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.write_text("3 -70\nabc 12\n")
    assert shape_of(small) == Shape(bytes=13, lines=2, words=4, largest=70)
    large = tmp_path / "large"
    large.write_text("".join(f"{i}\n" for i in range(100_000, 200_000)))
    shape = shape_of(large)
    assert (shape.bytes, shape.largest) == (700_000, None)
    assert abs(shape.lines - 100_000) < 1_000
    assert abs(shape.words - 100_000) < 1_000
    empty = tmp_path / "empty"
    empty.touch()
    assert shape_of(empty) == Shape(bytes=0, lines=0, words=0, largest=0)
