"""The checker of outputs, the validators of inputs, the test data for both, and the generator of inputs by size.

Source: "Output validator", "Input validators" and "Validation test data" of the package format. Legacy packages say in
problem.yaml that they bring a checker, in 2025-09 the folder says it; DOMjudge takes either name of the folder.
BAPCtools also writes the names of the folders of test data in the plural.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from problems.diagnostics import Report
from problems.format.files import printable
from problems.format.problemyaml import ProblemYaml
from problems.format.programs import GRAMMARS, SCRIPTS, below, other_language_of, read_program
from problems.groups.cases import CaseFiles, find_pair
from problems.languages import language_of
from problems.package import PackageError, PackageProgram, TestCase
from problems.translation import Sentence

INPUT_FOLDERS = ("input_validators", "input_format_validators")
_GENERATORS, _GROWTH = "generators", "growth"
_VIVA = "viva"
Outputs = tuple[tuple[TestCase, Path], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckData:
    """Inputs that the validators must reject, and outputs that the checker must reject or accept.

    An invalid input has no answer: the path names a file that does not exist.
    """

    invalid_inputs: tuple[TestCase, ...]
    invalid_outputs: Outputs
    valid_outputs: Outputs


def has_own_validator(files: Iterable[str], values: ProblemYaml) -> bool:
    """Return whether the package brings its own checker: by problem.yaml in legacy, by the folder in 2025-09."""
    return values.is_custom if values.is_legacy else bool(below(files, _output_folders(files, values)[0]))


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
            why = Sentence("is custom, but %(folder)s/ holds no program", folder=folder)
            report.error("problem.yaml", "validation", why)
        elif values.is_interactive:
            why = Sentence(
                "is interactive, but %(folder)s/ holds no program for a submission to talk to", folder=folder
            )
            report.error("problem.yaml", "type", why)
        elif values.most_passes > 1:
            why = Sentence("is multi-pass, but %(folder)s/ holds no program for a submission to talk to", folder=folder)
            report.error("problem.yaml", "type", why)
        return None
    try:
        return read_program(root, _only_program(folder, inside, may_be_folder=not values.is_legacy), files)
    except PackageError as error:
        report.add(error)
        return None


def find_input_validators(root: Path, files: Mapping[str, Path], report: Report) -> tuple[PackageProgram, ...]:
    """Return the input validators by name, with a warning for one that Tally cannot run."""
    validators = []
    for folder in INPUT_FOLDERS:
        inside = below(files, folder)
        direct = [name for name in inside if "/" not in name]
        sources = [name for name in direct if language_of(name) or other_language_of(name)]
        if len(sources) == 1 and any(name.endswith((".h", ".hpp", ".hh")) for name in direct):
            sources = [""]  # with headers beside it, the folder is one program
        grammars = [name for name in direct if PurePosixPath(name).suffix in GRAMMARS]
        for name in sorted((*sources, *grammars, *{name.split("/")[0] for name in inside if "/" in name})):
            try:
                validators.append(read_program(root, f"{folder}/{name}".rstrip("/"), files))
            except PackageError as error:
                report.warn(error.file, "", Sentence("is not run: it %(why)s", why=error.why))
    return tuple(validators)


def find_growth_generator(
    root: Path,
    files: Mapping[str, Path],
    validators: Iterable[PackageProgram],
    cases: Iterable[TestCase],
    report: Report,
    *,
    has_one_input: bool,
) -> PackageProgram | None:
    """Return `generators/growth.*`, which prints an input of the size that is its argument, to measure growth.

    It is Tally's own addition: the package format leaves `generators/` to the setter's tools. None, with a warning, for
    one that Tally cannot run or cannot trust. `has_one_input`: a case is one run on one input, neither a conversation
    nor several passes.
    """
    parts = {PurePosixPath(PurePosixPath(name).parts[0]) for name in below(files, _GENERATORS)}
    no_programs = (*GRAMMARS, ".yaml", ".md", ".txt")
    programs = sorted(str(part) for part in parts if part.stem == _GROWTH and part.suffix not in no_programs)
    if not programs:
        return None
    name, why = f"{_GENERATORS}/{programs[0]}", None
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


def find_check_data(
    files: CaseFiles, cases: tuple[TestCase, ...], report: Report, *, has_outputs: bool, is_legacy: bool
) -> CheckData:
    """Return the data. `has_outputs`: the checker judges one whole output, not a conversation or several passes.

    Beside a test case, NAME.out is an output that must be accepted; legacy packages leave all kinds of files there.
    """
    for folder in ("invalid_answer", "invalid_answers"):
        if files.stems(f"data/{folder}"):
            report.warn(f"data/{folder}", "", Sentence("is not used: Tally runs no validators of answers"))
    examples = () if is_legacy or not has_outputs else cases
    invalid = tuple(_outputs("invalid_output", files, report, has_outputs=has_outputs))
    valid = tuple(_outputs("valid_output", files, report, has_outputs=has_outputs))
    beside = ((case, path) for case in examples if (path := files.path(f"data/{case.name}.out")))
    inputs = (
        files.case(stem, path, path.with_suffix(".ans"))
        for folder in ("invalid_input", "invalid_inputs")
        for stem in files.stems(f"data/{folder}", (".in",))
        if (path := files.path(f"{stem}.in"))
    )
    return CheckData(invalid_inputs=tuple(inputs), invalid_outputs=invalid, valid_outputs=(*beside, *valid))


def _output_folders(files: Iterable[str], values: ProblemYaml) -> tuple[str, str]:
    """Return the checker's folder, and another one that exists and is ignored ("" for none)."""
    order = ("output_validators", "output_validator") if values.is_legacy else ("output_validator", "output_validators")
    there = [folder for folder in order if below(files, folder)]
    if not there or (values.is_strict and there[0] != order[0]):
        return order[0], there[0] if there else ""
    return there[0], there[1] if len(there) > 1 else ""


def _only_program(folder: str, inside: list[str], *, may_be_folder: bool) -> str:
    """Return the name of the folder's only program, which in 2025-09 may be the folder itself. Raises PackageError."""
    sources = [name for name in inside if "/" in name or language_of(name) or other_language_of(name)]
    if may_be_folder and any("/" not in name and (name in sources or name in SCRIPTS) for name in inside):
        return folder
    programs = sorted({name.split("/")[0] for name in sources})  # each source file, and each folder
    if len(programs) != 1:
        names = ", ".join(map(printable, programs[:5])) or Sentence("none")
        why = Sentence(
            "must hold exactly one program: Tally runs one checker per problem (found: %(found)s)", found=names
        )
        raise PackageError(folder, "", why)
    return f"{folder}/{programs[0]}"


def _outputs(kind: str, files: CaseFiles, report: Report, *, has_outputs: bool) -> Iterator[tuple[TestCase, Path]]:
    for folder in (f"data/{kind}", f"data/{kind}s"):
        stems = files.stems(folder, (".in", ".ans", ".out"))
        if stems and not has_outputs:
            report.warn(folder, "", Sentence("is not used: the problem is interactive or multi-pass"))
            continue
        for stem in stems:
            pair = find_pair(stem, files, report)
            output = files.path(f"{stem}.out")
            if pair and output is None:
                report.error(printable(f"{stem}.in"), "", Sentence("has no output beside it: the file .out is missing"))
            elif pair and output:
                yield files.case(stem, *pair), output
