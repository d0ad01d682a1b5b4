"""Summarise the change between submissions in one paragraph. The numbers decide which sentences it has."""

from dataclasses import dataclass
from itertools import pairwise

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judge.grading.measures import BY_NAME
from judge.grading.verdicts import Verdict
from judge.models import Submission
from web.presentation.compare.change import Change, change
from web.presentation.compare.comparing import Comparison, Side, listed
from web.presentation.measures import Measures
from web.presentation.units import count, data_size, duration, percent, plural_of, points

_KERNEL_SHARE = 0.5  # of a change in CPU time: from here on it is said to be the kernel's
_LITTLE = 0.1  # a change of what was written below that share is no news
_FEW_CALLS = 100  # a change below that many calls is no news


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
        """Whether a limit stopped either of them."""
        return self.a.is_stopped or self.b.is_stopped

    @property
    def cpu(self) -> Change:
        return self.change("cpu_time_us")

    @property
    def write_calls(self) -> Change:
        return self.change("write_calls")


def tell(comparison: Comparison) -> str:
    """Return the paragraph: from the first side to the last; for more than two, which step gained most."""
    pair = _pair(comparison.sides[0], comparison.sides[-1])
    if pair is None:
        if len(comparison.sides) == 2:
            nothing = _("There is no test case that was judged in both, so there is nothing to measure.")
        else:
            nothing = _("There is no test case that was judged in all of them, so there is nothing to measure.")
        return f"{_verdicts(comparison)} {nothing}"
    sentences = [_verdicts(comparison), _basis(comparison), _writes(pair), _written(pair)]
    sentences += [_reads(pair), _time(pair), _waiting(pair), _memory(pair), _steps(comparison), _bounds(comparison)]
    return " ".join(sentence for sentence in sentences if sentence)


def _pair(first: Side, second: Side) -> _Pair | None:
    if first.total is None or second.total is None:
        return None
    return _Pair(x=first.letter, y=second.letter, a=first.total, b=second.total)


def _verdicts(comparison: Comparison) -> str:
    sides = comparison.sides
    words = [_verdict(side.submission) for side in sides]
    if len(set(words)) == 1:
        return (_("Both: %(verdict)s.") if len(sides) == 2 else _("All: %(verdict)s.")) % {"verdict": words[0]}
    parts = [f"{word} ({side.letter})" for word, side in zip(words, sides, strict=True)]
    if len(parts) == 2:
        return _("From %(first)s to %(last)s.") % {"first": parts[0], "last": parts[-1]}
    between = listed(parts[1:-1])
    return _("From %(first)s over %(between)s to %(last)s.") % {
        "first": parts[0],
        "between": between,
        "last": parts[-1],
    }


def _verdict(submission: Submission) -> str:
    if not submission.verdict:
        return submission.status
    verdict = _(Verdict(submission.verdict).meaning).lower()
    if submission.score is None:
        return verdict
    words = ngettext("%(points)s point (%(verdict)s)", "%(points)s points (%(verdict)s)", plural_of(submission.score))
    return words % {"points": points(submission.score), "verdict": verdict}


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
    return words % {
        "case": comparison.cases[0].name,
        "cases": count(cases),
        "first": sides[0].letter,
        "last": sides[-1].letter,
    }


def _writes(pair: _Pair) -> str:
    a, b, changed = pair.a["write_calls"], pair.b["write_calls"], pair.write_calls
    size_a, size_b = pair.a.bytes_per_write, pair.b.bytes_per_write
    if changed.direction not in ("same", "untold") and abs(a - b) >= _FEW_CALLS:
        words = _made_and_sized(b) if size_a and size_b else _made(b)
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


def _made(number: int) -> str:
    return ngettext(
        "%(y)s made %(b)s write call instead of %(a)s (%(change)s).",
        "%(y)s made %(b)s write calls instead of %(a)s (%(change)s).",
        number,
    )


def _made_and_sized(number: int) -> str:
    return ngettext(
        "%(y)s made %(b)s write call instead of %(a)s (%(change)s), each of %(size_b)s instead of %(size_a)s on "
        "average.",
        "%(y)s made %(b)s write calls instead of %(a)s (%(change)s), each of %(size_b)s instead of %(size_a)s on "
        "average.",
        number,
    )


def _written(pair: _Pair) -> str:
    a, b = pair.a["write_bytes"], pair.b["write_bytes"]
    changed = pair.change("write_bytes")
    if changed.direction in ("same", "untold") or abs(a - b) < _LITTLE * a:
        return ""
    words = _("%(y)s wrote %(b)s instead of %(a)s (%(change)s).")
    return words % {"y": pair.y, "a": data_size(a), "b": data_size(b), "change": changed.words}


def _reads(pair: _Pair) -> str:
    a, b = pair.a["read_calls"], pair.b["read_calls"]
    changed = pair.change("read_calls")
    if changed.direction in ("same", "untold") or abs(a - b) < _FEW_CALLS:
        return ""
    words = ngettext(
        "%(y)s made %(b)s read call instead of %(a)s (%(change)s).",
        "%(y)s made %(b)s read calls instead of %(a)s (%(change)s).",
        b,
    )
    return words % {"y": pair.y, "a": count(a), "b": count(b), "change": changed.words}


def _time(pair: _Pair) -> str:
    a, b, changed = duration(pair.a["cpu_time_us"]), duration(pair.b["cpu_time_us"]), pair.cpu
    if changed.direction == "same" and not pair.is_bound:
        words = _("The CPU time is the same as far as can be told from noise: %(a)s and %(b)s.")
        return words % {"a": a, "b": b}
    if changed.direction in ("same", "untold"):
        words = _("Which one needs less CPU time cannot be told: %(a)s and %(b)s were measured before one was stopped.")
        return words % {"a": a, "b": b}
    difference, kernel = (pair.a[name] - pair.b[name] for name in ("cpu_time_us", "system_time_us"))
    is_of_kernel = kernel / difference >= _KERNEL_SHARE
    words = _in_kernel(pair) if is_of_kernel else _outside(pair)
    share = percent(min(1.0, kernel / difference if is_of_kernel else 1 - kernel / difference))
    return words % {"y": pair.y, "a": a, "b": b, "change": changed.words, "share": share}


def _in_kernel(pair: _Pair) -> str:
    """Where most of the difference in CPU time lies; of a stopped run so far."""
    if pair.is_bound:
        return _(
            "%(y)s took %(b)s of CPU time instead of %(a)s (%(change)s); %(share)s of the difference so far lies in "
            "the kernel, which serves the calls."
        )
    return _(
        "%(y)s took %(b)s of CPU time instead of %(a)s (%(change)s); %(share)s of the difference lies in the kernel, "
        "which serves the calls."
    )


def _outside(pair: _Pair) -> str:
    if pair.is_bound:
        return _(
            "%(y)s took %(b)s of CPU time instead of %(a)s (%(change)s); %(share)s of the difference so far lies "
            "outside the kernel, in the program and its libraries."
        )
    return _(
        "%(y)s took %(b)s of CPU time instead of %(a)s (%(change)s); %(share)s of the difference lies outside the "
        "kernel, in the program and its libraries."
    )


def _waiting(pair: _Pair) -> str:
    a, b = pair.a["waiting_time_us"], pair.b["waiting_time_us"]
    changed = pair.change("waiting_time_us")
    if changed.direction in ("same", "untold") or max(a, b) < 100_000:
        return ""
    words = _("%(y)s waited %(b)s instead of %(a)s (%(change)s).")
    return words % {"y": pair.y, "a": duration(a), "b": duration(b), "change": changed.words}


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
