"""Legacy test groups: data/ as a tree in both dialects, with points and verdicts inherited.

The tree is built from the cases' folders, in the order of judging. Source: "Test data groups" and "Default grader
specification" of the legacy package format.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

from problems.format.grading import ANY, IGNORE_SAMPLE, NO_GRADING, SCORES, VERDICTS, GradingYaml
from problems.package import TestCase
from problems.testgroups import Grading, Points, TestGroup

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


def legacy_tree(cases: tuple[TestCase, ...], said_of: Callable[[str], GradingYaml], above: GradingYaml) -> TestGroup:
    """Return data/ as a tree. `said_of` returns a folder's settings ("" is data/); `above` applies to all folders."""

    def rule(name: str, inherited: GradingYaml) -> tuple[Grading, GradingYaml]:
        own = said_of(name)
        merged = GradingYaml(
            on_reject=own.on_reject if own.on_reject is not None else inherited.on_reject,
            flags=own.flags if own.flags is not None else inherited.flags,
            accept_score=own.accept_score if own.accept_score is not None else inherited.accept_score,
            reject_score=own.reject_score if own.reject_score is not None else inherited.reject_score,
            range=own.range if own.range is not None else inherited.range,
        )
        return _rule(merged, is_root=not name), merged

    return build_tree(cases, rule, above)


def domjudge_tree(cases: tuple[TestCase, ...], gradings: Mapping[str, GradingYaml]) -> TestGroup:
    """Return the tree in DOMjudge's dialect. `said` has the folders with a file, "" for data/: nothing is inherited."""

    def rule(name: str, above: GradingYaml) -> tuple[Grading, GradingYaml]:
        own = gradings.get(name, NO_GRADING)
        score = own.accept_score
        grading = replace(
            _rule(own, is_root=not name),
            accept_score=score or 0.0,
            reject_score=0.0,
            verdict="first_error",
            accepts_if_any=False,
            is_whole=True,
            has_accept_score=score is not None,
            is_left_out=bool(name) and not any(f"{other}/".startswith(f"{name}/") for other in gradings),
        )
        return grading, above

    return build_tree(cases, rule, NO_GRADING)


def _rule(grading: GradingYaml, *, is_root: bool) -> Grading:
    flags = grading.flags or ()
    verdicts = [VERDICTS[flag] for flag in flags if flag in VERDICTS]
    scores = [flag for flag in flags if flag in SCORES]
    least, most = grading.range or (-math.inf, math.inf)
    return Grading(
        on_reject=grading.on_reject or "break",
        accept_score=1.0 if grading.accept_score is None else grading.accept_score,
        reject_score=grading.reject_score or 0.0,
        least=least,
        most=most,
        verdict=verdicts[-1] if verdicts else "worst_error",
        score=scores[-1] if scores else "sum",
        ignores_sample=is_root and IGNORE_SAMPLE in flags,
        accepts_if_any=ANY in flags,
    )
