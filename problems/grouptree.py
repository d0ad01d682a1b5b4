"""Build the tree of test groups from the cases' folders, in the order of judging."""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TypeVar

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
