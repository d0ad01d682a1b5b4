"""Input that is fetched from the kernel in tiny pieces."""

from judge.events import Finding
from judge.explain.code import lines_of
from judge.explain.story import KERNEL_SHARE, MANY_CALLS, Story
from judge.explain.syntax.places import Deed, Stream
from judge.words import calls, size
from sandbox.types import Profile

_SMALL_READ_BYTES = 64
_PYTHON_SHARE = 12  # as in flush_per_line: `os.read` costs CPython as much again
_READS = ("read", "pread64", "readv", "preadv", "preadv2")
_IN = (Stream.STDIN, Stream.UNKNOWN)
_LARGER = "Reading larger pieces takes fewer calls."
_ADVICE = {
    "cpp": "`cin`, `scanf` and `getchar` read from a buffer of their own, if nothing takes it away.",
    "python": "`sys.stdin` reads 8 KiB at a time and keeps the rest; `sys.stdin.read()` takes it all.",
    "rust": "`stdin().lock()` or a `BufReader::new` reads 8 KiB at a time and keeps the rest.",
}


def find(story: Story) -> Finding | None:
    """Speaks when many small reads cost a large share of the CPU time in the kernel."""
    case = story.focus
    if story.is_interactive or case is None or case.io.read_calls < MANY_CALLS or not story.is_slow(case):
        return None
    mean = case.io.read_bytes / case.io.read_calls
    blamed = story.blamed_percent(case, case.io.read_calls)
    is_python = story.language.id == "python"
    if mean > _SMALL_READ_BYTES or blamed < (_PYTHON_SHARE if is_python else KERNEL_SHARE):
        return None
    usage = case.usage
    of_stdin = _is_of_stdin(story.profiles.get(case.name))
    fetching = story.code.find(Deed.FETCH, streams=_IN, repeated=True)
    places = fetching + story.code.find(Deed.UNBUFFER, streams=(Stream.STDIN,)) if of_stdin else ()
    return Finding(
        code="tiny-reads",
        text=(
            f"Your program made {calls(case.io.read_calls, 'read')} of {size(mean)} on average on {story.where(case)}; "
            f"{story.kernel_words(case)}"
        ),
        evidence={
            "test_case": case.name,
            "read_calls": case.io.read_calls,
            "bytes_per_read": round(mean, 1),
            "system_time_us": usage.system_time_us,
            "cpu_time_us": usage.cpu_time_us,
            "kernel_percent": story.kernel_percent(case),
            "weight_percent": min(100, blamed * (2 if is_python else 1)),
        },
        lines=lines_of(places),
        advice=f"{_LARGER} {_ADVICE[story.language.id]}" if of_stdin else _LARGER,
    )


def _is_of_stdin(profile: Profile | None) -> bool:
    """Whether most of the reads are known to be of stdin, and not of a file of the program's own."""
    if profile is None or "stdin" not in profile.streams:
        return False
    return 2 * profile.streams["stdin"].calls > sum(profile.syscalls.get(name, 0) for name in _READS)
