"""Findings with the sentences that are made of them, for tests of both."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from judge.grading.events import Finding
from judge.grading.explain import explain, in_words
from judge.grading.explain.evidence.facts import Facts
from judge.grading.languages import Language


@dataclass(frozen=True, kw_only=True, slots=True)
class Spoken:
    """One finding, as the command line tells it."""

    code: str
    text: str
    advice: str
    evidence: dict[str, Any]
    lines: Sequence[int]


def spoken(found: Iterable[Finding], language: Language | None) -> dict[str, Spoken]:
    """All of them by code."""
    return {finding.code: _spoken(finding, language) for finding in found}


def findings(told: Facts) -> dict[str, Spoken]:
    """What is found of a story, by code."""
    return spoken(explain(told), told.language)


def _spoken(finding: Finding, language: Language | None) -> Spoken:
    said = in_words(finding, language)
    return Spoken(code=finding.code, text=said.text, advice=said.advice, evidence=finding.evidence, lines=finding.lines)
