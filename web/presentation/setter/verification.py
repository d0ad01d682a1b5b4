"""A verification's report as its page shows it, drawn from the JSON of `judge.grading.verification.verified`.

The picture is one axis of CPU time: a bar per jury submission up to its slowest case, the limit, and on both sides of
it the stretch in which no submission should end, since the limit would be too close to it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _, gettext_noop, ngettext, ngettext_lazy

from judge.grading.languages import LANGUAGES
from judge.grading.verification.calibration import Calibration, visible_margin
from judge.grading.verification.verified import Forecast, ReportRecord, SubmissionRecord
from problems.package import TimeRule
from problems.testgroups import DIALECTS, DOMJUDGE
from problems.translation import in_readers_language
from web.presentation.charts import Segment, Tick, TimeScale
from web.presentation.units import NOTHING, count, data_size, duration, limit, plural_of

_ROOM = 1.08
_MOST_LIMITS = 4  # how far the axis goes at most; what is beyond it ends at its end
_LEAST_WIDTH = 0.4  # per cent
_SOURCES = {
    "calibrated": gettext_noop("set from the jury's submissions"),
    "default": gettext_noop("given nowhere: the usual one"),
    "settings": gettext_noop("chosen in the problem's settings"),
}
_LEGEND = {
    "in-time": gettext_noop("must be in time"),
    "too-slow": gettext_noop("must be too slow"),
    "other": gettext_noop("either"),
    "flushing": gettext_noop("added by flushing"),
}
_MEASURED_ON = {  # by where the output goes
    "file": ngettext_lazy(
        "Measured on %(case)s, which prints %(lines)s line (%(size)s) to a file.",
        "Measured on %(case)s, which prints %(lines)s lines (%(size)s) to a file.",
        "number",
    ),
    "pipe": ngettext_lazy(
        "Measured on %(case)s, which prints %(lines)s line (%(size)s) to a pipe.",
        "Measured on %(case)s, which prints %(lines)s lines (%(size)s) to a pipe.",
        "number",
    ),
    "terminal": ngettext_lazy(
        "Measured on %(case)s, which prints %(lines)s line (%(size)s) to a terminal.",
        "Measured on %(case)s, which prints %(lines)s lines (%(size)s) to a terminal.",
        "number",
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """A jury submission, or a forecast, on the axis. `kind`: "in-time", "too-slow", "other" or "forecast"."""

    name: str
    kind: str
    verdict: str
    time_us: int
    is_as_expected: bool
    segments: tuple[Segment, ...]
    is_beyond: bool  # it needs more than the axis shows
    words: str  # all of it for people who do not see the bar


@dataclass(frozen=True, kw_only=True, slots=True)
class MarginsPicture:
    """The axis with its bars. `between` is where no submission should end."""

    scale: TimeScale
    between: Segment
    bars: tuple[Bar, ...]
    forecasts: tuple[Bar, ...]

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The kinds of stretches that are there, each with its words."""
        there = {segment.kind for bar in (*self.bars, *self.forecasts) for segment in bar.segments}
        return [(kind, _(words)) for kind, words in _LEGEND.items() if kind in there]

    @property
    def ticks(self) -> list[Tick]:
        return self.scale.ticks()


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """One reading above the picture, with what it means below it."""

    name: str
    value: str
    note: str


@dataclass(frozen=True, kw_only=True, slots=True)
class VerificationShown:
    """All that the page shows of a report. `picture` is None when no submission was run."""

    report: ReportRecord
    facts: tuple[Fact, ...]
    picture: MarginsPicture | None
    least_factor: str  # what the limit should be of the slowest one in time, "": more
    most_factor: str  # what the fastest too slow one should be of the limit, "": more
    visible_factor: str  # as far as that shows before its run is stopped; "" if all of it does
    cut_short: tuple[str, ...]  # whom the clock stopped, one sentence each
    languages: tuple[str, ...]  # the slowest in time of each language, one sentence each
    unbuffered: tuple[str, ...]  # sentences
    has_scores: bool


