"""Log grading events: names, verdicts and times, nothing of a source or of test data."""

import logging

from judge.events import CompileFinished, Event, GradingFinished, TestCaseJudged, TestCaseProfiled

_logger = logging.getLogger(__name__)


def log(event: Event) -> None:
    """Log one line once the event is in the database; steps between compilation and verdict have level DEBUG."""
    match event:
        case CompileFinished(ok=True):
            _logger.info("compiled%s", _ms(event.wall_time_us) or ", kept from an earlier time")
        case CompileFinished():
            _logger.info("refused by the compiler%s", _ms(event.wall_time_us))
        case TestCaseJudged():
            cpu_time = _ms(event.usage.cpu_time_us)
            _logger.debug("case %s: %s%s of CPU time", event.name, event.verdict.value, cpu_time)
        case TestCaseProfiled():
            _logger.debug("case %s: %s", event.name, "profiled" if event.profile else f"no profile: {event.problem}")
        case GradingFinished():
            _logger.info("verdict %s", event.verdict.value)


def _ms(microseconds: int | None) -> str:
    return "" if microseconds is None else f" in {microseconds / 1_000:.1f} ms"
