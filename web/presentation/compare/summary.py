"""Summarise the change between submissions in one paragraph. The numbers decide which sentences it has."""

from dataclasses import dataclass
from itertools import pairwise

from judge.grading.measures import BY_NAME
from judge.grading.verdicts import Verdict
from judge.models import Submission
from web.presentation.compare.change import Change, change
from web.presentation.compare.comparing import Comparison, Side, listed
from web.presentation.measures import Measures
from web.presentation.units import count, counted, data_size, duration, percent, points

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
    def cpu(self) -> Change:
        return self.change("cpu_time_us")

    @property
    def write_calls(self) -> Change:
        return self.change("write_calls")

    @property
    def step(self) -> str:
        return f"{self.x} to {self.y}"


def tell(comparison: Comparison) -> str:
    """Return the paragraph: from the first side to the last; for more than two, which step gained most."""
    pair = _pair(comparison.sides[0], comparison.sides[-1])
    if pair is None:
        every = "both" if len(comparison.sides) == 2 else "all of them"
        nothing = f"There is no test case that was judged in {every}, so there is nothing to measure."
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
        return f"{'Both' if len(sides) == 2 else 'All'}: {words[0]}."
    between = [f"{word} ({side.letter})" for word, side in zip(words, sides, strict=True)][1:-1]
    over = f" over {listed(between)}" if between else ""
    return f"From {words[0]} ({sides[0].letter}){over} to {words[-1]} ({sides[-1].letter})."


def _verdict(submission: Submission) -> str:
    if not submission.verdict:
        return submission.status
    verdict = Verdict(submission.verdict).meaning.lower()
    return verdict if submission.score is None else f"{points(submission.score)} points ({verdict})"


def _basis(comparison: Comparison) -> str:
    cases, sides = len(comparison.cases), comparison.sides
    every = "both" if len(sides) == 2 else "all"
    ends = "" if len(sides) == 2 else f", from {sides[0].letter} to {sides[-1].letter}"
    if cases == 1:
        return f"On {comparison.cases[0].name}, the only test case judged in {every}{ends}:"
    return f"Over the {count(cases)} test cases judged in {every}{ends}:"


def _writes(pair: _Pair) -> str:
    a, b, changed = pair.a["write_calls"], pair.b["write_calls"], pair.write_calls
    if changed.direction in ("same", "untold") or abs(a - b) < _FEW_CALLS:
        if a == b:
            return f"{pair.x} and {pair.y} each made {counted(b, 'write call')}."
        return f"{pair.x} made {count(a)} and {pair.y} {count(b)} write calls."
    sizes, size_a, size_b = "", pair.a.bytes_per_write, pair.b.bytes_per_write
    if size_a and size_b:
        sizes = f", each of {data_size(size_b)} instead of {data_size(size_a)} on average"
    return f"{_made(pair, 'write call', a, b, changed)}{sizes}."


def _made(pair: _Pair, what: str, a: int, b: int, changed: Change) -> str:
    return f"{pair.y} made {counted(b, what)} instead of {count(a)} ({changed.words})"


def _written(pair: _Pair) -> str:
    a, b = pair.a["write_bytes"], pair.b["write_bytes"]
    changed = pair.change("write_bytes")
    if changed.direction in ("same", "untold") or abs(a - b) < _LITTLE * a:
        return ""
    return f"{pair.y} wrote {data_size(b)} instead of {data_size(a)} ({changed.words})."


def _reads(pair: _Pair) -> str:
    a, b = pair.a["read_calls"], pair.b["read_calls"]
    changed = pair.change("read_calls")
    if changed.direction in ("same", "untold") or abs(a - b) < _FEW_CALLS:
        return ""
    return f"{_made(pair, 'read call', a, b, changed)}."


def _time(pair: _Pair) -> str:
    a, b, changed = duration(pair.a["cpu_time_us"]), duration(pair.b["cpu_time_us"]), pair.cpu
    is_bound = pair.a.is_stopped or pair.b.is_stopped
    if changed.direction == "same" and not is_bound:
        return f"The CPU time is the same as far as can be told from noise: {a} and {b}."
    if changed.direction in ("same", "untold"):
        return f"Which one needs less CPU time cannot be told: {a} and {b} were measured before one was stopped."
    return f"{pair.y} took {b} of CPU time instead of {a} ({changed.words}){_whose(pair)}."


def _whose(pair: _Pair) -> str:
    """Return where the difference in CPU time lies, if one side has most of it; of a stopped run up to its end."""
    a, b = pair.a, pair.b
    of_it = "of the difference so far" if a.is_stopped or b.is_stopped else "of the difference"
    difference, kernel = a["cpu_time_us"] - b["cpu_time_us"], a["system_time_us"] - b["system_time_us"]
    share = kernel / difference
    if share >= _KERNEL_SHARE:
        return f"; {percent(min(1.0, share))} {of_it} lies in the kernel, which serves the calls"
    outside = percent(min(1.0, 1 - share))
    return f"; {outside} {of_it} lies outside the kernel, in the program and its libraries"


def _waiting(pair: _Pair) -> str:
    a, b = pair.a["waiting_time_us"], pair.b["waiting_time_us"]
    changed = pair.change("waiting_time_us")
    if changed.direction in ("same", "untold") or max(a, b) < 100_000:
        return ""
    return f"{pair.y} waited {duration(b)} instead of {duration(a)} ({changed.words})."


def _memory(pair: _Pair) -> str:
    a, b = pair.a["peak_memory_bytes"], pair.b["peak_memory_bytes"]
    changed = pair.change("peak_memory_bytes")
    if changed.direction == "untold":
        return ""
    if changed.direction == "same":
        return f"Peak memory is {changed.words}."
    return f"Peak memory is {data_size(b)} instead of {data_size(a)} ({changed.words})."


def _steps(comparison: Comparison) -> str:
    """Return the CPU time step by step, and the step that saved most if this can be told, for more than two sides."""
    steps = [step for step in (_pair(*two) for two in pairwise(comparison.sides)) if step]
    if len(steps) < 2:
        return ""
    each = listed([f"{step.step} {step.cpu.words}" for step in steps])
    return f"Step by step, the CPU time: {each}. {_best(steps)}"


def _best(steps: list[_Pair]) -> str:
    faster = sorted((step for step in steps if step.cpu.direction == "less"), key=_saved, reverse=True)
    rest = [step for step in steps if step is not (faster[0] if faster else None)]
    if any(step.a.is_stopped or step.cpu.direction == "untold" for step in rest):
        return "Which step gained most cannot be told, since one that was stopped at a limit may have needed any time."
    if not faster:
        return "No step made it faster by more than noise."
    best = faster[0]
    if len(faster) > 1 and _saved(faster[1]) > (1 - _LITTLE) * _saved(best):
        return "No single step gained clearly more than the others."
    writes = best.write_calls
    is_news = writes.direction in ("less", "more") and abs(best.a["write_calls"] - best.b["write_calls"]) >= _FEW_CALLS
    calls = f" (write calls: {writes.words})" if is_news else ""
    gain = "Most of the gain" if len(faster) > 1 else "The gain"
    return f"{gain} came with the step from {best.step}{calls}."


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
        were = "was" if len(letters) == 1 else "were each"
        parts.append(f"{listed(letters)} {were} stopped at a limit on {counted(cases, 'case')}")
    return f"{listed(parts)}, so what was measured there is a lower bound." if parts else ""