def verification_shown(report: ReportRecord) -> VerificationShown:
    """Return the page of a report. Fields beyond the stable ones may be missing: a broken package has no more."""
    report = in_readers_language(report)
    calibration = report.calibration
    rule = calibration.rule if calibration else None
    stopped = _("%(path)s was stopped by the clock at %(time)s: it may need more.")
    flushed = report.unbuffered
    unbuffered: tuple[str, ...] = ()
    if flushed and flushed.skipped:
        unbuffered = (flushed.skipped,)
    elif flushed:
        values = {"number": flushed.lines, "lines": count(flushed.lines), "size": data_size(flushed.bytes)}
        measured_on = _MEASURED_ON[flushed.stdout] % {**values, "case": flushed.case}
        unbuffered = (measured_on, *(forecast.text for forecast in flushed.forecasts))
    return VerificationShown(
        report=report,
        facts=tuple(_facts(report, calibration)) if calibration else (),
        picture=_picture(report, rule) if rule and any(run.verdict for run in report.submissions) else None,
        least_factor=_times(rule.ac_to_time_limit) if rule and rule.ac_to_time_limit > 1 else "",
        most_factor=_times(rule.time_limit_to_tle) if rule and rule.time_limit_to_tle > 1 else "",
        visible_factor=_times(visible_margin(rule)) if rule and visible_margin(rule) < rule.time_limit_to_tle else "",
        cut_short=tuple(
            stopped % {"path": submission.path, "time": duration(submission.max_cpu_time_us)}
            for submission in report.submissions
            if submission.cut_short
        ),
        languages=tuple(_language_sentences(calibration)) if calibration else (),
        unbuffered=unbuffered,
        has_scores=any(submission.score is not None for submission in report.submissions),
    )


def short_language(language: str | None) -> str:
    """Return a language's name without its version: "C++"; a dash for one that Tally does not run."""
    record = LANGUAGES.get(language or "")
    return record.short_name if record else language or NOTHING


def _facts(report: ReportRecord, calibration: Calibration) -> Iterator[Fact]:
    source = report.time_limit_source
    note = _(_SOURCES[source]) if source in _SOURCES else _("given in %(file)s") % {"file": source}
    if source == "calibrated" and calibration.slowest_in_time:
        note = _("set from the run of %(submission)s") % {"submission": calibration.slowest_in_time.name}
    yield Fact(name=_("Time limit"), value=limit(report.time_limit_ms or 0), note=note)
    near, far = calibration.slowest_in_time, calibration.fastest_too_slow
    if near and calibration.in_time_factor:
        words = {"submission": near.name, "times": _times(calibration.in_time_factor)}
        note = _("%(submission)s: the limit is %(times)s that") % words
        yield Fact(name=_("Slowest in time"), value=duration(near.cpu_time_us), note=note)
    if far and calibration.too_slow_factor:
        words = {"submission": far.name, "times": _times(calibration.too_slow_factor)}
        note = _("%(submission)s: at least %(times)s the limit") % words
        value = _("%(time)s or more") % {"time": duration(far.cpu_time_us)}
        yield Fact(name=_("Fastest too slow"), value=value, note=note)
    if dialect := report.score_dialect:
        value = _("for all cases of a folder") if dialect.name == DOMJUDGE else _("for each test case")
        yield Fact(name="accept_score", value=value, note=f"{_(DIALECTS[dialect.name])}: {dialect.why}")
    inputs = report.inputs
    if inputs and inputs.validators:
        by = ", ".join(name.rpartition("/")[2] for name in inputs.validators)
        note = _("by %(validators)s") % {"validators": by}
        yield Fact(name=_("Inputs checked"), value=count(inputs.files), note=note)


