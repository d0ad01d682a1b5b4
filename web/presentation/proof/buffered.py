"""What came of running a case with its output buffered: both runs on one scale, and what may be said of them.

A claim needs identical output.
"""

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from judge.grading.margin import FAR
from judge.grading.sameness import is_faster
from judge.grading.verdicts import Verdict
from judge.models import TestCaseResult
from web.access.rounding import Rounding
from web.presentation.charts import RunTimes, TimeBar, TimeScale, time_scale
from web.presentation.units import count, duration, limit

_FEW_WRITES = 100
_DIFFERENT = gettext_lazy(
    "The program was run as it is and with output buffered, and what it wrote was not the same, or not its exit "
    "code. That is so when it hangs on the time, on chance or on addresses. So nothing is claimed."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunView:
    """One of the two runs. `bar` is drawn on the rerun's scale."""

    title: str
    times: RunTimes
    cpu_us: int
    bar: TimeBar
    write_calls: int
    verdict: Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """What may be said of a rerun: `measured` is the sentence with the two times, `text` what follows from it."""

    measured: str = ""
    text: str = ""
    is_proof: bool = False  # the same output, in less time or in few enough calls


@dataclass(frozen=True, kw_only=True, slots=True)
class BufferedView:
    """A rerun for one reader. `runs` is empty when the two cannot be compared: then there is nothing to draw."""

    claim: Claim
    runs: tuple[RunView, ...]
    scale: TimeScale | None
    has_all_stderr: bool = True  # False: only stdout was compared
    went_on: bool = False  # the run as it is came to its end here, and the judged one was stopped before it


def buffered_view(result: TestCaseResult, limit_ms: int, rounding: Rounding) -> BufferedView | None:
    """Return the rerun of a case; None when there is none."""
    rerun = result.buffered
    if rerun is None:
        return None
    wrote = rerun.plain.stdout_bytes + rerun.plain.stderr_bytes
    # All that a stopped run wrote is to be the beginning of what the buffered one wrote.
    if not rerun.is_identical and (rerun.is_whole or rerun.same_bytes != wrote):
        return BufferedView(claim=Claim(text=str(_DIFFERENT)), runs=(), scale=None)
    runs = (rerun.plain, rerun.buffered)
    times = [
        RunTimes(
            user_us=rounding.time_us(run.usage.user_time_us),
            system_us=rounding.time_us(run.usage.system_time_us),
            waiting_us=rounding.time_us(run.usage.waiting_time_us),
        )
        for run in runs
    ]
    scale = time_scale(times, limit_ms * 1_000)
    plain, buffered = (
        RunView(
            title=title,
            times=of_run,
            cpu_us=rounding.cpu_time_us(run.usage.cpu_time_us),
            bar=scale.bar(of_run),
            write_calls=rounding.write_calls(run.io.write_calls),
            verdict=run.verdict,
        )
        for title, run, of_run in zip((_("as it is"), _("buffered")), runs, times, strict=True)
    )
    if not rerun.is_identical:
        claim = _claim_of_a_part(plain, buffered, rounding.count(rerun.same_bytes))
    elif is_faster(rerun.buffered.usage.cpu_time_us, rerun.plain.usage.cpu_time_us):
        claim = _claim_of_less_time(plain, buffered, limit_ms, was_accepted=result.verdict == Verdict.AC)
    else:
        claim = _claim_of_no_less_time(plain, buffered, was_accepted=result.verdict == Verdict.AC)
    if buffered.verdict is Verdict.TLE and buffered.cpu_us > limit_ms * 1_000:
        next_step = _(
            "Buffering alone is not enough: %(time)s, and the limit is %(limit)s. Next: print less often. Gather about "
            "1,000 lines in one string, and print it with one call."
        ) % {"time": duration(buffered.cpu_us), "limit": limit(limit_ms)}
        claim = replace(claim, text=f"{claim.text} {next_step}")
    was_stopped = result.verdict == Verdict.TLE and result.write_calls < rerun.plain.io.write_calls
    return BufferedView(
        claim=claim,
        runs=(plain, buffered),
        scale=scale,
        has_all_stderr=rerun.has_all_stderr,
        went_on=rerun.is_whole and was_stopped,
    )


def _claim_of_less_time(plain: RunView, buffered: RunView, limit_ms: int, *, was_accepted: bool) -> Claim:
    """Return what identical output in less time proves."""
    measured = _("Measured: %(buffered)s instead of %(plain)s.") % _durations(plain, buffered)
    if buffered.verdict is not Verdict.AC:
        text = _(buffered.verdict.record.when_buffered)
    elif was_accepted:
        text = ""
    elif plain.verdict is Verdict.AC:
        text = _("This time it was accepted as it is, too.")
    elif buffered.cpu_us * FAR > limit_ms * 1_000:  # one run, or the median of three, does not tell more
        text = _("That run was within the limit of %(limit)s.") % {"limit": limit(limit_ms)}
    else:
        text = _(Verdict.AC.record.when_buffered)
    return Claim(measured=measured, text=text, is_proof=True)


def _claim_of_no_less_time(plain: RunView, buffered: RunView, *, was_accepted: bool) -> Claim:
    """Return what identical output proves where fewer calls were needed, else that nothing is gained."""
    needs_fewer_calls = plain.verdict is Verdict.SLE and buffered.verdict is Verdict.AC
    if needs_fewer_calls and buffered.write_calls < plain.write_calls:
        measured = ngettext(
            "Measured: %(calls)s write call instead of %(before)s.",
            "Measured: %(calls)s write calls instead of %(before)s.",
            buffered.write_calls,
        ) % {"calls": count(buffered.write_calls), "before": count(plain.write_calls)}
        text = "" if was_accepted else _(Verdict.AC.record.when_buffered)
        return Claim(measured=measured, text=text, is_proof=True)
    calls = {"calls": count(plain.write_calls), "left": count(buffered.write_calls)}
    if plain.write_calls <= _FEW_WRITES:
        why = ngettext(
            "As it is, it makes %(calls)s write call.", "As it is, it makes %(calls)s write calls.", plain.write_calls
        )
    elif buffered.write_calls * 2 > plain.write_calls:
        why = ngettext(
            "Of %(calls)s write call, %(left)s stayed: they could not be buffered.",
            "Of %(calls)s write calls, %(left)s stayed: they could not be buffered.",
            plain.write_calls,
        )
    else:
        why = _("Fewer write calls do not make it faster.")
    measured = _("It makes no difference: %(buffered)s with output buffered, %(plain)s as it is.")
    return Claim(measured=measured % _durations(plain, buffered), text=why % calls)


def _claim_of_a_part(plain: RunView, buffered: RunView, same_bytes: int) -> Claim:
    """Return what may be said if the run as it is did not come to an end."""
    measured = _("With output buffered, the program ended after %(time)s of CPU time.") % {
        "time": duration(buffered.cpu_us)
    }
    text = ngettext(
        "Without buffering, it did not finish within %(time)s. Up to that point both outputs are identical (%(bytes)s "
        "byte). The rest cannot be compared, so Tally draws no conclusion.",
        "Without buffering, it did not finish within %(time)s. Up to that point both outputs are identical (%(bytes)s "
        "bytes). The rest cannot be compared, so Tally draws no conclusion.",
        same_bytes,
    ) % {"time": duration(plain.cpu_us), "bytes": count(same_bytes)}
    return Claim(measured=measured, text=text)


def _durations(plain: RunView, buffered: RunView) -> dict[str, str]:
    return {"buffered": duration(buffered.cpu_us), "plain": duration(plain.cpu_us)}
