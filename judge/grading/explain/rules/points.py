"""Explain the points of a scoring problem: how many, and which groups gave less than they could."""

from collections.abc import Mapping
from typing import Any

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Rule, Said, Telling
from judge.grading.verdicts import Verdict
from judge.grading.words import points
from problems.translation import gettext as _, ngettext

_MOST_NAMED = 4


def find(facts: Facts) -> Finding | None:
    """Find the points of every scoring problem that was judged."""
    scored = facts.scored
    if scored is None:
        return None
    groups = scored.groups
    short = [
        {
            "place": place,
            "verdict": group.verdict.value if group.verdict else None,
            "score": group.score,
            "max_score": group.max_score,
        }
        for place, group in enumerate(groups, start=1)
        if group.verdict is not Verdict.AC or (group.max_score is not None and group.score < group.max_score)
    ]
    evidence: dict[str, object] = {
        "score": scored.score,
        "max_score": scored.max_score,
        "groups": len(groups),
        "group_points": sum(group.score for group in groups),
        "is_forfeited": scored.is_forfeited,
        "short": short[:_MOST_NAMED],
        "more_short": max(0, len(short) - _MOST_NAMED),
    }
    return Finding(code="points", evidence=evidence)


def say(telling: Telling) -> Said:
    """Tell the points; then why there are none, or what is missing, if there are several groups."""
    count, group_points = telling.value("groups"), telling.value("group_points")
    if telling.has("is_forfeited") and group_points:
        sentence = _("{points}: only an accepted submission has points here. Its groups came to {kept}.")
    elif telling.has("is_forfeited"):
        sentence = _("{points}: only an accepted submission has points here.")
    elif count > 1 and telling.value("short"):
        sentence = _("{points}: {groups}.")
    elif count > 1:
        sentence = _("{points}: all {count} groups are right.")
    else:
        sentence = _("{points}.")
    score, most = telling.value("score"), telling.value("max_score")
    number = score if most is None else most
    plural = int(number) if number == int(number) else 2  # a whole number that takes the same form of a noun
    if most is None:
        total = ngettext("{score} point", "{score} points", plural).format(score=points(score))
    else:
        total = ngettext("{score} of {most} point", "{score} of {most} points", plural)
        total = total.format(score=points(score), most=points(most))
    groups = [_group(group, count) for group in telling.value("short")]
    if more := telling.value("more_short"):
        others = ngettext("{count} more gave less than it could", "{count} more gave less than they could", more)
        groups.append(others.format(count=more))
    return Said(text=sentence.format(points=total, kept=points(group_points), groups=", ".join(groups), count=count))


def _group(group: Mapping[str, Any], count: int) -> str:
    """Say of a group what it gave."""
    most = group["max_score"]
    if group["verdict"] is None:
        sentence = _("group {place} of {count} was not run")
    elif group["verdict"] == Verdict.AC and most is not None:
        sentence = _("group {place} of {count} gave {score} of {most}")
    elif group["verdict"] == Verdict.AC:
        sentence = _("group {place} of {count} gave {score}")
    elif not group["score"]:
        sentence = _("group {place} of {count} failed ({verdict})")
    elif most is not None:
        sentence = _("group {place} of {count} failed ({verdict}, {score} of {most})")
    else:
        sentence = _("group {place} of {count} failed ({verdict}, {score})")
    return sentence.format(
        place=group["place"],
        count=count,
        score=points(group["score"]),
        most="" if most is None else points(most),
        verdict=group["verdict"],
    )


RULE = Rule(code="points", find=find, say=say, about=About.NOTHING, is_about_case=False, explains=False)
