"""What the last verification report says of a time limit, in words."""

from django.utils.translation import gettext as _

from judge.uploads.time_limits import LEAST_FACTOR, Doubt, Needs
from web.presentation.units import duration, limit


def needs_in_words(needs: Needs) -> str:
    """Return what the jury's submissions needed when they were run last; "" where nothing is known."""
    near, far = needs.slowest_in_time, needs.fastest_too_slow
    parts = []
    if near:
        words = _("By the last report %(submission)s, the slowest that must be in time, needs %(time)s.")
        parts.append(words % {"submission": near.name, "time": duration(near.cpu_time_us)})
    if far:
        words = _("%(submission)s, the fastest that must be too slow, needs %(time)s or more.")
        parts.append(words % {"submission": far.name, "time": duration(far.cpu_time_us)})
    return " ".join(parts)


def doubts_in_words(needs: Needs, limit_ms: int) -> list[str]:
    """Return why this limit may be a slip, with the numbers of the last report."""
    far, near = needs.fastest_too_slow, _numbers(needs, limit_ms)
    sentences = []
    for doubt in needs.doubts(limit_ms):
        numbers = near
        if doubt is Doubt.TOO_SHORT:
            words = _(
                "%(submission)s must be in time and needs %(time)s: with a limit of %(limit)s it would be too slow."
            )
        elif doubt is Doubt.TOO_LONG and far:
            words = _(
                "%(submission)s must be too slow and was stopped after %(time)s: with a limit of %(limit)s it may pass."
            )
            numbers = near | {"submission": far.name, "time": duration(far.cpu_time_us)}
        elif needs.slowest_in_time is None:
            words = _("%(limit)s is very long, and no report says what the jury's submissions need.")
        else:
            words = _("%(limit)s is very long: %(submission)s, the slowest that must be in time, needs %(time)s.")
        sentences.append(words % numbers)
    return sentences


def warning_in_words(needs: Needs, limit_ms: int) -> str:
    """Return the warning that a limit in force leaves too little room; "" where it does not."""
    near = needs.slowest_in_time
    if near is None or not needs.is_close(limit_ms):
        return ""
    words = _("%(submission)s needs %(time)s of %(limit)s: the limit should be %(factor)s times what it needs.")
    return words % {**_numbers(needs, limit_ms), "factor": LEAST_FACTOR}


def _numbers(needs: Needs, limit_ms: int) -> dict[str, str]:
    near = needs.slowest_in_time
    of_near = {"submission": near.name, "time": duration(near.cpu_time_us)} if near else {}
    return {"submission": "", "time": "", **of_near, "limit": limit(limit_ms)}
