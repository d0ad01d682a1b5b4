"""Fields of the form for a problem that is typed: several files in one field, samples in rows; each file's field."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from django import forms
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext, gettext_lazy as _

from judge.grading.checkers.testlib import HEADER, includes_header
from problems.archive.entrynames import why_refused
from problems.convert.native import Content
from problems.editing.draft import TypedSample, plain_lines
from problems.format.files import Caps, printable
from problems.format.programs import GRAMMARS
from problems.languages import PACKAGE_LANGUAGES, any_of, language_names, language_of
from problems.statement.statement_files import PICTURE_TYPES
from problems.translation import translated
from web.forms.fields import FilesInput

MOST_SAMPLES = 50
_SOURCE_BYTES = 1024 * 1024
_EXTENSIONS = [language.extensions[0] for language in PACKAGE_LANGUAGES.values()]
_HEADERS = (".h", ".hpp", ".hh")


class FilesField(forms.FileField):
    """Any number of files; the value is a mapping from their names to them. `endings`: the only ones that it takes."""

    def __init__(self, *, endings: Iterable[str] = (), **kwargs: Any) -> None:
        self.endings = tuple(endings)
        attrs = {"multiple": True, "hx-preserve": "true", "accept": ",".join(self.endings)}
        widget = FilesInput(attrs={name: value for name, value in attrs.items() if value})
        super().__init__(required=False, allow_empty_file=True, widget=widget, **kwargs)

    def clean(self, data: Any, initial: Any = None) -> "dict[str, UploadedFile[bytes]]":
        """Raises ValidationError for a name that no package may have, and for the same name twice."""
        files: dict[str, UploadedFile[bytes]] = {}
        for upload in data or ():
            file = cast("UploadedFile[bytes]", super().clean(upload, None))
            name = file.name or "file"
            words = {"name": printable(name), "why": translated(why_refused(name, Caps()))}
            if name in files:
                raise forms.ValidationError(_("%(name)s was added twice.") % words)
            if words["why"]:
                raise forms.ValidationError(_("%(name)s %(why)s.") % words)
            if self.endings and not name.lower().endswith(self.endings):
                words["endings"] = ", ".join(self.endings)
                raise forms.ValidationError(_("%(name)s is not one of these kinds: %(endings)s.") % words)
            files[name] = file
        return files


class ProgramField(FilesField):
    """The files of one program: a source that Tally runs, and headers beside it. `with_grammars`: or one of these."""

    def __init__(self, *, with_grammars: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.grammars = tuple(GRAMMARS) if with_grammars else ()

    def clean(self, data: Any, initial: Any = None) -> "dict[str, UploadedFile[bytes]]":
        """Raises ValidationError if it is not one program."""
        files = super().clean(data, initial)
        if not files:
            return files
        sources = [name for name in files if language_of(name) or name.endswith(self.grammars)]
        others = [name for name in files if name not in sources and not name.endswith(_HEADERS)]
        if len(sources) != 1 or others:
            kinds = translated(any_of(_EXTENSIONS)) + "".join(f", {ending}" for ending in self.grammars)
            why = _("Choose one source file (%(kinds)s) and the headers (.h) that it includes.")
            raise forms.ValidationError(why % {"kinds": kinds})
        if any((file.size or 0) > _SOURCE_BYTES for file in files.values()):
            raise forms.ValidationError(_("A source file may have at most 1 MiB."))
        if uses_testlib(files) and HEADER not in files:
            why = _("%(source)s includes %(header)s: choose both files.")
            raise forms.ValidationError(why % {"source": sources[0], "header": HEADER})
        return files


class SubmissionsField(FilesField):
    """Programs of one file each."""

    def clean(self, data: Any, initial: Any = None) -> "dict[str, UploadedFile[bytes]]":
        """Raises ValidationError for a program that Tally cannot run."""
        files = super().clean(data, initial)
        for name in files:
            if language_of(name) is None:
                raise forms.ValidationError(why_not_run(name))
        return files


class _SampleRows(forms.Widget):
    """Rows of three controls each: `sample_name`, `sample_input`, `sample_answer`. Drawn by the template."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[TypedSample]:
        lists = [cast(QueryDict, data).getlist(f"sample_{part}") for part in ("name", "input", "answer")]
        return [
            TypedSample(name=name, input=plain_lines(case_input), answer=plain_lines(answer))
            for name, case_input, answer in zip(*lists, strict=False)
        ]


