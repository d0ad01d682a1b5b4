"""How often each line of a program ran, at inputs of several sizes, and the laws that these counts follow."""

from dataclasses import dataclass

_SHORT = 100  # coefficients are below


@dataclass(frozen=True, kw_only=True, slots=True)
class Term:
    """A part of a law: top/bottom times each size to its power, times a logarithm and an exponential of the first size.

    `halves`: the powers, in halves, in the order of the law's sizes.
    """

    top: int
    bottom: int = 1
    halves: tuple[int, ...] = ()
    logarithm: str = ""  # "log2": times that of the last size, of an exact law its whole part; "lnln": of the first
    base: int = 0  # in ten-thousandths: times this to the first size; 0: times nothing


@dataclass(frozen=True, kw_only=True, slots=True)
class Law:
    """A sum of terms in some sizes of the input, named as in `judge.grading.explain.evidence.sizes`.

    `is_exact`: every count is just this; else it is one term, and all counts lie within `off_percent` of it.
    """

    sizes: tuple[str, ...]
    terms: tuple[Term, ...]
    is_exact: bool
    off_percent: int = 0

    @property
    def is_short(self) -> bool:
        """Return whether its numbers are too small to tell what a program read: all coefficients of an exact law."""
        return not self.is_exact or all(abs(term.top) < _SHORT and term.bottom < _SHORT for term in self.terms)


@dataclass(frozen=True, kw_only=True, slots=True)
class CountedRun:
    """One run that came to its end. `sizes`: of its input, in the order of the work's names, -1 for one it lacks."""

    case: str  # of the problem; "": its input was generated
    sizes: tuple[int, ...]
    cpu_time_us: int = 0  # of the program as it was judged, without counters; 0: it was not run


@dataclass(frozen=True, kw_only=True, slots=True)
class CountedLine:
    """The counts of one line, in the order of the runs: of its part that ran most often. `law`: None: they follow none.

    `expected`: how often it runs on the case, by its count there or else by its law; None: nothing tells.
    """

    line: int  # from 1
    counts: tuple[int, ...]
    law: Law | None = None
    expected: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CountedWork:
    """The counts of a program's lines, the most frequent first, from its runs in the order of their sizes."""

    names: tuple[str, ...]  # of the sizes
    sizes: tuple[int, ...]  # of the case that it was made for
    runs: tuple[CountedRun, ...]
    lines: tuple[CountedLine, ...]
    is_counted: bool  # the case itself came to its end: its lines' expected counts are counts
