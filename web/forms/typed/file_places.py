"""Where a file of a new problem belongs, by its name: files that come all at once are sorted to the form's fields.

The page sorts by the same rules before it sends anything (`web/frontend/making/places.js` gets `RULES`), so each
pattern is one that Python and JavaScript read alike. A name that no rule knows has no place: a guess could show a
secret test to everybody as a file to download.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from problems.format.programs import GRAMMARS
from problems.languages import PACKAGE_LANGUAGES
from problems.statement.statement_files import PICTURE_TYPES

ALL_AT_ONCE = "all_files"  # the field that takes files for any place


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """A file whose name, in lower case, has this pattern somewhere belongs to this field."""

    place: str
    pattern: str


def _any(endings: Sequence[str]) -> str:
    return "(" + "|".join(re.escape(ending).lower() for ending in endings) + ")$"


_SOURCE = _any([ending for language in PACKAGE_LANGUAGES.values() for ending in language.extensions])
_END = r"([-_.\s\d].*)?" + _SOURCE  # of a source whose name begins with a word
# The first that fits counts.
RULES = (
    Rule(place="checker", pattern=r"^(check|output[-_\s]?validat|testlib)|\.(h|hpp|hh)$"),
    Rule(place="input_validator", pattern=rf"^(input[-_\s]?)?validat.*{_SOURCE}|{_any(list(GRAMMARS))}"),
    Rule(place="pictures", pattern=_any(list(PICTURE_TYPES))),
    Rule(place="tests", pattern=r"\.(zip|in|inp|out|ans|a|sol)$"),
    Rule(place="tests", pattern=r"^(in|input|out|output|ans|answer)[-_.\s]?\d+[^.]*(\.(txt|dat))?$|^\d+$"),
    Rule(place="jury_wrong_answer", pattern=rf"^(wa|wrong([-_\s]?answer)?){_END}"),
    Rule(
        place="jury_time_limit_exceeded",
        pattern=rf"^(tle|slow|too[-_\s]?slow|time[-_\s]?limit([-_\s]?exceeded)?){_END}",
    ),
    Rule(place="jury_run_time_error", pattern=rf"^(rte|re|crash|crashes|run[-_\s]?time[-_\s]?error){_END}"),
    Rule(place="jury_memory_limit_exceeded", pattern=rf"^(mle|memory([-_\s]?limit([-_\s]?exceeded)?)?){_END}"),
    Rule(place="jury_output_limit_exceeded", pattern=rf"^(ole|output[-_\s]?limit([-_\s]?exceeded)?){_END}"),
    Rule(place="jury_accepted", pattern=_SOURCE),
)


def place_of(name: str) -> str | None:
    """Return the field to which a file of this name belongs; None if the name does not tell."""
    return next((rule.place for rule in RULES if re.search(rule.pattern, name.lower())), None)


def sorted_to_places(files: Any) -> Any:
    """Return what a form was sent, with the files that came all at once at their places, as far as names tell them."""
    if not isinstance(files, MultiValueDict) or ALL_AT_ONCE not in files:
        return files
    sorted_files: MultiValueDict[str, UploadedFile[bytes]] = MultiValueDict(
        {name: list(files.getlist(name)) for name in files if name != ALL_AT_ONCE}
    )
    for file in files.getlist(ALL_AT_ONCE):
        sorted_files.appendlist(place_of(file.name or "") or ALL_AT_ONCE, file)
    return sorted_files
