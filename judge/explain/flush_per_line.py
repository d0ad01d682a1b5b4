"""Output that goes to the kernel in tiny pieces: `endl`, `flush=True`, Rust's line-buffered stdout."""

from judge.events import Finding, TestCaseJudged
from judge.explain.code import lines_of
from judge.explain.flush_advice import Advised, advise
from judge.explain.story import KERNEL_SHARE, MANY_CALLS, Story
from judge.words import calls, percent, size

_SMALL_WRITE_BYTES = 256
# CPython spends as much time again in its own part of a flush as the kernel: 0.65 s of 1.3 s for a million of them.
_PYTHON_FACTOR = 2
_PYTHON_SHARE = 12
_OF_STDOUT = 80  # per cent of the writes that must have gone to stdout


def find(story: Story) -> Finding | None:
    """Speaks when many small writes to stdout cost a large share of the CPU time in the kernel."""
    case = story.focus
    # A conversation needs its flushes.
    if story.is_interactive or case is None or case.io.write_calls < MANY_CALLS or not story.is_slow(case):
        return None
    made = story.calls(case)
    mean = case.io.write_bytes / case.io.write_calls
    blamed = story.blamed_percent(case, made.to_stdout)
    is_python = story.language.id == "python"
    if mean > _SMALL_WRITE_BYTES or blamed < (_PYTHON_SHARE if is_python else KERNEL_SHARE):
        return None
    if percent(made.to_stdout, made.writes) < _OF_STDOUT:
        return None
    weight = min(100, blamed * (_PYTHON_FACTOR if is_python else 1))
    return _finding(story, case, weight, advise(story.code, story.language.id))


def _finding(story: Story, case: TestCaseJudged, weight: int, advised: Advised | None) -> Finding:
    usage, mean = case.usage, case.io.write_bytes / case.io.write_calls
    writes = f"{calls(case.io.write_calls, 'write')} of {size(mean)} on average"
    return Finding(
        code="flush-per-line",
        text=f"Your program made {writes} on {story.where(case)}; {story.kernel_words(case)}",
        evidence={
            "test_case": case.name,
            "write_calls": case.io.write_calls,
            "bytes_per_write": round(mean, 1),
            "system_time_us": usage.system_time_us,
            "cpu_time_us": usage.cpu_time_us,
            "kernel_percent": story.kernel_percent(case),
            "weight_percent": weight,
            **({"construct": advised.construct} if advised else {}),
        },
        lines=lines_of(advised.places) if advised else (),
        advice=advised.sentence if advised else "Gather the output and hand it over in large pieces.",
    )
