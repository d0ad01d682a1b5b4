"""The content of a comparison page, for any reader: what changed, in one paragraph, and the sources side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, ngettext

from judge.grading.measures import BY_NAME, Kind
from judge.grading.sameness import CONFIDENCE_PERCENT, NOISE
from judge.grading.verdicts import Verdict
from judge.models import ExplanationLevel, Submission
from web.access.visibility import Visibility
from web.presentation.compare.comparing import Comparison, Side, compare_submissions, listed
from web.presentation.compare.counted import CountedSide, counted_sides
from web.presentation.compare.line_diff import MAX_LINES, DiffBlock, difference
from web.presentation.compare.metrics import Change, change
from web.presentation.measures import Measures
from web.presentation.sources import source_lines
from web.presentation.units import count, data_size, duration, percent, plural_of, points

_KERNEL_SHARE = 0.5  # of a change in CPU time: from here on it is said to be the kernel's
_LITTLE = 0.1  # a change of what was written below that share is no news
_FEW_CALLS = 100  # a change below that many calls is no news
_LONG_US = 100_000  # shorter waiting is no news


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
    counted: list[CountedSide]  # of all sides, or none
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
        return len(self.comparison.sides) == 2


def compare_page(
    submissions: Sequence[Submission],
    visibility: Visibility,
    pair: str,
    read_level: Callable[[], ExplanationLevel] = lambda: ExplanationLevel.NOTHING,
) -> ComparePage:
    """Return the page for one reader. `pair`: the letters of the sources to show, "" for all neighbours; `read_level`:
    of explanations, that the reader sees, asked only where something depends on it.
    """
    comparison = compare_submissions(submissions, visibility)
    by_letters = {first.letter + second.letter: (first, second) for first, second in combinations(comparison.sides, 2)}
    pairs = [by_letters[pair]] if pair in by_letters else pairwise(comparison.sides)
    names = list(by_letters) if len(comparison.sides) > 2 else []
    sources = []
    for left, right in pairs:
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
        story=_story(comparison),
        sources=sources,
        counted=counted_sides(comparison.sides, visibility, read_level),
        pair_names=names,
        chosen_pair=pair if pair in names else "",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pair:
    """The numbers of two sides, called A and B."""

    x: str
    y: str
    a: Measures
    b: Measures

    def change(self, name: str) -> Change:
        """Return the change of a number, by its name in `judge.grading.measures`."""
        kind = BY_NAME[name].kind
        return change(self.a[name], self.b[name], kind, a_stopped=self.a.is_stopped, b_stopped=self.b.is_stopped)

    @property
    def is_bound(self) -> bool:
        return self.a.is_stopped or self.b.is_stopped

    @property
    def cpu(self) -> Change:
        return self.change("cpu_time_us")

    @property
    def write_calls(self) -> Change:
        return self.change("write_calls")


def _story(comparison: Comparison) -> str:
    """Return the paragraph: from the first side to the last; for more than two, which step gained most."""
    pair = _pair(comparison.sides[0], comparison.sides[-1])
    if pair is None:
        if len(comparison.sides) == 2:
            nothing = _("There is no test case that was judged in both, so there is nothing to measure.")
        else:
            nothing = _("There is no test case that was judged in all of them, so there is nothing to measure.")
        return f"{_verdicts(comparison)} {nothing}"
    a, b = pair.a, pair.b
    sentences = [_verdicts(comparison), _basis(comparison), _writes(pair)]
    if abs(a["write_bytes"] - b["write_bytes"]) >= _LITTLE * a["write_bytes"]:
        words = _("%(y)s wrote %(b)s instead of %(a)s (%(change)s).")
        sentences.append(_instead(pair, "write_bytes", words, data_size))
    if abs(a["read_calls"] - b["read_calls"]) >= _FEW_CALLS:
        words = ngettext(
            "%(y)s made %(b)s read call instead of %(a)s (%(change)s).",
            "%(y)s made %(b)s read calls instead of %(a)s (%(change)s).",
            b["read_calls"],
        )
        sentences.append(_instead(pair, "read_calls", words, count))
    sentences.append(_time(pair))
    if max(a["waiting_time_us"], b["waiting_time_us"]) >= _LONG_US:
        words = _("%(y)s waited %(b)s instead of %(a)s (%(change)s).")
        sentences.append(_instead(pair, "waiting_time_us", words, duration))
    sentences += [_memory(pair), _steps(comparison), _bounds(comparison)]
    return " ".join(sentence for sentence in sentences if sentence)


def _pair(first: Side, second: Side) -> _Pair | None:
    if first.total is None or second.total is None:
        return None
    return _Pair(x=first.letter, y=second.letter, a=first.total, b=second.total)


def _instead(pair: _Pair, name: str, words: str, say: Callable[[int], str]) -> str:
    """Return the change of a number; "" if it is none or cannot be told."""
    changed = pair.change(name)
    if changed.direction in ("same", "untold"):
        return ""
    return words % {"y": pair.y, "a": say(pair.a[name]), "b": say(pair.b[name]), "change": changed.words}


def _verdicts(comparison: Comparison) -> str:
    words = []
    for side in comparison.sides:
        verdict, score = side.submission.verdict, side.submission.score
        word = _(Verdict(verdict).meaning).lower() if verdict else side.submission.status
        if verdict and score is not None:
            plural = ngettext("%(points)s point (%(verdict)s)", "%(points)s points (%(verdict)s)", plural_of(score))
            word = plural % {"points": points(score), "verdict": word}
        words.append(word)
    if len(set(words)) == 1:
        return (_("Both: %(verdict)s.") if len(words) == 2 else _("All: %(verdict)s.")) % {"verdict": words[0]}
    first, *between, last = [f"{word} ({side.letter})" for word, side in zip(words, comparison.sides, strict=True)]
    if not between:
        return _("From %(first)s to %(last)s.") % {"first": first, "last": last}
    words_of_all = {"first": first, "between": listed(between), "last": last}
    return _("From %(first)s over %(between)s to %(last)s.") % words_of_all


def _basis(comparison: Comparison) -> str:
    cases, sides = len(comparison.cases), comparison.sides
    if cases == 1 and len(sides) == 2:
        words = _("On %(case)s, the only test case judged in both:")
    elif cases == 1:
        words = _("On %(case)s, the only test case judged in all, from %(first)s to %(last)s:")
    elif len(sides) == 2:
        words = ngettext(
            "Over the %(cases)s test case judged in both:", "Over the %(cases)s test cases judged in both:", cases
        )
    else:
        words = ngettext(
            "Over the %(cases)s test case judged in all, from %(first)s to %(last)s:",
            "Over the %(cases)s test cases judged in all, from %(first)s to %(last)s:",
            cases,
        )
    letters = {"first": sides[0].letter, "last": sides[-1].letter}
    return words % {"case": comparison.cases[0].name, "cases": count(cases), **letters}


def _writes(pair: _Pair) -> str:
    a, b, changed = pair.a["write_calls"], pair.b["write_calls"], pair.write_calls
    size_a, size_b = pair.a.bytes_per_write, pair.b.bytes_per_write
    is_news = changed.direction not in ("same", "untold") and abs(a - b) >= _FEW_CALLS
    if is_news and size_a and size_b:
        words = ngettext(
            "%(y)s made %(b)s write call instead of %(a)s (%(change)s), each of %(size_b)s instead of %(size_a)s on "
            "average.",
            "%(y)s made %(b)s write calls instead of %(a)s (%(change)s), each of %(size_b)s instead of %(size_a)s on "
            "average.",
            b,
        )
    elif is_news:
        words = ngettext(
            "%(y)s made %(b)s write call instead of %(a)s (%(change)s).",
            "%(y)s made %(b)s write calls instead of %(a)s (%(change)s).",
            b,
        )
    elif a == b:
        words = ngettext(
            "%(x)s and %(y)s each made %(b)s write call.", "%(x)s and %(y)s each made %(b)s write calls.", b
        )
    else:
        words = ngettext(
            "%(x)s made %(a)s and %(y)s %(b)s write call.", "%(x)s made %(a)s and %(y)s %(b)s write calls.", b
        )
    sizes = {"size_a": data_size(size_a), "size_b": data_size(size_b)}
    return words % {"x": pair.x, "y": pair.y, "a": count(a), "b": count(b), "change": changed.words, **sizes}


def _time(pair: _Pair) -> str:
    a, b, changed = duration(pair.a["cpu_time_us"]), duration(pair.b["cpu_time_us"]), pair.cpu
    if changed.direction == "same" and not pair.is_bound:
        words = _("The CPU time is the same as far as can be told from noise: %(a)s and %(b)s.")
        return words % {"a": a, "b": b}
    if changed.direction in ("same", "untold"):
        words = _("Which one needs less CPU time cannot be told: %(a)s and %(b)s were measured before one was stopped.")
        return words % {"a": a, "b": b}
    cpu_us, kernel_us = (pair.a[name] - pair.b[name] for name in ("cpu_time_us", "system_time_us"))
    is_of_kernel = kernel_us / cpu_us >= _KERNEL_SHARE
    if is_of_kernel and pair.is_bound:  # of a stopped run: so far
        words = _(
            "%(y)s took %(b)s of CPU time instead of %(a)s (%(change)s); %(share)s of the difference so far lies in "
            "the kernel, which serves the calls."
        )
    elif is_of_kernel:
        words = _(
            "%(y)s took %(b)s of CPU time instead of %(a)s (%(change)s); %(share)s of the difference lies in the "
            "kernel, which serves the calls."
        )
    elif pair.is_bound:
        words = _(
            "%(y)s took %(b)s of CPU time instead of %(a)s (%(change)s); %(share)s of the difference so far lies "
            "outside the kernel, in the program and its libraries."
        )
    else:
        words = _(
            "%(y)s took %(b)s of CPU time instead of %(a)s (%(change)s); %(share)s of the difference lies outside the "
            "kernel, in the program and its libraries."
        )
    share = percent(min(1.0, kernel_us / cpu_us if is_of_kernel else 1 - kernel_us / cpu_us))
    return words % {"y": pair.y, "a": a, "b": b, "change": changed.words, "share": share}


def _memory(pair: _Pair) -> str:
    a, b = pair.a["peak_memory_bytes"], pair.b["peak_memory_bytes"]
    changed = pair.change("peak_memory_bytes")
    if changed.direction == "untold":
        return ""
    if changed.direction == "same":
        return _("Peak memory is %(change)s.") % {"change": changed.words}
    words = _("Peak memory is %(b)s instead of %(a)s (%(change)s).")
    return words % {"a": data_size(a), "b": data_size(b), "change": changed.words}


def _steps(comparison: Comparison) -> str:
    """Return the CPU time step by step, and the step that saved most if this can be told, for more than two sides."""
    steps = [step for step in (_pair(*two) for two in pairwise(comparison.sides)) if step]
    if len(steps) < 2:
        return ""
    parts = [_("%(x)s to %(y)s %(change)s") % {"x": step.x, "y": step.y, "change": step.cpu.words} for step in steps]
    return " ".join([_("Step by step, the CPU time: %(steps)s.") % {"steps": listed(parts)}, _best(steps)])


def _best(steps: list[_Pair]) -> str:
    faster = sorted((step for step in steps if step.cpu.direction == "less"), key=_saved, reverse=True)
    rest = [step for step in steps if step is not (faster[0] if faster else None)]
    if any(step.a.is_stopped or step.cpu.direction == "untold" for step in rest):
        return _(
            "Which step gained most cannot be told, since one that was stopped at a limit may have needed any time."
        )
    if not faster:
        return _("No step made it faster by more than noise.")
    best = faster[0]
    if len(faster) > 1 and _saved(faster[1]) > (1 - _LITTLE) * _saved(best):
        return _("No single step gained clearly more than the others.")
    writes = best.write_calls
    is_news = writes.direction in ("less", "more") and abs(best.a["write_calls"] - best.b["write_calls"]) >= _FEW_CALLS
    if len(faster) > 1 and is_news:
        words = _("Most of the gain came with the step from %(x)s to %(y)s (write calls: %(change)s).")
    elif len(faster) > 1:
        words = _("Most of the gain came with the step from %(x)s to %(y)s.")
    elif is_news:
        words = _("The gain came with the step from %(x)s to %(y)s (write calls: %(change)s).")
    else:
        words = _("The gain came with the step from %(x)s to %(y)s.")
    return words % {"x": best.x, "y": best.y, "change": writes.words}


def _saved(step: _Pair) -> int:
    """Return the saved CPU time; a step from a run that a limit stopped saved at least that much."""
    return step.a["cpu_time_us"] - step.b["cpu_time_us"]


def _bounds(comparison: Comparison) -> str:
    by_cases: dict[int, list[str]] = {}
    for side in comparison.sides:
        if side.stopped:
            by_cases.setdefault(side.stopped, []).append(side.letter)
    parts = []
    for cases, letters in by_cases.items():
        if len(letters) == 1:
            words = ngettext(
                "%(letters)s was stopped at a limit on %(cases)s case",
                "%(letters)s was stopped at a limit on %(cases)s cases",
                cases,
            )
        else:
            words = ngettext(
                "%(letters)s were each stopped at a limit on %(cases)s case",
                "%(letters)s were each stopped at a limit on %(cases)s cases",
                cases,
            )
        parts.append(words % {"letters": listed(letters), "cases": count(cases)})
    if not parts:
        return ""
    return _("%(parts)s, so what was measured there is a lower bound.") % {"parts": listed(parts)}
