"""What changed between two submissions, as one paragraph. The numbers decide which sentences there are."""

from judge.models import Submission
from judge.verdicts import Verdict
from web.presentation.change import Change, Kind, change
from web.presentation.comparing import Comparison
from web.presentation.measures import Measures
from web.presentation.units import count, counted, data_size, duration, percent, points

_KERNEL_SHARE = 0.5  # of a change in CPU time: from here on it is said to be the kernel's
_LITTLE = 0.1  # a change of what was written below that share is no news
_FEW_CALLS = 100  # a change below that many calls is no news


def tell(comparison: Comparison) -> str:
    """The paragraph."""
    a, b = comparison.total_a, comparison.total_b
    if a is None or b is None:
        return f"{_verdicts(comparison)} There is no test case that was judged in both, so there is nothing to measure."
    sentences = [_verdicts(comparison), _basis(comparison), _writes(a, b), _written(a, b)]
    sentences += [_reads(a, b), _time(a, b), _waiting(a, b), _memory(a, b), _bounds(comparison)]
    return " ".join(sentence for sentence in sentences if sentence)


def _verdicts(comparison: Comparison) -> str:
    a, b = _verdict(comparison.a), _verdict(comparison.b)
    return f"Both: {a}." if a == b else f"From {a} (A) to {b} (B)."


def _verdict(submission: Submission) -> str:
    if not submission.verdict:
        return submission.status
    verdict = Verdict(submission.verdict).meaning.lower()
    return verdict if submission.score is None else f"{points(submission.score)} points ({verdict})"


def _basis(comparison: Comparison) -> str:
    cases = len(comparison.cases)
    if cases == 1:
        return f"On {comparison.cases[0].name}, the only test case judged in both:"
    return f"Over the {count(cases)} test cases judged in both:"


def _change(a: float, b: float, kind: Kind, runs: tuple[Measures, Measures]) -> Change:
    return change(a, b, kind, a_stopped=runs[0].is_stopped, b_stopped=runs[1].is_stopped)


def _writes(a: Measures, b: Measures) -> str:
    changed = _change(a.write_calls, b.write_calls, Kind.COUNT, (a, b))
    if changed.direction in ("same", "untold") or abs(a.write_calls - b.write_calls) < _FEW_CALLS:
        same = a.write_calls == b.write_calls
        return f"both made {counted(b.write_calls, 'write call')}." if same else _both("write calls", a, b)
    sizes = ""
    if a.bytes_per_write and b.bytes_per_write:
        sizes = f", each of {data_size(b.bytes_per_write)} instead of {data_size(a.bytes_per_write)} on average"
    return f"B made {counted(b.write_calls, 'write call')} instead of {count(a.write_calls)} ({changed.words}){sizes}."


def _both(what: str, a: Measures, b: Measures) -> str:
    return f"A made {count(a.write_calls)} and B {count(b.write_calls)} {what}."


def _written(a: Measures, b: Measures) -> str:
    changed = _change(a.write_bytes, b.write_bytes, Kind.BYTES, (a, b))
    if changed.direction in ("same", "untold") or abs(a.write_bytes - b.write_bytes) < _LITTLE * a.write_bytes:
        return ""
    return f"B wrote {data_size(b.write_bytes)} instead of {data_size(a.write_bytes)} ({changed.words})."


def _reads(a: Measures, b: Measures) -> str:
    changed = _change(a.read_calls, b.read_calls, Kind.COUNT, (a, b))
    if changed.direction in ("same", "untold") or abs(a.read_calls - b.read_calls) < _FEW_CALLS:
        return ""
    return f"B made {counted(b.read_calls, 'read call')} instead of {count(a.read_calls)} ({changed.words})."


def _time(a: Measures, b: Measures) -> str:
    changed = _change(a.cpu_us, b.cpu_us, Kind.TIME, (a, b))
    if changed.direction == "same":
        return (
            f"The CPU time is the same as far as can be told from noise: {duration(a.cpu_us)} and {duration(b.cpu_us)}."
        )
    if changed.direction == "untold":
        return (
            f"Which one needs less CPU time cannot be told: {duration(a.cpu_us)} and {duration(b.cpu_us)} were "
            "measured before one was stopped."
        )
    took = f"B took {duration(b.cpu_us)} of CPU time instead of {duration(a.cpu_us)} ({changed.words})"
    return f"{took}{_whose(a, b)}."


def _whose(a: Measures, b: Measures) -> str:
    """Where the difference in CPU time lies, when one side has most of it."""
    difference, kernel = a.cpu_us - b.cpu_us, a.times.system_us - b.times.system_us
    share = kernel / difference
    if share >= _KERNEL_SHARE:
        return f"; {percent(min(1.0, share))} of the difference lies in the kernel, which serves the calls"
    return (
        f"; {percent(min(1.0, 1 - share))} of the difference lies outside the kernel, in the program and its libraries"
    )


def _waiting(a: Measures, b: Measures) -> str:
    waits = (a.times.waiting_us, b.times.waiting_us)
    changed = _change(*waits, Kind.TIME, (a, b))
    if changed.direction in ("same", "untold") or max(waits) < 100_000:
        return ""
    return f"B waited {duration(waits[1])} instead of {duration(waits[0])} ({changed.words})."


def _memory(a: Measures, b: Measures) -> str:
    changed = _change(a.peak_memory_bytes, b.peak_memory_bytes, Kind.MEMORY, (a, b))
    if changed.direction == "untold":
        return ""
    if changed.direction == "same":
        return "Peak memory is the same."
    sizes = f"{data_size(b.peak_memory_bytes)} instead of {data_size(a.peak_memory_bytes)}"
    return f"Peak memory is {sizes} ({changed.words})."


def _bounds(comparison: Comparison) -> str:
    stopped = [
        (name, sum(getattr(case, side).is_stopped for case in comparison.cases))
        for name, side in (("A", "a"), ("B", "b"))
    ]
    parts = [f"{name} was stopped at a limit on {counted(number, 'case')}" for name, number in stopped if number]
    return f"{' and '.join(parts)}, so what it did there is a lower bound." if parts else ""
