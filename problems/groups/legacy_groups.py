"""Legacy test groups: read points and verdicts from testdata.yaml, and build data/ as a tree with inheritance.

The tree is built from the cases' folders, in the order of judging. Source: "Test data groups" and "Default grader
specification" of the legacy package format.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeVar

from problems.diagnostics import Report
from problems.format.typed_mapping import Keys
from problems.groups.testgroups import Grading, Points, TestGroup
from problems.package import TestCase
from problems.translation import Sentence

Said = TypeVar("Said")


def build_tree(
    cases: tuple[TestCase, ...], rule: Callable[[str, Said], tuple[Grading | Points, Said]], above: Said
) -> TestGroup:
    """Return data/ as a tree with every folder that holds cases as a group.

    `cases` are in order. `rule` gives a folder's rule, and what the folders in it inherit, from what is `above`.
    """
    return _group("", [case.name for case in cases], rule, above)


def _group(
    name: str, cases: list[str], rule: Callable[[str, Said], tuple[Grading | Points, Said]], above: Said
) -> TestGroup:
    own, below = rule(name, above)
    return TestGroup(name=name, rule=own, parts=tuple(_parts(name, cases, rule, below)))


def _parts(
    name: str, cases: list[str], rule: Callable[[str, Said], tuple[Grading | Points, Said]], below: Said
) -> Iterator[TestGroup | str]:
    """Return the folder's own cases and its subfolders; cases of one folder stay together."""
    prefix = f"{name}/" if name else ""

    def folder(case: str) -> str:
        inside = case.removeprefix(prefix)
        return inside.split("/")[0] if "/" in inside else ""

    for part, names in groupby(cases, key=folder):
        if part:
            yield _group(f"{prefix}{part}", list(names), rule, below)
        else:
            yield from names


_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,15})?|\.[0-9]{1,15}|inf)", re.ASCII | re.IGNORECASE)
_VERDICTS = {name: name for name in ("worst_error", "first_error", "always_accept")} | {"no_errors": "worst_error"}
_SCORES = ("sum", "avg", "min", "max")
_IGNORE_SAMPLE, _ANY = "ignore_sample", "accept_if_any_accepted"
_OLD_POLICIES = {"first_error": "break", "grade": "continue", "worst_error": "continue"}  # of problem.yaml


@dataclass(frozen=True, kw_only=True, slots=True)
class GradingYaml:
    """The content of one file; None: not set here, the folder above decides."""

    on_reject: str | None = None
    flags: tuple[str, ...] | None = None
    accept_score: float | None = None
    reject_score: float | None = None
    range: tuple[float, float] | None = None


NO_GRADING = GradingYaml()


def read_grading(keys: Keys) -> GradingYaml:
    """Read the scoring keys of a testdata.yaml."""
    on_reject = keys.text("on_reject")
    if on_reject not in (None, "break", "continue"):
        keys.error(
            "on_reject",
            Sentence("must be break or continue, not %(on_reject)r", on_reject=on_reject[:40])
            if on_reject
            else Sentence("is empty"),
        )
        on_reject = None
    if keys.text("grading") not in (None, "", "default"):
        why = Sentence("must be default: Tally runs no graders of packages, use the default grader with grader_flags")
        keys.error("grading", why)
    flags = keys.words("grader_flags")
    for flag in flags or ():
        if flag not in (*_VERDICTS, *_SCORES, _IGNORE_SAMPLE, _ANY):
            keys.warn(
                "grader_flags",
                Sentence("%(flag)r is no flag of the default grader: it changes nothing", flag=flag[:40]),
            )
    return GradingYaml(on_reject=on_reject, flags=flags, **_scores(keys))


def read_old_grading(keys: Keys) -> GradingYaml:
    """Read the section `grading` of an old legacy problem.yaml, which applies to all groups."""
    if keys.text("objective") not in (None, "", "max"):
        keys.error("objective", Sentence("must be max: in Tally more points are always better"))
    if keys.flag("show_test_data_groups") is not None:
        keys.warn(
            "show_test_data_groups", Sentence("is not used: the problem's settings here say what contestants see")
        )
    policy = keys.text("on_reject")
    if policy not in (None, *_OLD_POLICIES):
        keys.error("on_reject", Sentence("must be one of %(names)s", names=", ".join(_OLD_POLICIES)))
    return GradingYaml(on_reject=_OLD_POLICIES.get(policy or ""), **_scores(keys))


