"""Explain the points of a scoring problem: how many, and which groups gave less than they could."""

from collections.abc import Iterator, Mapping
from typing import Any

from judge.grading.events import Finding, GroupJudged
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import Rule
from judge.grading.explain.evidence.wording import Said, Telling
from judge.grading.verdicts import Verdict
from judge.grading.words import points
from problems.translation import gettext as _
from problems.translation import ngettext

_MOST_NAMED = 4


def find(facts: Facts) -> Finding | None:
    """Find the points of every scoring problem that was judged."""
    scored = facts.scored
    if scored is None:
        return None
    groups = scored.groups
    short = [(place, group) for place, group in enumerate(groups, start=1) if not _is_whole(group)]
    evidence: dict[str, object] = {
        "score": scored.score,
        "max_score": scored.max_score,
        "groups": len(groups),
        "group_points": sum(group.score for group in groups),
        "is_forfeited": scored.is_forfeited,
        "short": [_as_evidence(place, group) for place, group in short[:_MOST_NAMED]],
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
    return Said(
        text=sentence.format(
            points=_points(telling.value("score"), telling.value("max_score")),
            kept=points(group_points),
            groups=", ".join(_groups(telling)),
            count=count,
        )
    )


def _points(score: float, most: float | None) -> str:
    """Return the points in words: "37.5 of 40 points"."""
    if most is None:
        return ngettext("{score} point", "{score} points", _plural(score)).format(score=points(score))
    sentence = ngettext("{score} of {most} point", "{score} of {most} points", _plural(most))
    return sentence.format(score=points(score), most=points(most))


def _plural(number: float) -> int:
    """Return a whole number that takes the same form of a noun."""
    return int(number) if number == int(number) else 2


def _groups(telling: Telling) -> Iterator[str]:
    """Yield each group that gave less than it could; of many the first few."""
    for group in telling.value("short"):
        yield _group(group).format(
            place=group["place"],
            count=telling.value("groups"),
            score=points(group["score"]),
            most="" if group["max_score"] is None else points(group["max_score"]),
            verdict=group["verdict"],
        )
    if more := telling.value("more_short"):
        yield ngettext("{count} more gave less than it could", "{count} more gave less than they could", more).format(
            count=more
        )


def _group(group: Mapping[str, Any]) -> str:
    is_bounded = group["max_score"] is not None
    if group["verdict"] is None:
        return _("group {place} of {count} was not run")
    if group["verdict"] == Verdict.AC:
        if is_bounded:
            return _("group {place} of {count} gave {score} of {most}")
        return _("group {place} of {count} gave {score}")
    if not group["score"]:
        return _("group {place} of {count} failed ({verdict})")
    if is_bounded:
        return _("group {place} of {count} failed ({verdict}, {score} of {most})")
    return _("group {place} of {count} failed ({verdict}, {score})")


def _as_evidence(place: int, group: GroupJudged) -> dict[str, object]:
    verdict = group.verdict.value if group.verdict else None
    return {"place": place, "verdict": verdict, "score": group.score, "max_score": group.max_score}


def _is_whole(group: GroupJudged) -> bool:
    """Return whether it gave all that it can, as far as that is known."""
    return group.verdict is Verdict.AC and (group.max_score is None or group.score >= group.max_score)


RULE = Rule(
    code="points",
    find=find,
    say=say,
    cause=None,
    is_about_case=False,
    leaves_time_open=True,
    explains=False,
)
