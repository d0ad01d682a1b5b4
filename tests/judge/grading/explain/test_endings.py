"""How a case ended, in the reader's language: every sentence that the judge and the sandbox keep of it is known."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from judge.grading.checkers import checking
from judge.grading.events import Finding
from judge.grading.explain import as_sentence
from judge.grading.explain.evidence.endings import ending_in_words
from judge.grading.running import cases
from judge.grading.submission import budget
from problems import translation
from sandbox.jail import classify

SAYERS: dict[str, Callable[..., Any]] = {
    "limits": classify.decide_ending,
    "hidden": cases.detail_of_hidden,
    "calls": budget.Excess.__str__,
    "budget": budget.judged_by,
    "tokens": checking._compare,
}


def _said(function: Callable[..., Any]) -> list[str]:
    """The sentences in a function's source, with something for each value."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inner = {part for node in joined for part in ast.walk(node) if part is not node}
    plain = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in inner]
    words = [str(node.value) for node in plain if isinstance(node.value, str) and " " in node.value]
    docstring = inspect.getdoc(function)
    return [_example(node) for node in joined if node not in inner] + [
        each for each in words if inspect.cleandoc(each) != docstring
    ]


def _example(words: ast.JoinedStr) -> str:
    """Every value as "write", which fits where one of two words is asked for."""
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "write" for part in words.values)


@pytest.mark.parametrize("name", SAYERS)
def test_every_ending_is_told_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "gettext", lambda template: f"<{template}>")
    said = _said(SAYERS[name])
    assert said
    assert [words for words in said if ending_in_words(words)[:1] != "<"] == []


def test_values_keep_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    korean = {"CPU time limit of %(limit)s": "CPU 시간 제한 %(limit)s", "killed by a signal": "시그널로 종료됨"}
    monkeypatch.setattr(translation, "gettext", korean.__getitem__)
    assert ending_in_words("CPU time limit of 0.6 s") == "CPU 시간 제한 0.6 s"
    assert ending_in_words("killed by a signal") == "시그널로 종료됨"


def test_what_a_checker_of_somebody_else_says_stays() -> None:
    assert ending_in_words("Wrong path at node 3") == "Wrong path at node 3"


def test_a_finding_that_a_report_keeps_is_said_in_the_readers_language(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence: dict[str, Any] = {"test_case": "secret/1", "accepted": 1, "test_cases": 2, "verdict": "RE"}
    evidence |= {"detail": "exit code 3", "time_limit_ms": 1_000, "bytes_per_write": 4.0}
    evidence |= dict.fromkeys(("cpu_time_us", "wall_time_us", "write_calls", "read_calls"), 1)
    kept = as_sentence(Finding(code="summary", evidence=evidence), None).as_json()
    failed = "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): it failed while running"
    assert (
        kept["text"]
        == "secret/1 is the first test case to fail (1 of 2 accepted): it failed while running (exit code 3)."
    )
    korean = {f"{failed} ({{detail}}).": "{test_case}: {detail}", "exit code %(code)s": "종료 코드 %(code)s"}
    monkeypatch.setattr(translation, "_gettext", lambda template: korean.get(template, template))
    assert translation.translated(translation.sentence_of(kept)) == "secret/1: 종료 코드 3"
