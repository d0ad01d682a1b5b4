"""The content of a comparison page, for any reader; sources as a line diff, or both side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from django.utils.safestring import SafeString

from judge.grading.measures import Kind
from judge.grading.sameness import CONFIDENCE_PERCENT, NOISE
from judge.models import Submission
from web.access.visibility import Visibility
from web.presentation.compare.comparing import Comparison, Side, compare_submissions
from web.presentation.compare.line_diff import MAX_LINES, DiffBlock, difference
from web.presentation.compare.summary import tell
from web.presentation.sources import source_lines


@dataclass(frozen=True, kw_only=True, slots=True)
class SourcePair:
    """Two sources. `blocks` is None if they cannot be matched: then both sources' lines are there instead."""

    left: Side
    right: Side
    is_one_language: bool
    blocks: list[DiffBlock] | None
    left_lines: list[SafeString]
    right_lines: list[SafeString]


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparePage:
    """A comparison with its paragraph and sources. `chosen_pair` and `pair_names` are letters: "AC"."""

    comparison: Comparison
    story: str
    sources: list[SourcePair]
    pair_names: list[str]
    chosen_pair: str

    @property
    def noise_percent(self) -> int:
        """The difference between the times of two single runs that counts as none."""
        return round(100 * NOISE[Kind.TIME].share)

    @property
    def noise_ms(self) -> int:
        """Likewise of short times."""
        return NOISE[Kind.TIME].least // 1_000

    @property
    def confidence_percent(self) -> int:
        """The least confidence of the intervals of repeated runs."""
        return CONFIDENCE_PERCENT

    @property
    def is_of_two(self) -> bool:
        """Return whether it compares at most two."""
        return len(self.comparison.sides) == 2


def compare_page(submissions: Sequence[Submission], visibility: Visibility, pair: str) -> ComparePage:
    """Return the page for one reader. `pair`: the letters of the sources to show, "" for all neighbours."""
    comparison = compare_submissions(submissions, visibility)
    by_letters = {first.letter + second.letter: (first, second) for first, second in combinations(comparison.sides, 2)}
    shown = [by_letters[pair]] if pair in by_letters else pairwise(comparison.sides)
    names = list(by_letters) if len(comparison.sides) > 2 else []
    sources = []
    for left, right in shown:
        a, b = left.submission, right.submission
        is_one_language = a.language == b.language
        blocks = difference(a.source_text, b.source_text) if is_one_language else None
        lines = [source_lines(side.source_text, side.tokens)[:MAX_LINES] if blocks is None else [] for side in (a, b)]
        sources.append(
            SourcePair(
                left=left,
                right=right,
                is_one_language=is_one_language,
                blocks=blocks,
                left_lines=lines[0],
                right_lines=lines[1],
            )
        )
    return ComparePage(
        comparison=comparison,
        story=tell(comparison),
        sources=sources,
        pair_names=names,
        chosen_pair=pair if pair in names else "",
    )
