"""Other parts of a package: files compiled with every submission, and folders without effect.

Source: "Included files", "Static validator", "Graders" (legacy) and visualizers of the package format.
"""

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path

from problems.diagnostics import Report
from problems.format.files import printable
from problems.format.programs import below, fits_packet
from problems.languages import PACKAGE_LANGUAGES, language_of_code
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
