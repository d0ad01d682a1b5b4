"""The validators of a package: the checker of outputs, and the validators of inputs.

Source: "Output validator" and "Input validators" of the package format. Legacy packages say in problem.yaml that they
bring a checker, in 2025-09 the folder says it; DOMjudge takes either name of the folder.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from problems.diagnostics import Report
from problems.format.files import printable
from problems.format.problemyaml import ProblemYaml
from problems.format.programs import GRAMMARS, SCRIPTS, below, other_language_of, read_program
from problems.languages import language_of
from problems.package import PackageError, PackageProgram
from problems.translation import Sentence

INPUT_FOLDERS = ("input_validators", "input_format_validators")


def has_own_validator(files: Iterable[str], values: ProblemYaml) -> bool:
    """Return whether the package brings its own checker: by problem.yaml in legacy, by the folder in 2025-09."""
    if values.is_legacy:
        return values.is_custom
    folder, _ = _output_folders(files, values)
    return bool(below(files, folder))


def find_output_validator(
    root: Path, files: Mapping[str, Path], values: ProblemYaml, report: Report
) -> PackageProgram | None:
    """Return the package's checker, None for the default validator. `root` is the real path of the package."""
    folder, unread = _output_folders(files, values)
    if unread:
        report.warn(unread, "", Sentence("is not used: in this format the checker lies in %(folder)s/", folder=folder))
    inside = below(files, folder)
    if values.is_legacy and not values.is_custom:
        if inside:
            report.warn(folder, "", Sentence("is not used: problem.yaml does not say validation: custom"))
        return None
    if not inside:
        if values.is_custom:
            report.error(
                "problem.yaml", "validation", Sentence("is custom, but %(folder)s/ holds no program", folder=folder)
            )
        elif values.is_interactive or values.most_passes > 1:
            why = (
                Sentence("is interactive, but %(folder)s/ holds no program for a submission to talk to", folder=folder)
                if values.is_interactive
                else Sentence(
                    "is multi-pass, but %(folder)s/ holds no program for a submission to talk to", folder=folder
                )
            )
            report.error("problem.yaml", "type", why)
        return None
    name = _only_program(folder, inside, report, may_be_folder=not values.is_legacy)
    try:
        return read_program(root, name, files) if name else None
    except PackageError as error:
        report.add(error)
        return None


def find_input_validators(root: Path, files: Mapping[str, Path], report: Report) -> tuple[PackageProgram, ...]:
    """Return the input validators by name, with a warning for one that Tally cannot run."""
    validators = []
    for folder in INPUT_FOLDERS:
        inside = below(files, folder)
        for name in _input_programs(inside):
            try:
                validators.append(read_program(root, f"{folder}/{name}".rstrip("/"), files))
            except PackageError as error:
                report.warn(error.file, "", Sentence("is not run: it %(why)s", why=error.why))
    return tuple(validators)


def _output_folders(files: Iterable[str], values: ProblemYaml) -> tuple[str, str]:
    """Return the checker's folder, and another one that exists and is ignored ("" for none)."""
    order = ("output_validators", "output_validator") if values.is_legacy else ("output_validator", "output_validators")
    there = [folder for folder in order if below(files, folder)]
    if not there or (values.is_strict and there[0] != order[0]):
        return order[0], there[0] if there else ""
    return there[0], there[1] if len(there) > 1 else ""


def _only_program(folder: str, inside: list[str], report: Report, *, may_be_folder: bool) -> str | None:
    """Return the name of the folder's only program, which in 2025-09 may be the folder itself."""
    if may_be_folder and any("/" not in name and _is_source(name) for name in inside):
        return folder
    sources = [name for name in inside if "/" in name or language_of(name) or other_language_of(name)]
    programs = sorted({name.split("/")[0] for name in sources})  # each source file, and each folder
    if len(programs) != 1:
        names = ", ".join(map(printable, programs[:5])) or Sentence("none")
        report.error(
            folder,
            "",
            Sentence(
                "must hold exactly one program: Tally runs one checker per problem (found: %(found)s)", found=names
            ),
        )
        return None
    return f"{folder}/{programs[0]}"


def _input_programs(inside: list[str]) -> list[str]:
    """Return each source file, grammar and folder; one source with others beside it (headers) is one program: ""."""
    files = [name for name in inside if "/" not in name]
    sources = [name for name in files if language_of(name) or other_language_of(name)]
    headers = [name for name in files if PurePosixPath(name).suffix in (".h", ".hpp", ".hh")]
    grammars = [name for name in files if PurePosixPath(name).suffix in GRAMMARS]
    folders = {name.split("/")[0] for name in inside if "/" in name}
    if len(sources) == 1 and headers:
        sources = [""]
    return sorted((*sources, *grammars, *folders))


def _is_source(name: str) -> bool:
    return language_of(name) is not None or other_language_of(name) is not None or name in SCRIPTS
