"""Tell how often the hottest line of a program that was too slow has to run: by a law, where counts at several sizes
follow one, or by the count on the case itself, where it came to its end with more time.

The counts are those of a rerun (`judge.grading.reruns.counts`). They are the cause only if they explain the time: so
many runs of the line take longer than the limit, at the speed of the runs that came to their end, or at any speed.
"""

from collections.abc import Sequence
from itertools import pairwise

from judge.grading.counted_work import CountedLine, CountedWork
from judge.grading.events import Finding, LineTimes
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.law_words import LETTERS, formula, meanings
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.own_time import computing
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop

_LITTLE_MORE = 1.5  # times as often as the line that is told a line without a law runs at most
_MANY = 100
_BIG_US = 50_000  # of CPU time beyond the start: less tells no speed
_OF_LIMIT = 0.8  # of the time limit that the line has to take at least, reckoned by its speed
_BEYOND_INPUT = 20  # times the words of the input: a line that runs less often is not what takes the time
_CERTAINLY = 50  # times the usual number of steps no optimiser reaches
_LEAST_SHARE = 50  # per cent of the samples at the lines that run about as often
_AS_OFTEN = 0.4
_ALIKE = 0.99


def find(facts: Facts) -> Finding | None:
    """Find the line whose count explains that the case was too slow."""
    stopped = facts.focus
    work = facts.reruns[stopped.name].counted_work if stopped is not None and stopped.name in facts.reruns else None
    if work is None or computing.is_named(facts) or (case := computing.stopped_by_computing(facts)) is None:
        return None
    hot = hottest(work) or (_most_frequent(work.lines) if work.is_counted else None)
    if hot is None or hot.expected is None:
        return None
    if hot.law is not None and not (case.is_sample or hot.law.is_short):
        return None  # a long coefficient of a hidden case could tell what the program read
    values = dict(zip(work.names, work.sizes, strict=True))
    share = _share_of_samples(work, hot, facts.reruns[case.name].line_times)
    if hot.expected < _BEYOND_INPUT * values.get("words", 0) or (share is not None and share < _LEAST_SHARE):
        return None
    per_second = speed(work, hot)
    usual = facts.language.costs.steps_per_s * (1 if share is not None else _CERTAINLY)
    if hot.expected < _OF_LIMIT * facts.limits.time_limit_ms / 1_000 * (per_second or usual):
        return None
    law: dict[str, object] = {}
    if hot.law is not None:
        law = {f"size_{place}": values[name] for place, name in enumerate(hot.law.sizes)}
        law |= {"construct": formula(hot.law), "kind": " ".join(hot.law.sizes), "test_cases": len(work.runs)}
        law |= {"is_exact": hot.law.is_exact, "is_counted": work.is_counted}
    return Finding(
        code="counted-work",
        evidence={
            "test_case": case.name,
            "runs": hot.expected,
            **law,
            **({"per_second": per_second} if per_second else {}),
            "weight_percent": percent(case.usage.user_time_us, case.usage.cpu_time_us),
        },
        lines=(hot.line,),
    )


def hottest(work: CountedWork) -> CountedLine | None:
    """Return the line that runs most often on the case, by a law; None where a line without one may run more often."""
    known = [line for line in work.lines if line.law is not None and line.expected is not None]
    if not known:
        return None
    hot = _most_frequent(known)
    others = (line for line in work.lines if line.law is None or line.expected is None)
    return hot if all(_goes_along(line, hot) for line in others) else None


def _most_frequent(lines: Sequence[CountedLine]) -> CountedLine:
    most = max(line.expected or 0 for line in lines)
    alike = [line for line in lines if (line.expected or 0) >= _ALIKE * most]
    return min(alike, key=lambda line: (line.expected, line.line))  # of a loop and its body the body


