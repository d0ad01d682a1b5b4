"""What came of running a case with its output buffered: both runs on one scale, and what may be said of them.

A claim needs identical output. Everything else is said as it is: how far the two could be compared, or that they
differ.
"""

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from judge.grading.events import BufferedRun, MeasuredRun
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
    went_on: bool = False  # the run as it is came to its end here, and the judged one was stopped before it


def buffered_view(result: TestCaseResult, limit_ms: int, rounding: Rounding) -> BufferedView | None:
    """Return the rerun of a case; None when there is none."""
    rerun = result.buffered
    if rerun is None:
        return None
    if not rerun.is_identical and (rerun.is_whole or not _is_beginning(rerun)):
        return BufferedView(claim=Claim(text=str(_DIFFERENT)), runs=(), scale=None)
    plain_times, buffered_times = _times(rerun.plain, rounding), _times(rerun.buffered, rounding)
    scale = time_scale([plain_times, buffered_times], limit_ms * 1_000)

    def view(title: str, run: MeasuredRun, times: RunTimes) -> RunView:
        return RunView(
            title=title,
            times=times,
            cpu_us=rounding.cpu_time_us(run.usage.cpu_time_us),
            bar=scale.bar(times),
            write_calls=rounding.write_calls(run.io.write_calls),
            verdict=run.verdict,
        )

    plain = view(_("as it is"), rerun.plain, plain_times)
    buffered = view(_("buffered"), rerun.buffered, buffered_times)
    if not rerun.is_identical:
        claim = _claim_of_a_part(plain, buffered, rounding.count(rerun.same_bytes))
    elif is_faster(rerun.buffered.usage.cpu_time_us, rerun.plain.usage.cpu_time_us):
        claim = _claim_of_less_time(plain, buffered, was_accepted=result.verdict == Verdict.AC)
    else:
        claim = _claim_of_no_less_time(plain, buffered, was_accepted=result.verdict == Verdict.AC)
    if buffered.verdict is Verdict.TLE and buffered.cpu_us > limit_ms * 1_000:
        claim = replace(claim, text=f"{claim.text} {_not_enough(buffered, limit_ms)}")
    return BufferedView(
        claim=claim, runs=(plain, buffered), scale=scale, went_on=rerun.is_whole and _was_stopped(result, rerun)
    )


def _claim_of_less_time(plain: RunView, buffered: RunView, *, was_accepted: bool) -> Claim:
    """Return what identical output in less time proves."""
    measured = _("Measured: %(buffered)s instead of %(plain)s.") % _durations(plain, buffered)
    if buffered.verdict is not Verdict.AC:
        text = _(buffered.verdict.record.when_buffered)
    elif was_accepted:
        text = ""
    elif plain.verdict is Verdict.AC:
        text = _("This time it was accepted as it is, too.")
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
    measured = _("It makes no difference: %(buffered)s with output buffered, %(plain)s as it is.")
    return Claim(measured=measured % _durations(plain, buffered), text=_why_nothing_is_gained(plain, buffered))


def _why_nothing_is_gained(plain: RunView, buffered: RunView) -> str:
    calls = {"calls": count(plain.write_calls), "left": count(buffered.write_calls)}
    if plain.write_calls <= _FEW_WRITES:
        few = ngettext(
            "As it is, it makes %(calls)s write call.", "As it is, it makes %(calls)s write calls.", plain.write_calls
        )
        return few % calls
    if buffered.write_calls * 2 > plain.write_calls:
        stayed = ngettext(
            "Of %(calls)s write call, %(left)s stayed: they could not be buffered.",
            "Of %(calls)s write calls, %(left)s stayed: they could not be buffered.",
            plain.write_calls,
        )
        return stayed % calls
    return _("Fewer write calls do not make it faster.")


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


def _not_enough(buffered: RunView, limit_ms: int) -> str:
    """Return that buffering is only the first step, and what the next one is."""
    return _(
        "Buffering alone is not enough: %(time)s, and the limit is %(limit)s. Next: print less often. Gather about "
        "1,000 lines in one string, and print it with one call."
    ) % {"time": duration(buffered.cpu_us), "limit": limit(limit_ms)}


def _was_stopped(result: TestCaseResult, rerun: BufferedRun) -> bool:
    """Return whether the judged run ended at its time limit, with writes still to come."""
    return result.verdict == Verdict.TLE and result.write_calls < rerun.plain.io.write_calls


def _is_beginning(rerun: BufferedRun) -> bool:
    """Return whether all that the stopped run wrote is the beginning of what the buffered one wrote."""
    return rerun.same_bytes == rerun.plain.stdout_bytes + rerun.plain.stderr_bytes


def _times(run: MeasuredRun, rounding: Rounding) -> RunTimes:
    usage = run.usage
    return RunTimes(
        user_us=rounding.time_us(usage.user_time_us),
        system_us=rounding.time_us(usage.system_time_us),
        waiting_us=rounding.time_us(usage.waiting_time_us),
    )