def gives_points(said: GradingYaml) -> bool:
    """Return whether the file has keys of scoring problems only."""
    return (said.accept_score, said.reject_score, said.range) != (None, None, None)


def legacy_tree(cases: tuple[TestCase, ...], said_of: Callable[[str], GradingYaml], above: GradingYaml) -> TestGroup:
    """Return data/ as a tree. `said_of` returns a folder's settings ("" is data/); `above` applies to all folders."""

    def rule(name: str, inherited: GradingYaml) -> tuple[Grading, GradingYaml]:
        merged = _merged(said_of(name), inherited)
        return _rule(merged, is_root=not name), merged

    return build_tree(cases, rule, above)


def domjudge_tree(cases: tuple[TestCase, ...], said: Mapping[str, GradingYaml]) -> TestGroup:
    """Return the tree in DOMjudge's dialect. `said` has the folders with a file, "" for data/: nothing is inherited."""

    def rule(name: str, above: GradingYaml) -> tuple[Grading, GradingYaml]:
        own = said.get(name, NO_GRADING)
        score = own.accept_score
        found = replace(
            _rule(own, is_root=not name),
            accept_score=score or 0.0,
            reject_score=0.0,
            verdict="first_error",
            accepts_if_any=False,
            is_whole=True,
            has_accept_score=score is not None,
            is_left_out=bool(name) and not any(f"{other}/".startswith(f"{name}/") for other in said),
        )
        return found, above

    return build_tree(cases, rule, NO_GRADING)


def is_of_kattis(said: GradingYaml) -> str:
    """Return a key or flag of the file that only Kattis's dialect has; "" for none."""
    if said.reject_score is not None:
        return Sentence("a reject_score")
    flag = next((flag for flag in said.flags or () if flag in (*_VERDICTS, _ANY)), "")
    return Sentence("the grader flag %(flag)s", flag=flag) if flag else ""


def warn_of_misplaced(said: Mapping[str, GradingYaml], report: Report) -> None:
    """Warn of flags that only have a meaning in data/. `said` is by folder, "" for data/."""
    for name, each in said.items():
        if name and _IGNORE_SAMPLE in (each.flags or ()):
            why = Sentence("%(flag)s means something in data/testdata.yaml only", flag=_IGNORE_SAMPLE)
            report.warn(f"data/{name}/testdata.yaml", "grader_flags", why)


def _scores(keys: Keys) -> dict[str, Any]:
    return {
        "accept_score": _number(keys, "accept_score"),
        "reject_score": _number(keys, "reject_score"),
        "range": _range(keys),
    }


def _number(keys: Keys, key: str) -> float | None:
    text = keys.text(key)
    if not text:
        return None
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        keys.error(key, Sentence("must be a finite number, not %(text)r", text=text[:40]))
        return None
    return float(text)


def _range(keys: Keys) -> tuple[float, float] | None:
    words = keys.words("range")
    if not words:
        return None
    if len(words) != 2 or not all(_NUMBER.fullmatch(word) for word in words) or float(words[0]) > float(words[1]):
        keys.error(
            "range",
            Sentence("must be two numbers, the least and the most points, not %(words)r", words=" ".join(words)[:60]),
        )
        return None
    return float(words[0]), float(words[1])


def _merged(said: GradingYaml, above: GradingYaml) -> GradingYaml:
    return GradingYaml(
        on_reject=said.on_reject if said.on_reject is not None else above.on_reject,
        flags=said.flags if said.flags is not None else above.flags,
        accept_score=said.accept_score if said.accept_score is not None else above.accept_score,
        reject_score=said.reject_score if said.reject_score is not None else above.reject_score,
        range=said.range if said.range is not None else above.range,
    )


def _rule(said: GradingYaml, *, is_root: bool) -> Grading:
    flags = said.flags or ()
    verdicts = [_VERDICTS[flag] for flag in flags if flag in _VERDICTS]
    scores = [flag for flag in flags if flag in _SCORES]
    least, most = said.range or (-math.inf, math.inf)
    return Grading(
        on_reject=said.on_reject or "break",
        accept_score=1.0 if said.accept_score is None else said.accept_score,
        reject_score=said.reject_score or 0.0,
        least=least,
        most=most,
        verdict=verdicts[-1] if verdicts else "worst_error",
        score=scores[-1] if scores else "sum",
        ignores_sample=is_root and _IGNORE_SAMPLE in flags,
        accepts_if_any=_ANY in flags,
    )
