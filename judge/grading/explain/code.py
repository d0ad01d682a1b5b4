"""Find what a source does on which line, as its grammar reads it: never in a comment or a string.

How it works: the source goes to a process of its own, with limits on time and memory and as nobody in particular,
which parses it and answers in JSON. A source that is too much for it is a source of which nothing is known, and so is
one that the machine had no room for: nothing is kept, so that another grading asks again.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.grading.languages import Language
from judge.grading.languages.syntax.walking import Deed, Place, Stream
from sandbox.jail.patience import output_of

_WALL_S = 10  # its own limit is on CPU time; this one is for a machine that gives it none
_ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Code:
    """The deeds of a source by place; empty if the source could not be read."""

    places: tuple[Place, ...] = ()

    def find(
        self,
        *deeds: Deed,
        streams: tuple[Stream, ...] = (),
        repeated: bool = False,
        names: tuple[str, ...] = (),
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


def read_code(source: bytes, language: Language) -> Code:
    """Parse a source, whatever its bytes are. Takes some 60 ms, at most some seconds; never raises."""
    command = [sys.executable, "-P", "-m", "judge.grading.languages.syntax", language.id]
    environment = {"PATH": os.defpath, "PYTHONPATH": str(_ROOT)}
    try:
        said = output_of(command, _WALL_S, stdin=source, env=environment, cwd="/")
        return Code(tuple(_place(value) for value in json.loads(said)))
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):  # OSError: no room for a process
        return Code()


def lines_of(places: tuple[Place, ...]) -> tuple[int, ...]:
    """Return the line numbers of these places, each once, in order."""
    return tuple(sorted({place.line for place in places}))


def _place(value: dict[str, Any]) -> Place:
    return Place(
        line=int(value["line"]),
        deed=Deed(value["deed"]),
        stream=Stream(value["stream"]),
        name=str(value["name"]),
        is_repeated=bool(value["is_repeated"]),
        words=tuple(str(word) for word in value["words"]),
    )
