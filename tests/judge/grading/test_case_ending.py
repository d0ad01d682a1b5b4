"""The record of how a case ended: what of it is told of hidden input, and what a row keeps."""

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from judge.grading.case_ending import (
    SHOWN_SIGNALS,
    CallExcess,
    CaseEnding,
    TokenDifference,
    end_of,
    ending_of,
)
from judge.grading.ending_words import brief, end_in_words
from judge.grading.events import Finding
from judge.grading.explain import as_sentence
from judge.grading.languages import CPP, PYTHON, RUST, Language
from judge.grading.reading.program_errors import ErrorKind, Origin, ProgramError
from judge.grading.reading.stderr import read_python
from problems import translation
from problems.jsonvalues import from_row, to_json
from sandbox.types import Ending, Outcome

VALUE = ProgramError(kind=ErrorKind.EXCEPTION, name="ValueError", line=12, message="I read 5")
LOST = replace(VALUE, name="Mine", origin=Origin.THREAD)
FAILED = CaseEnding(how=Ending.EXITED, exit_code=1, error=VALUE, lost=LOST, is_output_right=True)


def signalled(name: str, **values: object) -> CaseEnding:
    return replace(CaseEnding(how=Ending.SIGNALLED, signal=name), **values)  # type: ignore[arg-type]


OVER = CaseEnding(how=Ending.EXITED, exit_code=0, calls=CallExcess(what="write", made=4_711, most=2_000))
WRONG = CaseEnding(how=Ending.EXITED, exit_code=0, difference=TokenDifference(number=3, expected="'5'", got=None))


@pytest.mark.parametrize(
    "ending",
    [
        FAILED,
        signalled("SIGSEGV", line=3),
        CaseEnding(how=Ending.CPU_LIMIT, limit=1_500, lost=LOST),
        OVER,
        WRONG,
        CaseEnding(how=None, refusal="Exec format error"),
    ],
)
def test_a_row_keeps_all_of_it(ending: CaseEnding) -> None:
    assert from_row(CaseEnding, json.loads(json.dumps(to_json(ending)))) == ending


def test_a_row_of_an_older_version_lacks_what_was_added_since() -> None:
    older = {"how": "exited", "exit_code": 1, "signal": "", "error": None, "lost": None, "line": 0}
    assert from_row(CaseEnding, older) == CaseEnding(how=Ending.EXITED, exit_code=1)


@pytest.mark.parametrize("changes", [{"how": "vanished"}, {"error": {"kind": "curse"}}, {"lost": "thread"}])
def test_an_ending_of_another_version_is_not_told(changes: dict[str, object]) -> None:
    evidence = {"verdict": "RE", "test_case": "secret/1", "accepted": 0, "test_cases": 1, "cpu_time_us": 1}
    evidence |= {"wall_time_us": 1, "time_limit_ms": 1_000, "write_calls": 1, "bytes_per_write": 1.0, "read_calls": 1}
    evidence |= {"bytes_per_read": 1.0}
    sentences = []
    for kept in ({}, {"ending": {**to_json(FAILED), **changes}}, {"ending": to_json(FAILED)}):
        sentences.append(as_sentence(Finding(code="summary", evidence={**evidence, **kept}), PYTHON))
    assert sentences[0] == sentences[1] != sentences[2]


def test_on_hidden_input_no_number_and_no_token_is_told() -> None:
    assert OVER.bounded(frozenset()) == replace(OVER, calls=CallExcess(what="write"))
    assert WRONG.bounded(frozenset()) == CaseEnding(how=Ending.EXITED, exit_code=0)
    words = CaseEnding(how=None, refusal="no memory at 4711", text="it read 4711")
    assert words.bounded(frozenset()) == CaseEnding(how=None)


def test_every_field_is_bounded_or_of_the_problem() -> None:
    """A new field answers here whether a program could say by it what it read."""
    # counted in docs/security.md
    bounded = {"how", "exit_code", "signal", "error", "lost", "is_output_right", "line", "overflow"}
    of_the_problem = {"limit", "stream"}
    removed = {"calls", "difference", "refusal", "text"}
    assert {field.name for field in fields(CaseEnding)} == bounded | of_the_problem | removed


def test_on_hidden_input_it_tells_no_code_no_message_no_name_of_the_programs_own_and_few_signals() -> None:
    bounded = FAILED.bounded(PYTHON.known_errors)
    assert bounded == CaseEnding(
        how=Ending.EXITED,
        error=replace(VALUE, message=""),
        lost=replace(LOST, name="", message=""),
        is_output_right=True,
    )
    assert "5" not in json.dumps(to_json(bounded))
    for name in ("SIGTERM", "SIGUSR1", "33"):
        assert signalled(name).bounded(frozenset()) == signalled("")
    for name in SHOWN_SIGNALS:
        assert signalled(name).bounded(frozenset()) == signalled(name)
    assert bounded.bounded(PYTHON.known_errors) == bounded


def test_a_long_error_output_is_read_from_its_end(tmp_path: Path) -> None:
    stderr, source = tmp_path / "stderr", b"x\n" * 20
    traceback = b'Traceback (most recent call last):\n  File "/program/main.py", line 3, in f\nKeyError: 5\n'
    stderr.write_bytes(b"debug\n" * 200_000 + traceback)
    outcome = Outcome(ending=Ending.EXITED, exit_code=1, stderr_bytes=stderr.stat().st_size)
    found = ending_of(outcome, stderr, read_python, source, "main.py").error
    assert found
    assert (found.words, found.line) == ("KeyError: 5", 3)
    assert ending_of(outcome, stderr, read_python, b"x", "main.py").place == 0
    assert ending_of(outcome, stderr, read_python, source, "").place == 0  # the package's own file is run


