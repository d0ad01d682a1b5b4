"""Find output beyond the limit, or far longer than the answer."""

from judge.grading import words
from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.places import Deed
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _
from problems.translation import gettext_noop

_MUCH_BYTES = 64 * 1_024
_TIMES = 100  # the answer: formatting, spaces and long numbers make an output ten times as long at most


def find(facts: Facts) -> Finding | None:
    """Find the first case that was stopped for its output, else the one that wrote far too much."""
    case = next((case for case in facts.cases if case.verdict is Verdict.OLE), None)
    if case is not None:
        return Finding(
            code="too-much-output",
            evidence={
                "test_case": case.name,
                "stdout_bytes": case.stdout_bytes,
                "stderr_bytes": case.stderr_bytes,
                "output_limit_bytes": facts.limits.output_bytes,
            },
        )
    if facts.is_interactive:
        return None
    larger = (
        case
        for case in facts.cases
        if case.name in facts.answer_bytes
        and case.verdict is not Verdict.AC
        and case.stdout_bytes >= _MUCH_BYTES
        and case.stdout_bytes > _TIMES * max(facts.answer_bytes[case.name], 1)
    )
    case = max(larger, key=lambda case: case.stdout_bytes, default=None)
    if case is None:
        return None
    # How long the answer of a hidden case is stays hidden.
    return Finding(
        code="too-much-output",
        evidence={
            **facts.where(case),
            "stdout_bytes": case.stdout_bytes,
            "write_calls": case.io.write_calls,
            "is_in_no_loop": not facts.code.has(Deed.PRINT, Deed.WRITE, Deed.FLUSH, repeated=True),
        },
    )


def say(telling: Telling) -> Said:
    """Tell how much was written, and how much is allowed."""
    if not telling.has("output_limit_bytes"):
        sentence = _("On {where} your program wrote {stdout} to stdout, more than {times} times what the answer has.")
        text = telling.fill(sentence, times=str(_TIMES))
        if telling.has("is_in_no_loop"):
            return Said(text=text, advice=_("Print the answer and nothing else."))
        return Said(text=text, advice=_("Print the answer and nothing else; look at the loop that prints."))
    sentence = _(
        "{test_case} was stopped because its output was too long: {stdout} on stdout (the limit is {limit}) and "
        "{stderr} on stderr."
    )
    return Said(text=telling.fill(sentence, limit=words.size(telling.value("output_limit_bytes"))))


RULE = Rule(
    code="too-much-output",
    find=find,
    say=say,
    about=About.FAILURE,
    reason=Reason.IO,
    hint=gettext_noop("It prints far more than the answer has: look at the loop that prints."),
    leaves_time_open=False,
)
