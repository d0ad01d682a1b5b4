"""Write the sentence that every result page has: the verdict and the numbers behind it."""

from judge.grading import words
from judge.grading.case_ending import CaseEnding
from judge.grading.ending_words import brief, end_in_words
from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Rule, Said, Telling
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.jsonvalues import JsonError, from_row, to_json
from problems.translation import gettext as _, gettext_noop, translated

_FAILED = {
    Verdict.WA: gettext_noop(
        "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): its output "
        "is wrong. It used {time} with {writes}."
    ),
    Verdict.MLE: gettext_noop(
        "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): it needed "
        "more than the {memory_limit} of memory that are allowed."
    ),
    Verdict.OLE: gettext_noop(
        "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): it wrote "
        "more than is allowed."
    ),
    Verdict.RE: gettext_noop(
        "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): it failed while running."
    ),
}
_WRONG_WITH_ERRORS = gettext_noop(
    "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): its output is wrong. "
    "It used {time}."
)
_FAILED_BECAUSE = {
    Verdict.OLE: gettext_noop(
        "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): it wrote "
        "more than is allowed ({detail})."
    ),
    Verdict.RE: gettext_noop(
        "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): it failed "
        "while running ({detail})."
    ),
}
_TOO_MANY_WRITES = gettext_noop(
    "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): its output "
    "is right, but it made {writes}, more than are allowed. It used {time}."
)
_TOO_MANY_READS = gettext_noop(
    "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): its output "
    "is right, but it made {reads}, more than are allowed. It used {time}."
)
_TOO_SHORT_US = 10_000  # shares of less than 10 ms are mostly the start of the process


def find(facts: Facts) -> Finding | None:
    """Return the summary; every submission has one."""
    if facts.verdict is Verdict.CE:
        return Finding(code="compile", evidence={})
    if facts.verdict is Verdict.JE:
        return Finding(code="judge-error", evidence={})
    case = facts.first_failure or max(facts.cases, key=lambda case: case.usage.cpu_time_us)
    usage, io, limits = case.usage, case.io, facts.limits
    evidence: dict[str, object] = {
        "test_case": case.name,
        "verdict": case.verdict.value,
        "cpu_time_us": usage.cpu_time_us,
        "system_time_us": usage.system_time_us,
        "wall_time_us": usage.wall_time_us,
        "read_calls": io.read_calls,
        "write_calls": io.write_calls,
        "write_bytes": io.write_bytes,
        "time_limit_ms": limits.time_limit_ms,
        "accepted": sum(case.verdict is Verdict.AC for case in facts.cases),
        "test_cases": len(facts.cases),
    }
    if io.write_calls:
        evidence["bytes_per_write"] = round(io.write_bytes / io.write_calls, 1)
    if usage.cpu_time_us >= _TOO_SHORT_US:
        evidence["kernel_percent"] = percent(usage.system_time_us, usage.cpu_time_us)
    match case.verdict:
        case Verdict.MLE:
            evidence["memory_limit_bytes"] = limits.memory_bytes
        case Verdict.TLE:
            evidence["is_of_the_clock"] = usage.cpu_time_us <= limits.time_limit_ms * 1_000
        case Verdict.SLE:
            evidence["too_many"] = case.too_many
        case Verdict.WA if case.ending is not None and (case.ending.error or case.ending.lost):
            evidence["has_error_output"] = True
        case Verdict.OLE | Verdict.RE if case.ending is not None:
            evidence["ending"] = to_json(case.ending)
    return Finding(code="summary", evidence=evidence)


def say_compile(telling: Telling) -> Said:
    """Tell of `compile`."""
    return Said(text=_("The program did not compile, so no test case was run."))


def say_judge_error(telling: Telling) -> Said:
    """Tell of `judge-error`."""
    return Said(text=_("The judge failed, not your program: the staff can see what went wrong."))


def say(telling: Telling) -> Said:
    """Tell the verdict of the decisive case, and its numbers."""
    try:
        ending = from_row(CaseEnding, telling.value("ending")) if telling.has("ending") else None
    except JsonError:  # another version of Tally kept it in another form
        ending = None
    how = end_in_words(ending, telling.language, telling.text("test_case")) if ending else ""
    detail = translated(brief(ending)) if ending and not how else ""
    has_memory = telling.has("memory_limit_bytes")
    cpu_time = telling.duration("cpu_time_us")
    if "kernel_percent" in telling.evidence:
        share = telling.percent("kernel_percent")
        time = _("{cpu_time} of CPU time ({percent} of it in the kernel)").format(cpu_time=cpu_time, percent=share)
    else:
        time = _("{cpu_time} of CPU time").format(cpu_time=cpu_time)
    text = _sentence(telling, has_detail=bool(detail)).format(
        test_case=telling.text("test_case"),
        accepted=f"{telling.value('accepted'):,}",
        test_cases=f"{telling.value('test_cases'):,}",
        time=time,
        cpu_time=cpu_time,
        wall_time=telling.duration("wall_time_us"),
        writes=_("no write call") if telling.count("write_calls") == "0" else telling.sized_calls("write"),
        reads=telling.calls("read"),
        limit=telling.time_limit(),
        memory_limit=words.size(telling.value("memory_limit_bytes")) if has_memory else "",
        detail=detail,
    )
    return Said(text=f"{text} {how}".strip())


def _sentence(telling: Telling, *, has_detail: bool) -> str:
    verdict = telling.value("verdict")
    if verdict == Verdict.AC and telling.value("test_cases") > 1:
        return _(
            "All {test_cases} test cases are accepted; the slowest, {test_case}, used {time} with {writes}. The limit "
            "is {limit}."
        )
    if verdict == Verdict.AC:
        return _("Accepted; it used {time} with {writes}. The limit is {limit}.")
    if verdict == Verdict.SLE:
        return _(_TOO_MANY_WRITES if telling.value("too_many") == "write" else _TOO_MANY_READS)
    if verdict in _FAILED_BECAUSE and has_detail:
        return _(_FAILED_BECAUSE[verdict])
    if verdict == Verdict.WA and telling.has("has_error_output"):  # most of its write calls wrote that
        return _(_WRONG_WITH_ERRORS)
    if verdict in _FAILED:
        return _(_FAILED[verdict])
    if telling.has("is_of_the_clock"):
        return _(
            "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): its wall "
            "time of {wall_time} exceeded the wall limit; it used {cpu_time} of the CPU time limit of {limit}."
        )
    return _(
        "{test_case} is the first test case to fail ({accepted} of {test_cases} accepted): it used {time} "
        "with {writes}. The limit is {limit}."
    )


RULES = (
    Rule(code="summary", find=find, say=say, about=About.NOTHING, explains=False),
    Rule(code="compile", find=None, say=say_compile, about=About.NOTHING, is_about_case=False, explains=False),
    Rule(code="judge-error", find=None, say=say_judge_error, about=About.NOTHING, is_about_case=False, explains=False),
)
