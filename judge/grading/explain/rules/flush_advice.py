"""Find the constructs that flush output piece by piece, and what to use instead, in the words of the language."""

from dataclasses import dataclass

from judge.grading.explain.evidence.rule import Telling
from judge.grading.languages import Language
from judge.grading.reading.code import Code
from judge.grading.reading.places import Deed, Place, Stream
from problems.translation import gettext as _

_BETWEEN = ", "
_OUT = (Stream.STDOUT, Stream.UNKNOWN)


@dataclass(frozen=True, kw_only=True, slots=True)
class Advised:
    """The places that do it, and what they are called, as evidence: "endl, flush"."""

    construct: str
    places: tuple[Place, ...]


def advise(code: Code, language: Language) -> Advised | None:
    """Return what flushes stdout again and again in the source; None if no known construct does."""
    unbuffered = code.find(Deed.UNBUFFER, streams=_OUT)
    direct = code.find(Deed.FLUSH, streams=_OUT, repeated=True) + code.find(
        Deed.WRITE, streams=(Stream.STDOUT,), repeated=True
    )
    # A stream that is known is better than a parameter, which may be a file.
    direct = tuple(place for place in direct if place.stream is Stream.STDOUT) or direct
    places, reads = (*unbuffered, *direct), language.advice.reads_that_flush
    if not places and reads and code.has(Deed.PRINT, streams=_OUT, repeated=True) and not code.has(Deed.UNTIE):
        places = code.find(Deed.READ, streams=(Stream.STDIN,), repeated=True, names=reads.names)
    if not places:
        return None
    names = (reads.construct if reads and place.deed is Deed.READ else place.name for place in places)
    return Advised(construct=_BETWEEN.join(dict.fromkeys(names)), places=places)


def what_to_do(telling: Telling) -> str:
    """Return the advice about the constructs that a finding names."""
    constructs = telling.language.advice.constructs if telling.language else {}
    names = telling.text("construct").split(_BETWEEN)
    return " ".join(dict.fromkeys(_(constructs[name]) for name in names if name in constructs))
