"""The points of a scoring problem: how many, and which groups gave less than they could."""

from judge.events import Finding, GroupJudged
from judge.explain.story import Story
from judge.verdicts import Verdict
from judge.words import points

_MOST_NAMED = 4


def find(story: Story) -> Finding | None:
    """Speaks of every scoring problem that came to a judgement."""
    scored = story.scored
    if scored is None:
        return None
    of = "" if scored.max_score is None else f" of {points(scored.max_score)}"
    plural = "" if (scored.score if scored.max_score is None else scored.max_score) == 1 else "s"
    text = f"{points(scored.score)}{of} point{plural}"
    evidence: dict[str, object] = {"score": scored.score, "groups": len(scored.groups)}
    if scored.is_forfeited:
        kept = sum(group.score for group in scored.groups)
        text += ": only an accepted submission has points here"
        text += f". Its groups came to {points(kept)}" if kept else ""
    elif scored.groups and all(_is_whole(group) for group in scored.groups):
        count = len(scored.groups)
        text += f": all {count} groups are right" if count > 1 else ""
    elif len(scored.groups) > 1:
        text += f": {_shortfalls(scored.groups)}"
    return Finding(code="points", text=f"{text}.", evidence=evidence)


def _shortfalls(groups: tuple[GroupJudged, ...]) -> str:
    short = [(place, group) for place, group in enumerate(groups, start=1) if not _is_whole(group)]
    words = [_shortfall(place, len(groups), group) for place, group in short[:_MOST_NAMED]]
    if len(short) > _MOST_NAMED:
        words.append(f"{len(short) - _MOST_NAMED} more gave less than they could")
    return ", ".join(words)


def _shortfall(place: int, count: int, group: GroupJudged) -> str:
    where = f"group {place} of {count}"
    if group.verdict is None:
        return f"{where} was not run"
    of = "" if group.max_score is None else f" of {points(group.max_score)}"
    if group.verdict is Verdict.AC:
        return f"{where} gave {points(group.score)}{of}"
    kept = f", {points(group.score)}{of}" if group.score else ""
    return f"{where} failed ({group.verdict.value}{kept})"


def _is_whole(group: GroupJudged) -> bool:
    """Whether it gave all that it can, as far as that is known."""
    return group.verdict is Verdict.AC and (group.max_score is None or group.score >= group.max_score)
