"""Output that goes to the kernel in tiny pieces: `endl`, `flush=True`, Rust's line-buffered stdout."""

from dataclasses import dataclass

from judge.events import Finding, TestCaseJudged
from judge.explain.source import find_lines
from judge.explain.story import KERNEL_SHARE, MANY_CALLS, Story
from judge.explain.words import calls, lines, percent, size

_SMALL_WRITE_BYTES = 256
_PYTHON_SHARE = 12  # per cent of kernel time that is enough: as much again goes into CPython's own part of each flush
_OF_STDOUT = 80  # per cent of the written bytes or calls that must have gone to stdout


@dataclass(frozen=True, kw_only=True, slots=True)
class _Construct:
    """Something in a source that flushes, what it does, and what makes the cause doubtful if the source has it too."""

    name: str
    pattern: str
    sentence: str
    unless: str = r"(?!)"  # never matches


_FLUSH = "`flush()` ({where}) hands over each piece at once; leave it out."
_CONSTRUCTS = {
    "cpp": (
        _Construct(
            name="endl", pattern=r"\bendl\b", sentence="`endl` ({where}) flushes each time; write `'\\n'` instead."
        ),
        _Construct(
            name="flush",
            pattern=r"\bfflush\s*\(|\bflush\b|\bunitbuf\b",
            sentence="The flush ({where}) hands over each piece at once; leave it out.",
        ),
        _Construct(
            name="cin.tie",
            pattern=r"\bcin\s*>>",
            unless=r"\btie\s*\(",
            sentence="`cin` ({where}) flushes `cout` before each read; `cin.tie(nullptr)` ends that.",
        ),
    ),
    "python": (
        _Construct(
            name="flush=True",
            pattern=r"\bflush\s*=\s*True\b",
            sentence="`flush=True` ({where}) flushes each time; leave it out.",
        ),
        _Construct(name="flush()", pattern=r"\.flush\s*\(", sentence=_FLUSH),
    ),
    "rust": (
        _Construct(
            name="println!",
            pattern=r"\bprintln!",
            unless=r"\bBufWriter\b",
            sentence=(
                "`println!` ({where}) writes each line at once; `writeln!` into a `BufWriter::new(stdout().lock())` "
                "gathers them."
            ),
        ),
        _Construct(
            name="writeln!",
            pattern=r"\bwriteln!",
            unless=r"\bBufWriter\b",
            sentence="Rust's stdout writes each line ({where}) at once; a `BufWriter` around it gathers them.",
        ),
        _Construct(name="flush()", pattern=r"\.flush\s*\(", sentence=_FLUSH),
        _Construct(
            name="println!",
            pattern=r"\bprintln!",
            sentence="`println!` ({where}) writes each line at once, past the `BufWriter`; use `writeln!` into that.",
        ),
    ),
}


def find(story: Story) -> Finding | None:
    """Speaks when many small writes to stdout went with a large share of kernel time."""
    case = story.focus
    if story.is_interactive or case is None or case.io.write_calls < MANY_CALLS:
        return None
    mean = case.io.write_bytes / case.io.write_calls
    enough = _PYTHON_SHARE if story.language.id == "python" else KERNEL_SHARE
    if mean > _SMALL_WRITE_BYTES or story.kernel_percent(case) < enough or not _is_stdout(story, case):
        return None
    usage = case.usage
    writes = f"{calls(case.io.write_calls, 'write')} of {size(mean)} on average"
    text = f"Your program made {writes} on {story.where(case)}; {story.kernel_words(case)}"
    evidence = {
        "test_case": case.name,
        "write_calls": case.io.write_calls,
        "bytes_per_write": round(mean, 1),
        "system_time_us": usage.system_time_us,
        "cpu_time_us": usage.cpu_time_us,
        "kernel_percent": story.kernel_percent(case),
    }
    for construct in _CONSTRUCTS[story.language.id]:
        where = find_lines(story.source, story.language, construct.pattern)
        if where and not find_lines(story.source, story.language, construct.unless):
            text = f"{text} {construct.sentence.format(where=lines(where))}"
            evidence |= {"construct": construct.name, "lines": list(where)}
            break
    return Finding(code="flush-per-line", text=text, evidence=evidence)


def _is_stdout(story: Story, case: TestCaseJudged) -> bool:
    """Whether the writes went to stdout: by the profile's calls, without one by the bytes in the captured file."""
    profile = story.profiles.get(case.name)
    if profile is None:
        return percent(case.stdout_bytes, case.io.write_bytes) >= _OF_STDOUT
    use = {name: stream.calls for name, stream in profile.streams.items() if name in ("stdout", "stderr", "files")}
    return percent(use.get("stdout", 0), sum(use.values())) >= _OF_STDOUT
