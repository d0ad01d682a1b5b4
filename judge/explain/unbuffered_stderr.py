"""Debugging output on stderr: nobody checks it, and each piece is a system call."""

from judge.events import Finding
from judge.explain.code import lines_of
from judge.explain.story import KERNEL_SHARE, MANY_CALLS, Story
from judge.explain.syntax.places import Deed, Stream
from judge.words import calls, percent, size

_OF_STDERR = 50  # per cent of the writes
_PYTHON_SHARE = 12  # as in flush_per_line
_DEEDS = (Deed.PRINT, Deed.WRITE)
_ADVICE = {
    "cpp": "Each `<<` on `cerr` is a system call of its own, and so is each `fprintf(stderr, ...)`",
    "python": "Each line on stderr is a system call of its own",
    "rust": "Each piece of an `eprintln!` or a `dbg!` is a system call of its own",
}


def find(story: Story) -> Finding | None:
    """Speaks when most of many writes went to stderr and cost a large share of the CPU time in the kernel."""
    case = story.focus
    if case is None or not case.stderr_bytes or case.io.write_calls < MANY_CALLS or not story.is_slow(case):
        return None
    made = story.calls(case)
    blamed = story.blamed_percent(case, made.to_stderr)
    is_python = story.language.id == "python"
    if blamed < (_PYTHON_SHARE if is_python else KERNEL_SHARE) or percent(made.to_stderr, made.writes) < _OF_STDERR:
        return None
    usage = case.usage
    places = story.code.find(*_DEEDS, streams=(Stream.STDERR,), repeated=True)
    return Finding(
        code="unbuffered-stderr",
        text=(
            f"Your program wrote {size(case.stderr_bytes)} to stderr on {story.where(case)}, which nobody checks. Most "
            f"of its {calls(case.io.write_calls, 'write')} went there; {story.kernel_words(case)}"
        ),
        evidence={
            "test_case": case.name,
            "stderr_bytes": case.stderr_bytes,
            "write_calls": case.io.write_calls,
            "system_time_us": usage.system_time_us,
            "cpu_time_us": usage.cpu_time_us,
            "kernel_percent": story.kernel_percent(case),
            "weight_percent": min(100, blamed * (2 if is_python else 1)),
        },
        lines=lines_of(places),
        advice=f"{_ADVICE[story.language.id]}: leave out what prints there.",
    )