class SamplesField(forms.Field):
    """Samples; a row with nothing in it is none."""

    widget = _SampleRows

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)

    def clean(self, value: list[TypedSample]) -> tuple[TypedSample, ...]:
        """Raises ValidationError for too many."""
        samples = tuple(sample for sample in value if sample.input.strip() or sample.answer.strip())
        if len(samples) > MOST_SAMPLES:
            raise forms.ValidationError(_("A page shows at most %(most)s samples.") % {"most": MOST_SAMPLES})
        if any("\0" in sample.input + sample.answer for sample in samples):
            raise forms.ValidationError(_("A sample contains a NUL character."))
        return samples


def why_not_run(name: str) -> str:
    """Return that Tally runs no program of this name, as a sentence."""
    words = {"name": printable(name), "languages": translated(language_names()), "endings": ", ".join(_EXTENSIONS)}
    return gettext("%(name)s is not in %(languages)s (%(endings)s).") % words


def content_of(file: "UploadedFile[bytes]") -> Content:
    """Return the file's content: its path, or its bytes if a small request kept them in memory."""
    if isinstance(file, TemporaryUploadedFile):
        return Path(file.temporary_file_path())
    file.seek(0)
    content: bytes = file.read()
    return content


def contents(files: "Mapping[str, UploadedFile[bytes]]", folder: str = "") -> dict[str, Content]:
    """Return the files' contents by name, below the folder."""
    return {f"{folder}/{name}" if folder else name: content_of(file) for name, file in files.items()}


def uses_testlib(files: "Mapping[str, UploadedFile[bytes]]") -> bool:
    """Return whether the program includes testlib.h. Call for small files."""
    read = {}
    for name, file in files.items():
        file.seek(0)
        read[name] = file.read()
    return includes_header(read)


# Files that come all at once are sorted to the form's fields by their names. The page sorts by the same rules before it
# sends anything (`web/frontend/making/places.js` gets `RULES`), so each pattern is one that Python and JavaScript read
# alike. A name that no rule knows has no place: a guess could show a secret test to everybody as a file to download.
ALL_AT_ONCE = "all_files"  # the field that takes files for any place


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """A file whose name, in lower case, has this pattern somewhere belongs to this field."""

    place: str
    pattern: str


def _any(endings: Sequence[str]) -> str:
    return "(" + "|".join(re.escape(ending).lower() for ending in endings) + ")$"


_SOURCE_END = _any([ending for language in PACKAGE_LANGUAGES.values() for ending in language.extensions])
_AFTER_WORD = r"([-_.\s\d].*)?" + _SOURCE_END  # of a source whose name begins with a word
# The first that fits counts.
RULES = (
    Rule(place="checker", pattern=r"^(check|output[-_\s]?validat|testlib)|\.(h|hpp|hh)$"),
    Rule(place="input_validator", pattern=rf"^(input[-_\s]?)?validat.*{_SOURCE_END}|{_any(list(GRAMMARS))}"),
    Rule(place="pictures", pattern=_any(list(PICTURE_TYPES))),
    Rule(place="tests", pattern=r"\.(zip|in|inp|out|ans|a|sol)$"),
    Rule(place="tests", pattern=r"^(in|input|out|output|ans|answer)[-_.\s]?\d+[^.]*(\.(txt|dat))?$|^\d+$"),
    Rule(place="jury_wrong_answer", pattern=rf"^(wa|wrong([-_\s]?answer)?){_AFTER_WORD}"),
    Rule(
        place="jury_time_limit_exceeded",
        pattern=rf"^(tle|slow|too[-_\s]?slow|time[-_\s]?limit([-_\s]?exceeded)?){_AFTER_WORD}",
    ),
    Rule(place="jury_run_time_error", pattern=rf"^(rte|re|crash|crashes|run[-_\s]?time[-_\s]?error){_AFTER_WORD}"),
    Rule(place="jury_memory_limit_exceeded", pattern=rf"^(mle|memory([-_\s]?limit([-_\s]?exceeded)?)?){_AFTER_WORD}"),
    Rule(place="jury_output_limit_exceeded", pattern=rf"^(ole|output[-_\s]?limit([-_\s]?exceeded)?){_AFTER_WORD}"),
    Rule(place="jury_accepted", pattern=_SOURCE_END),
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