def _picture(report: ReportRecord, rule: TimeRule) -> MarginsPicture:
    limit_us = (report.time_limit_ms or 0) * 1_000
    forecasts = report.unbuffered.forecasts if report.unbuffered else ()
    least, most = limit_us / rule.ac_to_time_limit, limit_us * visible_margin(rule)
    ran = [submission for submission in report.submissions if submission.verdict]
    longest = max([most, *(run.max_cpu_time_us for run in ran), *(forecast.forecast_us for forecast in forecasts)])
    end_us = round(min(longest, limit_us * max(_MOST_LIMITS, most / limit_us)) * _ROOM)
    scale = TimeScale(end_us=end_us, limit_us=limit_us)
    ordered = sorted(ran, key=lambda run: (_kind(run) == "too-slow", run.max_cpu_time_us, run.path))
    return MarginsPicture(
        scale=scale,
        between=Segment(kind="between", x=scale.x(least), width=round(scale.x(most) - scale.x(least), 2)),
        bars=tuple(_bar(run, scale) for run in ordered),
        forecasts=tuple(_forecast_bar(forecast, scale) for forecast in forecasts),
    )


def _kind(submission: SubmissionRecord) -> str:
    return {"lower": "in-time", "upper": "too-slow"}.get(submission.bound or "", "other")


def _bar(submission: SubmissionRecord, scale: TimeScale) -> Bar:
    time_us, kind = submission.max_cpu_time_us, _kind(submission)
    words = {"path": submission.path, "verdict": submission.verdict}
    words |= {"expected": either(submission.expected), "time": duration(time_us)}
    return Bar(
        name=submission.path,
        kind=kind,
        verdict=submission.verdict or "",
        time_us=time_us,
        is_as_expected=submission.ok,
        segments=(Segment(kind=kind, x=0, width=max(_LEAST_WIDTH, scale.x(time_us))),),
        is_beyond=time_us > scale.end_us,
        words=_("%(path)s: %(verdict)s, expected %(expected)s, %(time)s in its slowest case") % words,
    )


def either(verdicts: Sequence[str]) -> str:
    """ "AC", "AC or TLE"."""
    words = "".join(verdicts[:1])
    for other in verdicts[1:]:
        words = _("%(verdicts)s or %(other)s") % {"verdicts": words, "other": other}
    return words


def _forecast_bar(forecast: Forecast, scale: TimeScale) -> Bar:
    """Return what the accepted submission needs, and on top of it what flushing each line would add."""
    base_x, x = scale.x(forecast.base_us), scale.x(forecast.forecast_us)
    return Bar(
        name=_("%(language)s, flushing each line") % {"language": short_language(forecast.language)},
        kind="forecast",
        verdict=forecast.verdict,
        time_us=forecast.forecast_us,
        is_as_expected=True,
        segments=(
            Segment(kind="in-time", x=0, width=max(_LEAST_WIDTH, base_x)),
            Segment(kind="flushing", x=base_x, width=max(0, round(x - base_x, 2))),
        ),
        is_beyond=forecast.forecast_us > scale.end_us,
        words=forecast.text,
    )


def _language_sentences(calibration: Calibration) -> Iterator[str]:
    """Yield what each language's slowest one needs, where there are several: one may be the reason for a long limit."""
    ones = calibration.by_language
    if len(ones) < 2:
        return
    fastest = ones[-1].cpu_time_us
    for run in ones:
        words = f"{short_language(run.language)}: {duration(run.cpu_time_us)} ({run.name})"
        if fastest and run.cpu_time_us >= 2 * fastest:
            times = _times(run.cpu_time_us / fastest)
            words = _("%(measured)s, %(times)s the fastest language") % {"measured": words, "times": times}
        yield words
    for name in calibration.excluded:
        yield _("Left out: %(submission)s") % {"submission": name}


def _times(factor: float) -> str:
    words = f"{factor:.1f}".removesuffix(".0") if factor < 100 else f"{factor:,.0f}"
    return ngettext("%(factor)s times", "%(factor)s times", plural_of(factor)) % {"factor": words}
