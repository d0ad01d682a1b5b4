"""The generator of inputs by size: `generators/growth.*`, a program that Tally runs to measure how a program grows.

It is Tally's own addition to the package format, which leaves `generators/` to the setter's tools: those run it like
any generator, which gets arguments and prints an input. Its one argument is the size.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from problems.diagnostics import Report
from problems.format.programs import GRAMMARS, below, read_program
from problems.package import PackageError, PackageProgram, TestCase
from problems.translation import Sentence

FOLDER, STEM = "generators", "growth"
_VIVA = "viva"


def find_growth_generator(
    root: Path,
    files: Mapping[str, Path],
    validators: Iterable[PackageProgram],
    cases: Iterable[TestCase],
    report: Report,
    *,
    has_one_input: bool,
) -> PackageProgram | None:
    """Return the package's generator; None, with a warning, for one that Tally cannot run or cannot trust.

    `has_one_input`: a case is one run on one input, neither a conversation nor several passes.
    """
    parts = [PurePosixPath(name).parts[0] for name in below(files, FOLDER)]
    named = sorted({part for part in parts if PurePosixPath(part).stem == STEM})
    programs = [part for part in named if PurePosixPath(part).suffix not in (*GRAMMARS, ".yaml", ".md", ".txt")]
    name = f"{FOLDER}/{programs[0]}" if programs else None
    if name is None:
        return None
    why = None
    if not has_one_input:
        why = Sentence("is not used: growth is measured on cases of one run, without an interactor")
    elif all(validator.language == _VIVA for validator in validators):
        why = Sentence("is not used: no input validator checks what it prints")
    elif any(case.args or case.files for case in cases):
        why = Sentence("is not used: programs of this problem get arguments or files beside their input")
    if why is not None:
        report.warn(name, "", why)
        return None
    try:
        return read_program(root, name, files)
    except PackageError as error:
        report.warn(error.file, "", Sentence("is not run: it %(why)s", why=error.why))
        return None
