"""The content of a comparison page, for any reader."""

from collections.abc import Sequence
from dataclasses import dataclass

from judge.models import Submission
from web.presentation.compared_sources import SourcePair, pair_names, source_pairs
from web.presentation.comparing import Comparison, compare_submissions
from web.presentation.sight import Sight
from web.presentation.story import tell


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparePage:
    """A comparison with its paragraph and sources. `chosen_pair` and `pair_names` are letters: "AC"."""

    comparison: Comparison
    story: str
    sources: list[SourcePair]
    pair_names: list[str]
    chosen_pair: str

    @property
    def is_of_two(self) -> bool:
        """Whether it compares at most two."""
        return len(self.comparison.sides) == 2


def compare_page(submissions: Sequence[Submission], sight: Sight, pair: str) -> ComparePage:
    """Return the page for one reader. `pair`: the letters of the sources to show, "" for all neighbours."""
    comparison = compare_submissions(submissions, sight)
    names = pair_names(comparison.sides)
    return ComparePage(
        comparison=comparison,
        story=tell(comparison),
        sources=source_pairs(comparison.sides, pair),
        pair_names=names,
        chosen_pair=pair if pair in names else "",
    )
