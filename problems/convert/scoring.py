"""Express the points of a problem as test groups of the legacy format.

How it works: a problem is a list of parts. A part that counts as a whole becomes a group with `min` that ends at its
first rejected case; parts of one case each that are worth the same become one group with `sum`. Below data/secret the
groups' points are added up, also for a submission that is not accepted everywhere. Parts that must be passed before
anything else is run make a group worth nothing, after whose rejection the rest is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from problems.convert.native import NativeCase, NativeGroup
from problems.convert.pairs import sorting_names
from problems.package import PackageError
from problems.translation import Sentence

_MOST_OF_OTHERS = 10_000  # with their answers as many files as a package may have


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """Cases that score together, all or nothing. `name` is for people; may be empty."""

    cases: tuple[NativeCase, ...]
    points: float
    name: str = ""


class CasesOfOthers:
    """The cases that groups receive from groups they depend on, capped: each of very many groups may need all before
    it.
    """

    def __init__(self) -> None:
        self._left = _MOST_OF_OTHERS

    def of(self, cases: Sequence[NativeCase], name: str) -> list[NativeCase]:
        """Return the cases, named for the group they come from. Raises PackageError when the total is too large."""
        self._left -= len(cases) or 1
        if self._left < 0:
            most = f"{_MOST_OF_OTHERS:,}"
            why = Sentence(
                "depend on each other: with the cases of those they need there are over %(most)s more", most=most
            )
            raise PackageError("groups", "", why)
        return [replace(case, name=f"of-{name}", is_sample=False) for case in cases]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """Cases in their folders, and the folders' settings; none of these for a problem without points."""

    cases: tuple[NativeCase, ...]
    groups: tuple[NativeGroup, ...]


def scored(
    parts: Sequence[Part], *, first: Sequence[Part] = (), has_samples: bool = False, tells_worth: bool = False
) -> Scored:
    """Return the parts as groups; unless those in `first` pass, nothing else is run.

    With `tells_worth` each case's worth stands behind the checker's flags, for a checker that gives partial points.
    """
    total = sum(part.points for part in parts)
    cases: list[NativeCase] = []
    groups = [NativeGroup(folder="", most=total, ignores_sample=True)]
    if has_samples:
        groups.append(NativeGroup(folder="sample", accept_score=0))
    groups.append(NativeGroup(folder="secret", most=total, breaks=bool(first), accepts_if_any=not first))
    inside = ""
    if first:
        inside = "2-tests/"
        cases += _renamed([case for part in first for case in part.cases], "1-pretests")
        groups.append(NativeGroup(folder="secret/1-pretests", accept_score=0, most=0, score="min", breaks=True))
        groups.append(NativeGroup(folder="secret/2-tests", most=total, accepts_if_any=True))
    keyed = groupby(
        enumerate(parts),
        lambda numbered: (-1, numbered[1].points) if len(numbered[1].cases) == 1 else (numbered[0], 0.0),
    )
    units = [[part for _, part in unit] for _, unit in keyed]  # those of one case and equal worth together
    names = [unit[0].name if len(unit) == 1 else "" for unit in units]
    width = len(str(len(units)))
    for number, (unit, name) in enumerate(zip(units, names, strict=True), 1):
        folder = f"{inside}{sorting_names([f'{number:0{width}}-{name}'.rstrip('-')])[0]}"
        cases += _renamed([case for part in unit for case in part.cases], folder)
        points, is_whole = unit[0].points, len(unit) == 1
        worth = f"{points:.9f}".rstrip("0").rstrip(".")
        groups.append(
            NativeGroup(
                folder=f"secret/{folder}",
                accept_score=points,
                most=points * len(unit),
                score="min" if is_whole else "sum",
                breaks=is_whole,
                accepts_if_any=not is_whole,
                validator_flags=(worth,) if tells_worth and points else (),
            )
        )
    return Scored(cases=tuple(cases), groups=tuple(groups))


def _renamed(cases: list[NativeCase], folder: str) -> list[NativeCase]:
    width = max(2, len(str(len(cases))))
    names = (f"{folder}/{number:0{width}}-{case.name}".rstrip("-") for number, case in enumerate(cases, 1))
    return [replace(case, name=name) for case, name in zip(cases, names, strict=True)]