@pytest.mark.parametrize(
    ("ending", "language", "words"),
    [
        (
            FAILED,
            PYTHON,
            "The program failed on s in line 12: ValueError: I read 5. Its output was right: only the way it ended is "
            "wrong.",
        ),
        (
            FAILED.bounded(PYTHON.known_errors),
            PYTHON,
            "The exception ValueError, which nothing caught, ended the program on s in line 12. Its output was right: "
            "only the way it ended is wrong.",
        ),
        (
            CaseEnding(how=Ending.EXITED, error=replace(LOST, name="", message="")),
            PYTHON,
            "The program failed on s in line 12: an exception of a type of its own.",
        ),
        (
            CaseEnding(how=Ending.EXITED, exit_code=3),
            CPP,
            "The program ended with exit code 3 on s: any code other than 0 means an error.",
        ),
        (
            CaseEnding(how=Ending.EXITED),
            CPP,
            "The program ended with an exit code other than 0 on s, which means an error.",
        ),
        (
            CaseEnding(how=Ending.EXITED, exit_code=139),
            CPP,
            "The program itself ended with exit code 139 on s. Shells write SIGSEGV so, but no signal ended it.",
        ),
        (
            CaseEnding(how=Ending.EXITED, exit_code=120),
            PYTHON,
            "The program ended with exit code 120 on s: it could not write out all of its output.",
        ),
        (
            signalled("SIGSEGV", line=7),
            CPP,
            "SIGSEGV (segmentation fault) ended the program on s: it used memory that is not its own, as behind the "
            "end of an array, through an empty pointer, or below a full stack. It was at line 7 then.",
        ),
        (
            signalled("SIGILL"),
            CPP,
            "SIGILL (illegal instruction) ended the program on s: it came to code that stops it on purpose, such as "
            "the check that ends a division by zero.",
        ),
        (
            signalled("SIGILL"),
            RUST,
            "SIGILL (illegal instruction) ended the program on s: it came to code that stops it on purpose.",
        ),
        (signalled("SIGTERM"), RUST, "SIGTERM ended the program on s."),
        (signalled("40"), RUST, "signal 40 ended the program on s."),
        (signalled(""), RUST, "A signal ended the program on s."),
        (
            signalled("SIGABRT", error=ProgramError(kind=ErrorKind.HEAP, message="free(): invalid pointer"), line=9),
            CPP,
            "The C library aborted the program on s, because the heap is damaged: something was written outside of its "
            "memory, or freed twice. It was at line 9 then.",
        ),
        (CaseEnding(how=Ending.EXITED, exit_code=0, lost=LOST), PYTHON, ""),
        (CaseEnding(how=Ending.CPU_LIMIT), PYTHON, ""),
    ],
)
def test_what_ended_a_program_is_said_in_words(ending: CaseEnding, language: Language, words: str) -> None:
    assert end_in_words(ending, language, "s") == words


def test_every_kind_of_error_has_a_sentence_with_and_without_its_words() -> None:
    for kind in ErrorKind:
        for message in ("", "said"):
            ending = signalled("SIGABRT", error=ProgramError(kind=kind, message=message))
            assert "on s" in end_in_words(ending, CPP, "s")


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (end_of(Outcome(ending=Ending.CPU_LIMIT, signal=9, limit=1_500)), "CPU time limit of 1.5 s"),
        (end_of(Outcome(ending=Ending.WALL_LIMIT, signal=9, limit=3_000)), "wall time limit of 3 s"),
        (end_of(Outcome(ending=Ending.MEMORY_LIMIT, signal=9, limit=255 << 20)), "memory limit of 255 MiB"),
        (
            end_of(Outcome(ending=Ending.OUTPUT_LIMIT, signal=9, limit=8 << 20, stream="stderr")),
            "output limit of 8 MiB on stderr",
        ),
        (end_of(Outcome(ending=Ending.SIGNALLED, signal=11)), "killed by SIGSEGV (segmentation fault)"),
        (end_of(Outcome(ending=Ending.SIGNALLED, signal=40)), "killed by signal 40"),
        (CaseEnding(how=Ending.SIGNALLED), "killed by a signal"),
        (end_of(Outcome(ending=Ending.EXITED, exit_code=3)), "exit code 3"),
        (CaseEnding(how=Ending.EXITED), "non-zero exit code"),
        (end_of(Outcome(ending=Ending.EXITED, exit_code=0)), None),
        (OVER, "4,711 write calls where at most 2,000 are allowed"),
        (OVER.bounded(frozenset()), "more write calls than the problem allows"),
        (replace(OVER, calls=CallExcess(what="read", made=9, most=7)), "9 read calls where at most 7 are allowed"),
        (replace(OVER, calls=CallExcess(what="read")), "more read calls than the problem allows"),
        (WRONG, "token 3: expected '5', got the end of the output"),
        (CaseEnding(how=None, refusal="Exec format error"), "the program cannot be started: Exec format error"),
        (CaseEnding(how=None, text="Wrong path at node 3"), "Wrong path at node 3"),
        (CaseEnding(how=None), None),
    ],
)
def test_an_end_is_said_in_a_few_words(ending: CaseEnding, words: str | None) -> None:
    assert brief(ending) == words


def test_an_end_is_said_in_the_readers_language(monkeypatch: pytest.MonkeyPatch) -> None:
    korean = {"killed by %(signal)s": "%(signal)s로 종료됨", "signal %(number)s": "시그널 %(number)s"}
    monkeypatch.setattr(translation, "_gettext", lambda template: korean.get(template, template))
    assert translation.translated(brief(signalled("40"))) == "시그널 40로 종료됨"
