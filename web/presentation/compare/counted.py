"""How often the hottest lines of the compared programs run, with their laws, where all of them were counted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judge.models import ExplanationLevel
from judge.reruns.kinds import RerunKind
from web.access.visibility import Visibility
from web.presentation.compare.comparing import Side
from web.presentation.counted_work import CountedLineView, counted_work_view

_MOST_LINES = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class CountedSide:
    """One side's hottest lines on one case. `source` has the text of each."""

    letter: str
    case_name: str
    lines: tuple[tuple[CountedLineView, str], ...]
    remarks: tuple[str, ...]


def counted_sides(
    sides: Sequence[Side], visibility: Visibility, read_level: Callable[[], ExplanationLevel]
) -> list[CountedSide]:
    """Return the counts of every side; none if a side has none, or this reader's level does not show them."""
    counted = [_counted(side, visibility) for side in sides]
    told = [side for side in counted if side is not None]
    if len(told) < len(counted) or not read_level().reaches(RerunKind.COUNTS.record.level):
        return []
    return told


def _counted(side: Side, visibility: Visibility) -> CountedSide | None:
    submission, result = side.submission, side.counted
    if result is None:
        return None
    view = counted_work_view(result, visibility.rounding_of(result, submission.problem_version), most=_MOST_LINES)
    if view is None or not view.lines:
        return None
    text = submission.source_text.split("\n")
    lines = [(line, text[line.line - 1].strip() if line.line <= len(text) else "") for line in view.lines]
    return CountedSide(letter=side.letter, case_name=view.case_name, lines=tuple(lines), remarks=view.remarks)
