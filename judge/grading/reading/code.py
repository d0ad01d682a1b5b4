"""What a source does on which line, as its grammar reads it: never in a comment or a string.

`judge.grading.bounded` reads it. Of a source that is too much for the reader nothing is known.
"""

from dataclasses import dataclass

from judge.grading.reading.places import Deed, Place, Stream


@dataclass(frozen=True, slots=True)
class Code:
    """The deeds of a source by place; empty if the source could not be read."""

    places: tuple[Place, ...] = ()

    def find(
        self, *deeds: Deed, streams: tuple[Stream, ...] = (), repeated: bool = False, names: tuple[str, ...] = ()
    ) -> tuple[Place, ...]:
        """Return the places of these deeds, filtered by streams and names if given; `repeated` keeps only repeated
        ones.
        """
        return tuple(
            place
            for place in self.places
            if place.deed in deeds
            and (not streams or place.stream in streams)
            and (not names or place.name in names)
            and (place.is_repeated or not repeated)
        )

    def has(self, *deeds: Deed, streams: tuple[Stream, ...] = (), repeated: bool = False) -> bool:
        """Return whether there is such a place."""
        return bool(self.find(*deeds, streams=streams, repeated=repeated))


def lines_of(places: tuple[Place, ...]) -> tuple[int, ...]:
    """Return the line numbers of these places, each once, in order."""
    return tuple(sorted({place.line for place in places}))
