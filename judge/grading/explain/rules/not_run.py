"""Explain which test cases were not run."""

from collections.abc import Mapping
from typing import Any

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import Rule
from judge.grading.explain.evidence.wording import Said, Telling
from problems.translation import gettext as _
from problems.translation import sentence_of, translated


def find(facts: Facts) -> Finding | None:
    """Count the cases that were left out, by reason; reasons name groups but no test case."""
    count = sum(len(group.names) for group in facts.left_out)
    if not count:
        return None
    reasons = [
        {"cases": len(group.names), "because": str(group.because), "sentence": group.because.as_json()}
        for group in facts.left_out
    ]
    return Finding(code="not-run", evidence={"not_run": count, "test_cases": facts.total_cases, "reasons": reasons})


def say(telling: Telling) -> Said:
    """Tell how many were left out, and why; a count for each reason if there are several."""
    reasons = telling.value("reasons")
    if len(reasons) == 1:
        why = _because(reasons[0])
    else:
        part = _("{cases} because {reason}")
        why = ", ".join(part.format(cases=f"{reason['cases']:,}", reason=_because(reason)) for reason in reasons)
    sentence = _("{not_run} of {test_cases} test cases were not run: {why}.")
    counts = {"not_run": telling.count("not_run"), "test_cases": telling.count("test_cases")}
    return Said(text=sentence.format(why=why, **counts))


def _because(reason: Mapping[str, Any]) -> str:
    """Return a reason in the reader's language; older rows have its English text alone."""
    words: str = translated(sentence_of(reason.get("sentence", reason["because"])))
    return words


RULE = Rule(
    code="not-run",
    find=find,
    say=say,
    cause=None,
    is_about_case=False,
    leaves_time_open=True,
    explains=False,
)
