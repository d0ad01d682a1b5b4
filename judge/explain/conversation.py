"""An interactive program that waited until its wall limit: most likely for the reply to a question it never sent.

A question in the program's own buffer cannot be seen from outside. What can: for how long the program waited, how many
bytes it had handed over by then, and what the interactor did meanwhile.
"""

from judge.events import Finding, TestCaseJudged
from judge.explain.code import lines_of
from judge.explain.story import Story
from judge.explain.syntax.places import Deed, Place, Stream
from judge.verdicts import Verdict
from judge.words import calls, duration, percent, size

_SHARE = 50  # per cent of the time on the clock
_FLUSHES = {
    "cpp": "`cout << flush` or `endl`, `fflush(stdout)` after `printf`",
    "python": "`print(..., flush=True)`",
    "rust": "`flush()` of `stdout()` or of your `BufWriter`",
}
_KEEPERS = {  # what keeps output in the buffer while the program reads, and why
    "cpp": "`tie` has ended the flush that `cin` does before it reads.",
    "python": "Unlike `input()`, reading from `stdin` does not flush.",
    "rust": "The `BufWriter` keeps lines that `println!` alone would hand over.",
}


def find(story: Story) -> Finding | None:
    """Speaks when an interactive case ran out of time on the clock and the program waited for most of that."""
    case = next((case for case in story.cases if case.partner and _is_stuck(story, case)), None)
    if case is None or case.partner is None:
        return None
    waited_us = case.usage.waiting_time_us
    evidence: dict[str, object] = {
        "test_case": case.name,
        "waiting_time_us": waited_us,
        "sent_bytes": case.stdout_bytes,
        "write_calls": case.io.write_calls,
        "interactor_cpu_time_us": case.partner.cpu_time_us,
    }
    head = f"On {case.name} your program waited for {duration(waited_us)}"
    if case.partner.ended_first:
        text = f"{head} although the conversation was over: it should end by itself after its last line."
        return Finding(code="conversation-over", text=text, evidence=evidence)
    if percent(case.partner.cpu_time_us, waited_us) >= _SHARE:
        busy = duration(case.partner.cpu_time_us)
        text = f"{head}, but the judge's side was computing for {busy} meanwhile: tell the staff."
        return Finding(code="slow-interactor", text=text, evidence=evidence)
    keepers = _keepers(story)
    advice = f"Flush after each question: {_FLUSHES[story.language.id]}."
    return Finding(
        code="unflushed-question",
        text=f"{head}, and so did the judge's side. {_unheard(case)}",
        evidence=evidence,
        lines=lines_of(keepers),
        advice=f"{advice} {_KEEPERS[story.language.id]}" if keepers else advice,
    )


def _is_stuck(story: Story, case: TestCaseJudged) -> bool:
    usage = case.usage
    if case.verdict is not Verdict.TLE or usage.cpu_time_us > story.limits.time_limit_ms * 1_000:
        return False
    return percent(usage.waiting_time_us, usage.wall_time_us - usage.queued_time_us) >= _SHARE


def _unheard(case: TestCaseJudged) -> str:
    if not case.stdout_bytes:
        return "It had sent 0 bytes until then: if it asked something, the question is probably still in its buffer."
    sent = f"{size(case.stdout_bytes)} until then, in {calls(case.io.write_calls, 'write')}"
    return f"It had sent {sent}: if it asked once more, that question is probably still in its buffer."


def _keepers(story: Story) -> tuple[Place, ...]:
    """What in the source keeps output back while the program reads."""
    match story.language.id:
        case "cpp":
            return story.code.find(Deed.UNTIE)
        case "python":
            reads = story.code.find(Deed.READ, streams=(Stream.STDIN,))
            return tuple(place for place in reads if place.name != "input()")
    return story.code.find(Deed.GATHER, streams=(Stream.STDOUT,))
