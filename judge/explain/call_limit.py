"""Right answers in more read or write calls than the problem allows."""

from judge.events import Finding
from judge.explain.code import lines_of
from judge.explain.flush_advice import advise
from judge.explain.story import Story
from judge.verdicts import Verdict
from judge.words import calls, size


def find(story: Story) -> Finding | None:
    """Speaks of the first case that was right and over its limit on calls."""
    case = next((case for case in story.cases if case.verdict is Verdict.SLE), None)
    if case is None:
        return None
    is_write = case.too_many == "write"
    advised = advise(story.code, story.language.id) if is_write else None
    made = case.io.write_calls if is_write else case.io.read_calls
    handed = case.io.write_bytes if is_write else case.io.read_bytes
    what = "write" if is_write else "read"
    return Finding(
        code="call-limit",
        text=(
            f"The answer for {case.name} is right, but your program made {calls(made, what)} of {size(handed / made)} "
            f"on average for it. {_allowed(story, what)}"
        ),
        evidence={"test_case": case.name, f"{what}_calls": made, f"{what}_bytes": handed, "weight_percent": 100},
        lines=lines_of(advised.places) if advised else (),
        advice=advised.sentence if advised else f"Fewer and larger {what}s do the same in fewer calls.",
    )


def _allowed(story: Story, what: str) -> str:
    most = story.limits.write_calls if what == "write" else story.limits.read_calls
    parts = [f"at most {most:,}"] if most else []
    if what == "write" and story.limits.write_factor:
        parts.append(f"at most {story.limits.write_factor:g} times as many as the reference makes")
    return f"A test case may take {' and '.join(parts)}."
