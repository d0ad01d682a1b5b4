"""From a folder to a `Package`: the parts are read one after another, and all that is wrong is told at once."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from problems.cases import find_test_cases
from problems.files import Caps, digest_of, package_files
from problems.flags import parse_flags
from problems.groups import GroupSettings
from problems.interactions import find_interactions
from problems.package import Package, PackageError, ProblemLimits, Statement, TestCase
from problems.programs import find_output_validator, find_submissions, has_own_validator
from problems.report import Report
from problems.schema import ProblemYaml, read_domjudge_ini, read_problem_yaml, seconds_to_ms
from problems.statements import find_attachments, find_pictures, find_statements, name_in_statement, with_titles
from problems.yamlfile import read_text, read_yaml

_SMALL_FILE_BYTES = 64 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class _Folder:
    """The package folder while it is read: its files by name, and what was found."""

    files: Mapping[str, Path]
    report: Report


def load_package(path: Path, caps: Caps | None = None) -> Package:
    """Return the package in the folder `path`. Raises PackageErrors with all that is wrong."""
    report = Report()
    if not path.is_dir():
        report.error(path.name, "", "is not a folder")
        report.stop_if_broken()
    root = Path(os.path.realpath(path))
    folder = _Folder(files=package_files(root, report, caps), report=report)
    values = _problem_yaml(folder)
    validator = find_output_validator(
        root, folder.files, report, is_legacy=values.is_legacy, is_custom=values.is_custom
    )
    _check_interactor(values, folder)
    _refuse_unsupported_folders(folder)
    cases = find_test_cases(folder.files, report)
    statements = find_statements(folder.files, report)
    flags = _validator_flags(values, cases, folder)
    cases = tuple(replace(case, validator_args=flags) for case in cases)
    package = Package(
        path=root,
        short_name=root.name,
        name=_name(root.name, values, statements, folder),
        digest="",
        limits=_limits(values, folder),
        test_cases=cases,
        statements=with_titles(statements, values.names),
        attachments=find_attachments(folder.files),
        pictures=find_pictures(folder.files),
        validator_flags=flags,
        is_legacy=values.is_legacy,
        output_validator=validator,
        submissions=find_submissions(root, folder.files, report),
        is_interactive=values.is_interactive,
        interactions=find_interactions(folder.files, report, is_interactive=values.is_interactive),
        source=values.source,
        warnings=tuple(report.warnings),
    )
    report.stop_if_broken()
    return replace(package, digest=digest_of(folder.files), warnings=tuple(report.warnings))


def package_digest(path: Path) -> str:
    """Return the digest of the package in the folder without reading it. Raises PackageErrors (links, caps)."""
    report = Report()
    files = package_files(path, report)
    report.stop_if_broken()
    return digest_of(files)


def _problem_yaml(folder: _Folder) -> ProblemYaml:
    nothing = ProblemYaml(is_legacy=True, names={}, is_custom=False, validator_flags=(), time_limit_ms=None)
    if "problem.yaml" not in folder.files:
        folder.report.error("problem.yaml", "", "is missing: it must lie at the top of the package")
        return nothing
    try:
        data = read_yaml(folder.files["problem.yaml"], "problem.yaml", folder.report)
    except PackageError as error:
        folder.report.add(error)
        return nothing
    return read_problem_yaml(data, folder.report)


def _check_interactor(values: ProblemYaml, folder: _Folder) -> None:
    if values.is_interactive and not has_own_validator(
        folder.files, is_legacy=values.is_legacy, is_custom=values.is_custom
    ):
        why = "is interactive, but output_validator/ holds no program for a submission to talk to"
        folder.report.error("problem.yaml", "type", why)


def _refuse_unsupported_folders(folder: _Folder) -> None:
    for name in ("include", "static_validator", "graders"):
        if any(file.startswith(f"{name}/") for file in folder.files):
            folder.report.error(name, "", "is not supported yet")


def _name(short_name: str, values: ProblemYaml, statements: tuple[Statement, ...], folder: _Folder) -> str:
    """The title: problem.yaml's in the first statement's language, or the statement's own, or DOMjudge's."""
    language = statements[0].language if statements else "en"
    if folder.report.is_strict and statements and {*values.names} != {statement.language for statement in statements}:
        folder.report.warn("problem.yaml", "name", "should be given in exactly the languages of the statements")
    for found in (values.names.get(language), *values.names.values()):
        if found:
            return found[:200]
    for statement in statements:
        if found := name_in_statement(statement):
            return found[:200]
    if found := _domjudge_ini(folder).get("name"):
        return found[:200]
    folder.report.warn("problem.yaml", "name", f"is missing, and no statement gives one; {short_name} is used")
    return short_name


def _limits(values: ProblemYaml, folder: _Folder) -> ProblemLimits:
    """The limits with the time limit of problem.yaml, or .timelimit, or domjudge-problem.ini, or the default."""
    found = values.time_limit_ms
    if found is None and ".timelimit" in folder.files:
        found = _seconds(_small_text(".timelimit", folder), ".timelimit", folder)
    if found is None and (text := _domjudge_ini(folder).get("timelimit")) is not None:
        found = _seconds(text, "domjudge-problem.ini", folder)
    if found is None:
        default_s = values.limits.time_limit_ms / 1000
        folder.report.warn("problem.yaml", "limits.time_limit", f"is not given: {default_s:g} s is used")
        return values.limits
    return replace(values.limits, time_limit_ms=found)


def _seconds(text: str, file: str, folder: _Folder) -> int | None:
    time_limit_ms = seconds_to_ms(text)
    if time_limit_ms is None:
        folder.report.error(file, "timelimit", f"must be a number of seconds above 0, not {text.strip()[:40]!r}")
    return time_limit_ms


def _domjudge_ini(folder: _Folder) -> dict[str, str]:
    if "domjudge-problem.ini" not in folder.files:
        return {}
    return read_domjudge_ini(_small_text("domjudge-problem.ini", folder))


def _small_text(name: str, folder: _Folder) -> str:
    try:
        return read_text(folder.files[name], name, _SMALL_FILE_BYTES)
    except PackageError as error:
        folder.report.add(error)
        return ""


def _validator_flags(values: ProblemYaml, cases: tuple[TestCase, ...], folder: _Folder) -> tuple[str, ...]:
    """The checker's flags: problem.yaml's (legacy) followed by those of the test groups, which must agree."""
    settings = GroupSettings(folder.files, folder.report)
    found = {case.name: settings.flags_of(f"data/{case.name}") for case in cases}
    of_groups = {group.flags if group else () for group in found.values()}
    if len(of_groups) > 1:
        files = sorted({group.file if group else f"none for {name}" for name, group in found.items()})
        folder.report.error(
            ", ".join(files[:4]), "output_validator_args", "differ between test groups, which is not supported yet"
        )
    group = next(iter(found.values()), None)
    flags = values.validator_flags + (group.flags if group else ())
    if not has_own_validator(folder.files, is_legacy=values.is_legacy, is_custom=values.is_custom):
        file, key = (group.file, "output_validator_args") if group else ("problem.yaml", "validator_flags")
        try:
            parse_flags(flags, file=file, key=key)
        except PackageError as error:
            folder.report.add(error)
    return flags