def _goes_along(line: CountedLine, hot: CountedLine) -> bool:
    """Return whether a line without a law ran little more often than the hot one, and ever less so as the counts grow:
    such as the condition of its loop.
    """
    ratios = [count / most for count, most in zip(line.counts, hot.counts, strict=True) if most >= _MANY]
    if not ratios:
        return False
    return ratios[-1] <= _LITTLE_MORE and (ratios[-1] <= 1 or all(a >= b for a, b in pairwise(ratios)))


def speed(work: CountedWork, line: CountedLine) -> int:
    """Return how often the line runs in a second of the program's CPU time; 0: no run took long enough to tell."""
    timed = [(run.cpu_time_us, count) for run, count in zip(work.runs, line.counts, strict=True) if run.cpu_time_us]
    if not timed:
        return 0
    start_us = min(us for us, _ in timed)
    longest_us, count = max(timed)
    return count * 1_000_000 // (longest_us - start_us) if longest_us - start_us >= _BIG_US else 0


def _share_of_samples(work: CountedWork, hot: CountedLine, times: LineTimes | None) -> int | None:
    """Return the share of the samples of CPU time at the lines that run about as often as the hot one, in per cent;
    None if the case was not sampled.
    """
    if times is None or not times.samples:
        return None
    often = {line.line for line in work.lines if line.counts[-1] >= _AS_OFTEN * hot.counts[-1]}
    return percent(sum(time.own for time in times.lines if time.line in often), times.samples)


def say(telling: Telling) -> Said:
    """Tell the law, the count on the case, and how many the judge has time for."""
    texts = [_said_of_line(telling)]
    if telling.has("per_second"):
        enough = _("1 s is enough for about {number} of them on this judge.")
        texts.append(enough.format(number=telling.words.count(_one_digit(telling.value("per_second")))))
    texts.append(meanings(_sizes(telling)))
    if telling.has("construct") and telling.has("is_counted"):
        runs = _("Counted in {number} runs that came to their end.")
        texts.append(runs.format(number=telling.value("test_cases")))
    advice = _("Use an algorithm in which no line runs so often; faster input or output will not help.")
    return Said(text=" ".join(filter(None, texts)), advice=advice)


def _said_of_line(telling: Telling) -> str:
    """Return the sentence on the line. Without a count on the case itself it is what the law makes expect."""
    is_exact, is_counted = telling.has("is_exact"), telling.has("is_counted")
    if not telling.has("construct"):
        sentence = _("Line {line} runs {runs} times on {case}, counted in a run with more time.")
    elif not _sizes(telling):
        sentence = _("Line {line} ran {runs} times in each of {number} runs.")
    elif is_exact and is_counted:
        sentence = _("Line {line} runs {law} times: {runs} times for {sizes}.")
    elif is_counted:
        sentence = _("Line {line} runs about {law} times: about {runs} times for {sizes}.")
    elif is_exact:
        sentence = _(
            "In {number} runs that came to their end, line {line} ran {law} times. By this law it runs {runs} times "
            "for {sizes}."
        )
    else:
        sentence = _(
            "In {number} runs that came to their end, line {line} ran about {law} times. By this law it runs about "
            "{runs} times for {sizes}."
        )
    return sentence.format(
        line=telling.lines[0],
        runs=telling.count("runs"),
        case=telling.text("test_case"),
        law=telling.text("construct") if telling.has("construct") else "",
        number=telling.value("test_cases") if telling.has("test_cases") else "",
        sizes=", ".join(
            f"{LETTERS.get(name, name)} = {telling.count(f'size_{place}')}"
            for place, name in enumerate(_sizes(telling))
        ),
    )


def _sizes(telling: Telling) -> tuple[str, ...]:
    return tuple(telling.text("kind").split()) if telling.has("kind") else ()


def _one_digit(number: int) -> int:
    return round(number, 1 - len(str(number)))


RULE = Rule(
    code="counted-work",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.STEPS,
    hint=gettext_noop("One line runs far too often: reckon how often it runs for the largest input."),
)
