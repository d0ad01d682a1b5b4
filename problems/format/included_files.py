"""Files compiled with every submission, the file that a contestant sends beside them, and folders without effect.

A package whose own files are the program, such as one that asks for a function, names the submission's file in them:
`import NAME`, `mod NAME;`. No key says so; the name is that of a code template or of a jury submission that such a line
names.

Source: "Included code", "Static validator", "Graders" (legacy), "Included files", "Code templates" and visualizers
(2025-09) of the package format.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from problems.diagnostics import Report
from problems.format.files import printable
from problems.format.programs import below, fits_packet
from problems.format.yamlfile import read_text
from problems.languages import PACKAGE_LANGUAGES, PackageLanguage, language_of, language_of_code
from problems.package import JurySubmission, PackageError, SubmittedFile
from problems.translation import Sentence

Files = tuple[tuple[str, Path], ...]
_KNOWN = (  # folders of the format, and of the tools that people write packages with
    "attachments", "data", "generators", "include", "input_format_validators", "input_validators", "input_visualizer",
    "output_validator", "output_validators", "problem_slide", "problem_statement", "solution", "statement",
    "submissions",
)  # fmt: skip
_UNUSED = {
    "answer_validators": Sentence(
        "is not used: Tally runs no validators of answers, the checker judges each answer instead"
    ),
    "graders": Sentence("is not used: Tally grades with the format's default grader"),
    "output_visualizer": Sentence("is not used: Tally draws no pictures of outputs"),
    "static_validator": Sentence("is not run: what it would reject in a submission's source is not rejected"),
}
_DEFAULT = "default"
_ALIKE = 0.85
_MOST_FILES = 400
_MOST_NAMES_BYTES = 16 * 1024


def find_included(files: Mapping[str, Path], report: Report) -> dict[str, Files]:
    """Return language -> the files added to every submission in it; files for all languages come first.

    Folders of languages that Tally does not run are left out.
    """
    names = below(files, "include")
    folders: dict[str, dict[str, Path]] = {}
    for name in names:
        code, _, inside = name.partition("/")
        if inside:
            folders.setdefault(code, {})[inside] = files[f"include/{name}"]
        else:
            why = Sentence("is not used: files lie in a folder per language, or in default/")
            report.warn(printable(f"include/{name}"), "", why)
    shared = folders.get(_DEFAULT, {})
    by_language: dict[str, Files] = {}
    for language in PACKAGE_LANGUAGES:
        included = dict(shared)
        for code in folders:
            included |= folders[code] if language_of_code(code) == language else {}
        if not included:
            continue
        by_language[language] = tuple(included.items())
        if nested := next((name for name in included if "/" in name), None):
            why = Sentence(
                "of include/ lies in a folder: a program in %(language)s finds such files beside itself only",
                language=language,
            )
            report.error("include", printable(nested), why)
        if not fits_packet(included, _MOST_FILES, _MOST_NAMES_BYTES):
            why = Sentence(
                "holds more than %(most)s files for %(language)s, or names of more than 16 KiB",
                most=_MOST_FILES,
                language=language,
            )
            report.error("include", "", why)
    return by_language


def warn_of_folders(files: Iterable[str], report: Report) -> None:
    """Warn of folders that Tally does not use, and of likely misspellings."""
    for folder in sorted({name.split("/")[0] for name in files if "/" in name}):
        close = difflib.get_close_matches(folder, (*_KNOWN, *_UNUSED), n=1, cutoff=_ALIKE)
        if folder in _UNUSED:
            report.warn(folder, "", _UNUSED[folder])
        elif folder not in _KNOWN and close:
            why = Sentence("is no folder of the format and is not used; did you mean %(name)s?", name=close[0])
            report.warn(printable(folder), "", why)


TEMPLATES = "attachments/templates"
MOST_STARTER_BYTES = 64 * 1024
_MOST_SOURCE_BYTES = 512 * 1024


def find_submitted(
    files: Mapping[str, Path], included: Mapping[str, Files], submissions: tuple[JurySubmission, ...], report: Report
) -> dict[str, SubmittedFile]:
    """Return language -> what the package says of a submission's file; a language without a word about it is left out.

    `included` are the package's own files by language.
    """
    by_language = {}
    for language in PACKAGE_LANGUAGES.values():
        own = dict(included.get(language.id, ()))
        templates = templates_of(files, language)
        sources = {name: _text(path) for name, path in own.items() if language_of(name) == language.id}
        jury = [submission for submission in submissions if submission.language == language.id]
        of_jury = (name for submission in jury for name in (dict(submission.files) or (submission.path.name,)))
        names = [name for name in dict.fromkeys([*templates, *of_jury]) if language.is_file_name(name)]
        pairs = ((name, source) for name in names if name not in own for source in sources)
        name, frame = next((pair for pair in pairs if language.refers_to(sources[pair[1]], pair[0])), ("", ""))
        entries = [entry for entry in language.entry_names if entry in own]
        submitted = SubmittedFile(name=name, reserved=tuple(sources), entry=entries[0] if entries else frame)
        preferred = submitted.name if submitted.name in templates else next(iter(templates), "")
        if preferred and language.is_file_name(preferred) and preferred not in own:
            starter = _starter(files[templates[preferred]], templates[preferred], report)
            submitted = replace(submitted, usual=preferred, starter=starter)
        if submitted != SubmittedFile():
            by_language[language.id] = submitted
    return by_language


def templates_of(files: Mapping[str, Path], language: PackageLanguage) -> dict[str, str]:
    """Return the code templates in a language by name: their names in the package. Its own go before the default."""
    folders = {name.split("/")[0] for name in below(files, TEMPLATES) if "/" in name}
    own = sorted(folder for folder in folders if language_of_code(folder) == language.id)
    return {
        name: f"{TEMPLATES}/{folder}/{name}"
        for folder in own or [_DEFAULT]
        for name in sorted(below(files, f"{TEMPLATES}/{folder}"))
        if "/" not in name and language_of(name) == language.id
    }


def _text(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_MOST_SOURCE_BYTES).decode("utf-8", "replace")


def _starter(path: Path, name: str, report: Report) -> str:
    try:
        text = read_text(path, name, MOST_STARTER_BYTES)
    except PackageError as error:
        report.warn(name, "", Sentence("is not shown in the editor: it %(why)s", why=error.why))
        return ""
    if "\0" in text:
        report.warn(name, "", Sentence("is not shown in the editor: it holds a NUL character"))
        return ""
    return text.replace("\r\n", "\n")
