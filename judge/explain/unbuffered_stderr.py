"""Debugging output on stderr: nobody checks it, and each piece is a system call."""

from judge.events import Finding, TestCaseJudged
from judge.explain.source import find_lines
from judge.explain.story import KERNEL_SHARE, MANY_CALLS, Story
from judge.explain.words import calls, lines, percent, size

_OF_STDERR = 50  # per cent of the writes
_TO_STDERR = {
    "cpp": r"\b(?:cerr|clog|stderr)\b|\bperror\s*\(",
    "python": r"\bstderr\b|\blogging\.\w+\s*\(",
    "rust": r"\beprint(?:ln)?!|\bdbg!|\bstderr\s*\(",
}


def find(story: Story) -> Finding | None:
    """Speaks when most of many writes went to stderr and the kernel's share shows it."""
    case = story.focus
    if case is None or not case.stderr_bytes or case.io.write_calls < MANY_CALLS:
        return None
    share = story.kernel_percent(case)
    if share < KERNEL_SHARE or _stderr_percent(story, case) < _OF_STDERR:
        return None
    usage = case.usage
    where = find_lines(story.source, story.language, _TO_STDERR[story.language.id])
    remedy = f"Leave out what prints there ({lines(where)})." if where else "Leave out what prints there."
    return Finding(
        code="unbuffered-stderr",
        text=(
            f"Your program wrote {size(case.stderr_bytes)} to stderr on {case.name}, which nobody checks. Most of its "
            f"{calls(case.io.write_calls, 'write')} went there, since stderr is not gathered into larger pieces; "
            f"{story.kernel_words(case)} {remedy}"
        ),
        evidence={
            "test_case": case.name,
            "stderr_bytes": case.stderr_bytes,
            "write_calls": case.io.write_calls,
            "system_time_us": usage.system_time_us,
            "cpu_time_us": usage.cpu_time_us,
            "kernel_percent": share,
            **({"lines": list(where)} if where else {}),
        },
    )


def _stderr_percent(story: Story, case: TestCaseJudged) -> int:
    """The share of stderr: of the calls by the profile, without one of the bytes."""
    profile = story.profiles.get(case.name)
    if profile is None:
        return percent(case.stderr_bytes, case.io.write_bytes)
    outputs = {name: stream.calls for name, stream in profile.streams.items() if name in ("stdout", "stderr", "files")}
    return percent(outputs.get("stderr", 0), sum(outputs.values()))
