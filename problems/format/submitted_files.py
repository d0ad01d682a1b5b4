"""The file that a contestant sends, as a package expects it: its name, and the code to begin with.

A package whose own files are the program, such as one that asks for a function, names the submission's file in them:
`import NAME`, `mod NAME;`. No key says so; the name is that of a code template or of a jury submission that such a line
names. Source: "Included code" (legacy), "Included files" and "Code templates" (2025-09) of the package format.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from problems.diagnostics import Report
from problems.format.programs import below
from problems.format.yamlfile import read_text
from problems.languages import PACKAGE_LANGUAGES, PackageLanguage, language_of, language_of_code
from problems.package import JurySubmission, PackageError, SubmittedFile
from problems.translation import Sentence

TEMPLATES = "attachments/templates"
MOST_STARTER_BYTES = 64 * 1024
_DEFAULT = "default"
_MOST_SOURCE_BYTES = 512 * 1024

Included = Mapping[str, tuple[tuple[str, Path], ...]]


def find_submitted(
    files: Mapping[str, Path], included: Included, submissions: tuple[JurySubmission, ...], report: Report
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
        references = (pair for pair in pairs if language.refers_to(sources[pair[1]], pair[0]))
        name, frame = next(references, ("", ""))
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
