"""Runs a Python checker that was written for DMOJ as an output validator: INPUT ANSWER FEEDBACKDIR [WORTH] < output.

This file is put into packages, with the checker as problem_checker.txt, DMOJ's own checkers as dmoj_checker.py and
settings.json, and runs there alone. A checker is a module with a function `check`, which gets output, answer and some
more by name, and returns a truth or a CheckerResult. What it may import of DMOJ is here in our words (`stand_ins`).

Source: "Custom checkers" in DMOJ's documentation of its problem format, and how its judge calls them.
"""

import importlib
import json
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from inspect import Parameter, signature
from pathlib import Path
from types import ModuleType
from typing import Any

ACCEPTED, REJECTED, FAULT = 42, 43, 1
CHECKER, SETTINGS = "problem_checker.txt", "settings.json"
_ROUNDING = 1e-9
_NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


class CheckerResult:
    """A checker's result for an output: whether it passes, and its points of the case's worth."""

    def __init__(
        self, passed: bool, points: float, feedback: str | None = None, extended_feedback: str | None = None
    ) -> None:
        if not isinstance(passed, bool) or isinstance(points, bool) or not isinstance(points, (int, float)):
            raise TypeError(f"a CheckerResult has a truth and a number, not {passed!r} and {points!r}")
        self.passed = passed
        self.points = points
        self.feedback = feedback
        self.extended_feedback = extended_feedback


class InternalError(Exception):
    """The exception of a checker that cannot judge."""


def stand_ins(own: ModuleType) -> dict[str, ModuleType]:
    """Return the modules of DMOJ that a checker may import, by name; `own` is dmoj_checker."""

    def checker(name: str, **options: str) -> Any:
        def check(process_output: bytes, judge_output: bytes, **arguments: Any) -> bool:
            chosen = next((new for old, new in options.items() if arguments.get(old)), name)
            return bool(own.CHECKERS[chosen](utf8bytes(process_output), utf8bytes(judge_output)))

        return check

    def identical(process_output: bytes, judge_output: bytes, **_: Any) -> bool:
        return bool(utf8bytes(process_output) == utf8bytes(judge_output))

    def linecount(process_output: bytes, judge_output: bytes, point_value: float, **_: Any) -> CheckerResult:
        right, of = own.right_lines(utf8bytes(process_output), utf8bytes(judge_output))
        return CheckerResult(right == of, point_value * right / of)

    def sort(process_output: bytes, judge_output: bytes, split_on: str = "lines", **_: Any) -> bool:
        name = "unordered" if split_on == "whitespace" else "sorted"
        return bool(own.CHECKERS[name](utf8bytes(process_output), utf8bytes(judge_output)))

    checks = {
        "standard": checker("standard"),
        "easy": checker("easy"),
        "unordered": checker("unordered"),
        "rstripped": checker("rstripped", filter_new_line="rstripped-full-lines"),
        "sorted": sort,
        "identical": identical,
        "linecount": linecount,
    }
    contents: dict[str, dict[str, Any]] = {
        "dmoj": {},
        "dmoj.result": {"CheckerResult": CheckerResult},
        "dmoj.error": {"InternalError": InternalError},
        "dmoj.utils": {},
        "dmoj.utils.unicode": {"utf8bytes": utf8bytes, "utf8text": utf8text},
        "dmoj.checkers": {"CheckerOutput": bool | CheckerResult},
        **{f"dmoj.checkers.{name}": {"check": check} for name, check in checks.items()},
    }
    modules = {}
    for name, values in contents.items():
        modules[name] = ModuleType(name)
        vars(modules[name]).update(values, __path__=[])
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(modules[parent], last, modules[name])
    return modules


def utf8bytes(text: Any) -> Any:
    """Return the text as bytes; bytes and None unchanged."""
    return text.encode() if isinstance(text, str) else text


def utf8text(data: Any, errors: str = "strict") -> Any:
    """Return the bytes as text; text and None unchanged."""
    return data.decode("utf-8", errors) if isinstance(data, bytes) else data


def judge(check: Any, settings: dict[str, Any], worth: float, texts: tuple[bytes, bytes, bytes], feedback: Path) -> int:
    """Return the exit code; `texts` are input, answer and output. The earned part of `worth` goes into score.txt."""
    input_bytes, answer, output = texts
    value = int(worth) if worth == int(worth) else worth
    arguments = {"judge_input": input_bytes, "point_value": value, "binary_data": settings["binary_data"]}
    for name, argument in list(signature(check).parameters.items())[2:]:
        if argument.kind in _NAMED and argument.default is argument.empty and name not in settings["args"]:
            arguments.setdefault(name, None)  # of what DMOJ tells besides; the checker does not look at it
    try:
        result = check(output, answer, **{**settings["args"], **arguments})
    except UnicodeDecodeError:  # DMOJ takes that for a wrong answer too
        result = CheckerResult(False, 0, "the output is not UTF-8")
    if isinstance(result, bool):
        result = CheckerResult(result, worth if result else 0)
    if not isinstance(result, CheckerResult):
        print(f"check returned {result!r:.100}, which is neither a truth nor a CheckerResult", file=sys.stderr)
        return FAULT
    words = [text for text in (result.feedback, result.extended_feedback) if text]
    (feedback / "judgemessage.txt").write_text("\n".join(map(str, words)), encoding="utf-8", errors="replace")
    if not 0 <= result.points <= worth * (1 + _ROUNDING):
        print(f"check gave {result.points} points for a case that is worth {worth:g}", file=sys.stderr)
        return FAULT
    if result.passed and result.points >= worth * (1 - _ROUNDING):
        return ACCEPTED
    if not settings["gives_points"] or not (result.passed or result.points):
        return REJECTED  # a problem without points accepts nothing that is partly right
    (feedback / "score.txt").write_text(f"{result.points:.9f}\n")
    return ACCEPTED


def load(path: Path, name: str) -> Any:
    """Return the checker's function. Raises whatever its module raises."""
    loader = SourceFileLoader(name, str(path))
    module = module_from_spec(ModuleSpec(name, loader, origin=str(path)))
    loader.exec_module(module)
    return module.check


if __name__ == "__main__":
    here, sys.dont_write_bytecode = Path(__file__).parent, True
    input_name, answer_name, feedback_name, *rest = sys.argv[1:]
    settings = json.loads((here / SETTINGS).read_text())
    sys.modules.update(stand_ins(importlib.import_module("dmoj_checker")))
    stdout, sys.stdout = sys.stdout, sys.stderr  # what it prints is for the setter
    files = (Path(input_name).read_bytes(), Path(answer_name).read_bytes(), sys.stdin.buffer.read())
    without = 0.0 if settings["gives_points"] else 1.0
    sys.exit(
        judge(
            load(here / CHECKER, "problem_checker"),
            settings,
            float(rest[0]) if rest else without,
            files,
            Path(feedback_name),
        )
    )
