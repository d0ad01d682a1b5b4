"""Each finding has one complete record, listed once, and the documents know its code."""

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from judge.grading import explain
from judge.grading.explain import BY_CODE, CAUSES, RULES
from judge.grading.explain.evidence.rule import Rule

PAGE = Path(__file__).resolve().parents[4] / "docs" / "explain.md"


def _modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(explain.__path__, f"{explain.__name__}."):
        yield import_module(found.name)


def _records(module: ModuleType) -> tuple[Rule, ...]:
    return getattr(module, "RULES", None) or ((module.RULE,) if hasattr(module, "RULE") else ())


def test_each_code_has_one_record_of_its_own_sentences() -> None:
    assert len(BY_CODE) == len(RULES)
    assert len({rule.say for rule in RULES}) == len(RULES)


def test_every_record_of_a_file_is_listed() -> None:
    records = [rule for module in _modules() for rule in _records(module)]
    assert {rule.code for rule in records} == set(BY_CODE)
    assert all(rule is BY_CODE[rule.code] for rule in records)


def test_every_file_with_sentences_of_a_finding_has_a_record_of_each() -> None:
    wordings = {
        value
        for module in _modules()
        for name, value in vars(module).items()
        if re.match(r"say(?:_|$)", name) and value.__module__ == module.__name__
    }
    assert wordings == {rule.say for rule in RULES}


def test_a_code_without_a_search_of_its_own_comes_from_a_search_of_its_file() -> None:
    searching = {rule.say.__module__ for rule in RULES if rule.find}
    assert {rule.say.__module__ for rule in RULES} == searching


def test_hints_tell_the_causes_apart_and_are_sentences() -> None:
    hints = [cause.hint for cause in CAUSES.values()]
    assert len({*hints}) == len(hints)
    assert all(hint.endswith(".") for hint in hints)


def test_the_table_of_the_page_about_explanations_has_every_code_once() -> None:
    rows = re.findall(r"^\| (`[^|]+`) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    codes = [code for row in rows for code in re.findall(r"`([^`]+)`", row)]
    assert set(codes) == set(BY_CODE)
    assert len(codes) == len(BY_CODE)
