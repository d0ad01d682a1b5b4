"""Explain which test cases were not run."""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Rule, Said, Telling
from problems.translation import gettext as _, sentence_of, translated


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
    part = _("{cases} because {reason}") if len(reasons) > 1 else "{reason}"
    # older rows have the English text of a reason alone
    causes = [translated(sentence_of(reason.get("sentence", reason["because"]))) for reason in reasons]
    counted = zip(reasons, causes, strict=True)
    why = ", ".join(part.format(cases=f"{reason['cases']:,}", reason=cause) for reason, cause in counted)
    sentence = _("{not_run} of {test_cases} test cases were not run: {why}.")
    return Said(text=telling.fill(sentence, why=why))


RULE = Rule(code="not-run", find=find, say=say, about=About.NOTHING, is_about_case=False, explains=False)
