"""The sentence that every result page has: the verdict and the numbers behind it."""

from judge.events import Finding, TestCaseJudged
from judge.explain.story import Story
from judge.verdicts import Verdict
from judge.words import calls, duration, percent, size, time_limit

_TOO_SHORT_US = 10_000  # shares of less than 10 ms are mostly the start of the process


def find(story: Story) -> Finding | None:
    """Always something."""
    if story.verdict is Verdict.CE:
        return _plain("compile", "The program did not compile, so no test case was run.", {})
    if story.verdict is Verdict.JE:
        return _plain("judge-error", "The judge failed, not your program: the staff can see what went wrong.", {})
    case = story.first_failure
    if case is None:
        return _accepted(story)
    accepted = sum(case.verdict is Verdict.AC for case in story.cases)
    head = f"{case.name} is the first test case that is not accepted ({accepted:,} of {len(story.cases):,} are): "
    evidence = {**_evidence(case), "accepted": accepted, "test_cases": len(story.cases)}
    return _plain("summary", head + _reason(story, case), evidence)


def _accepted(story: Story) -> Finding:
    count = len(story.cases)
    case = max(story.cases, key=lambda case: case.usage.cpu_time_us)
    head = (
        f"All {count:,} test cases are accepted; the slowest, {case.name}, used " if count > 1 else "Accepted; it used "
    )
    limit = time_limit(story.limits.time_limit_ms)
    text = f"{head}{_cost(case)}. The limit is {limit}."
    return _plain("summary", text, {**_evidence(case), "accepted": count, "test_cases": count})


def _reason(story: Story, case: TestCaseJudged) -> str:
    limits, usage = story.limits, case.usage
    if case.verdict is Verdict.WA:
        return f"its output is wrong. It used {_cost(case)}."
    if case.verdict is Verdict.MLE:
        return f"it needed more than the {size(limits.memory_bytes)} of memory that are allowed."
    if case.verdict is Verdict.OLE:
        return f"it wrote more than is allowed ({case.detail or 'output limit'})."
    if case.verdict is Verdict.SLE:
        return f"its output is right, but it made {_too_many(case)}, more than are allowed. It used {_time(case)}."
    if case.verdict is Verdict.RE:
        return f"it failed while running ({case.detail or 'run-time error'})."
    allowed = time_limit(limits.time_limit_ms)
    if usage.cpu_time_us > limits.time_limit_ms * 1_000:
        return f"it used {_cost(case)}. The limit is {allowed}."
    return (
        f"it took {duration(usage.wall_time_us)} on the clock, longer than it may, while using "
        f"{duration(usage.cpu_time_us)} CPU time of {allowed} allowed."
    )


def _too_many(case: TestCaseJudged) -> str:
    return _writes(case) if case.too_many == "write" else calls(case.io.read_calls, "read")


def _cost(case: TestCaseJudged) -> str:
    return f"{_time(case)} with {_writes(case)}"


def _time(case: TestCaseJudged) -> str:
    usage = case.usage
    where = ""
    if usage.cpu_time_us >= _TOO_SHORT_US:
        where = f" ({percent(usage.system_time_us, usage.cpu_time_us)} % of it in the kernel)"
    return f"{duration(usage.cpu_time_us)} of CPU time{where}"


def _writes(case: TestCaseJudged) -> str:
    if not case.io.write_calls:
        return "no write call"
    mean = "" if case.io.write_calls == 1 else " on average"
    return f"{calls(case.io.write_calls, 'write')} of {size(case.io.write_bytes / case.io.write_calls)}{mean}"


def _evidence(case: TestCaseJudged) -> dict[str, object]:
    return {
        "test_case": case.name,
        "verdict": case.verdict.value,
        "cpu_time_us": case.usage.cpu_time_us,
        "system_time_us": case.usage.system_time_us,
        "wall_time_us": case.usage.wall_time_us,
        "write_calls": case.io.write_calls,
        "write_bytes": case.io.write_bytes,
    }


def _plain(code: str, text: str, evidence: dict[str, object]) -> Finding:
    return Finding(code=code, text=text, evidence=evidence)
