"""Have a source rewritten by the bounded reader. What is too much for it is a source that cannot be rewritten."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judge.grading.languages import Language
from sandbox.image.reading import CannotBeRead, Reader, Reading
from sandbox.types import MIB, Limits

_REWRITING = "judge.grading.reading.rewriting"
_LIMITS = Limits(
    cpu_time_ms=2_000, wall_time_ms=10_000, memory_bytes=1_024 * MIB, output_bytes=4 * MIB, overrun_percent=0
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rewritten:
    """A changed source. `codes`: the fixes that found something to change; `diff`: a unified diff, without its head."""

    source: str
    codes: tuple[str, ...]
    diff: tuple[str, ...]


def rewrite(reader: Reader, source: bytes, language: Language, codes: Sequence[str]) -> Rewritten | None:
    """Apply these fixes, one after the other. None if none of them applies, or the source cannot be read or is not
    UTF-8. Takes some 60 ms, at most some seconds; never raises.
    """
    if not codes:
        return None
    reading = Reading(module=_REWRITING, arguments=(language.id, *codes), stdin=source, limits=_LIMITS)
    try:
        answer: Any = reader.read(reading)
        rewritten = Rewritten(
            source=str(answer["source"]), codes=tuple(map(str, answer["codes"])), diff=tuple(map(str, answer["diff"]))
        )
    except (CannotBeRead, KeyError, TypeError):
        return None
    return rewritten if rewritten.codes else None
