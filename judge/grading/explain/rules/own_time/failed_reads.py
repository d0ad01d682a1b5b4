"""Find loops that go on reading where nothing can be read any more.

Python and Rust ask the kernel each time, so that the calls prove it. A failed `cin` or `scanf` asks nobody: there the
loop is named by its text, where the run was silent, and nothing else in the source can have taken the time.
"""

import re

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.quiet import is_silent, reads_past_end
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.places import Deed, lines_of
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop

_NS_PER_VALUE = 1_000  # the most that a turn of a loop takes which only reads a value and reckons with it
_SHARE = 20  # per cent of the CPU time that all turns can have taken until the input ended
_COSTLY = re.compile(  # what takes more than a step without a loop in the source
    rb"sort|find|erase|insert|regex|accumulate|reverse|permutation|memset|fill|copy|resize|assign|substr|pow|count"
)
_ADVICE = {
    "cin": gettext_noop("Let the read be the condition: `while (cin >> x)` ends where nothing more can be read."),
    "scanf": gettext_noop('Compare what `scanf` returns with the number of values: `while (scanf("%d", &x) == 1)`.'),
    "getline": gettext_noop("Let the read be the condition: `while (getline(cin, line))` ends with the input."),
    "read_line()": gettext_noop("`read_line` returns `Ok(0)` at the end of the input: leave the loop then."),
    "input()": gettext_noop("`input()` raises EOFError at the end of the input: leave the loop then."),
    "readline()": gettext_noop("`readline()` returns an empty text at the end of the input: leave the loop then."),
}


def find(facts: Facts) -> Finding | None:
    """Find a case that was stopped while its program asked for what is not there."""
    case = facts.focus
    if case is None or case.verdict is not Verdict.TLE or facts.is_interactive or case.passes > 1:
        return None
    places = facts.code.find(Deed.RETRY)
    is_counted = reads_past_end(facts, case)
    if not is_counted and not (places and is_silent(facts, case) and _is_only_work(facts, case)):
        return None
    return Finding(
        code="failed-read",
        evidence={
            "test_case": case.name,
            "is_counted": is_counted,
            **({"construct": places[0].name} if places else {}),
            "read_calls": case.io.read_calls,
            "user_time_us": case.usage.user_time_us,
            "cpu_time_us": case.usage.cpu_time_us,
            "weight_percent": 100 if is_counted else percent(case.usage.user_time_us, case.usage.cpu_time_us),
        },
        lines=lines_of(places),
    )


def _is_only_work(facts: Facts, case: CaseJudged) -> bool:
    """Return whether the program had read all of its input long before it was stopped, as far as its text tells.

    Another loop may be the long one, also where it stands beside: up to a number that was read, for one.
    """
    case_input, code = facts.inputs.get(case.name), facts.code
    if case_input is None or case.io.read_bytes < case_input.bytes or code.has(Deed.THREAD, Deed.PROCESS, Deed.BRANCH):
        return False
    if code.has(Deed.SEARCH, Deed.SHIFT, Deed.COPY, repeated=True) or code.has(Deed.RECURSE):
        return False
    if len(code.find(Deed.LOOP)) > len(code.find(Deed.RETRY)):
        return False
    turns_us = case_input.words * _NS_PER_VALUE // 1_000
    return percent(turns_us, case.usage.cpu_time_us) <= _SHARE and not _COSTLY.search(facts.source)


def say(telling: Telling) -> Said:
    """Tell how the reads fail, and that the loop does not notice."""
    if telling.has("is_counted"):
        sentence = _(
            "Your program goes on reading after the end of its input: on {test_case} it made {reads}, most of which "
            "got nothing, until it was stopped after {cpu_time} of CPU time."
        )
    else:
        sentence = _(
            "Your program may never end: the loop at the line below reads with `{construct}`, and goes on whether or "
            "not a value was read. A read fails at the end of the input, at a word that is no number and at a number "
            "too large for its type; from then on each one fails, and nothing changes. On {test_case} the program "
            "computed for {user_time} until it was stopped, and wrote nothing."
        )
    advice = _("Leave the loop when the input has ended.")
    if "construct" in telling.evidence:
        advice = _(_ADVICE[telling.text("construct")])
    return Said(text=telling.fill(sentence), advice=advice)


RULE = Rule(
    code="failed-read",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.STEPS,
    hint=gettext_noop("A loop goes on reading after a read has failed: let the read be its condition."),
)
