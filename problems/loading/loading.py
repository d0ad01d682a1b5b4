"""Load a folder as a `Package`: read the parts one after another and report all errors together."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path

from problems.diagnostics import Report
from problems.format.domjudge import read_ini, seconds_to_ms
from problems.format.files import Caps, content_digest, digest_of, package_files
from problems.format.grading import NO_GRADING
from problems.format.included_files import find_included, find_submitted, warn_of_folders
from problems.format.interactions import find_interactions
from problems.format.origins import RECORD, Origins, read_origins
from problems.format.problemyaml import ProblemYaml, read_problem_yaml, why_missing
from problems.format.yamlfile import read_text, read_yaml
from problems.groups.cases import CaseFiles, find_test_cases, with_digest
from problems.groups.dialects import Readings, choose_dialect, expected_points, why_unsure
from problems.groups.folder_settings import GroupSettings
from problems.jury import validators
from problems.jury.expectations import FILE
from problems.jury.submissions import find_submissions
from problems.names import visible
from problems.package import Package, PackageError, PackageProgram, ProblemLimits, Statement, TestCase
from problems.statement import statement_files
from problems.testgroups import TestGroup
from problems.translation import Sentence, gettext_noop

_SMALL_FILE_BYTES = 64 * 1024
_INI = "domjudge-problem.ini"
# the template of a warning
UNGIVEN_LIMIT = gettext_noop("is not given: %(time_limit)s s is used until the jury's submissions were timed")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Folder:
    """The package folder during loading: its files by name, problem.yaml, and the errors so far."""

    root: Path
    files: Mapping[str, Path]
    values: ProblemYaml
    report: Report

    def text(self, name: str) -> str:
        """Return a small text file; "" with an error if it cannot be read."""
        try:
            return read_text(self.files[name], name, _SMALL_FILE_BYTES)
        except PackageError as error:
            self.report.add(error)
            return ""

    def domjudge_ini(self) -> dict[str, str]:
        """Return the values of domjudge-problem.ini; none if it is missing."""
        return read_ini(self.text(_INI)) if _INI in self.files else {}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Data:
    """The data that judges programs: test cases, checkers and validators, and scoring groups."""

    checker: PackageProgram | None
    input_validators: tuple[PackageProgram, ...]
    growth_generator: PackageProgram | None
    cases: tuple[TestCase, ...]
    checks: validators.CheckData
    groups: TestGroup | None
    domjudge_groups: TestGroup | None  # of a legacy scoring problem: the same in DOMjudge's dialect
    mark_of_kattis: str


def load_package(path: Path, caps: Caps | None = None) -> Package:
    """Return the package in the folder `path`. Raises PackageErrors with all errors."""
    report = Report()
    if not path.is_dir():
        report.error(path.name, "", Sentence("is not a folder"))
        report.stop_if_broken()
    root = Path(os.path.realpath(path))
    files = package_files(root, report, caps)
    try:
        origins = read_origins(files)
    except PackageError as error:
        report.add(error)
        origins = Origins()
    report.rename = origins.original
    values = ProblemYaml(is_legacy=True, names={}, is_custom=False, validator_flags=(), time_limit_ms=None)
    if "problem.yaml" in files:
        try:
            values = read_problem_yaml(read_yaml(files["problem.yaml"], "problem.yaml", report), report)
        except PackageError as error:
            report.add(error)
    else:
        report.error("problem.yaml", "", why_missing(name for name in files if "/" not in name))
    package = _read(_Folder(root=root, files=files, values=values, report=report))
    report.stop_if_broken()
    digest = cache(content_digest)  # each file is read once
    return replace(
        package,
        digest=digest_of(files, digest),
        test_cases=tuple(with_digest(case, digest) for case in package.test_cases),
        warnings=tuple(dict.fromkeys(report.warnings)),
        original=origins.original if origins else str,
    )


def _read(folder: _Folder) -> Package:
    """Return the package without its digests. It is complete only if the report has no error."""
    files, values, report = folder.files, folder.values, folder.report
    warn_of_folders(files, report)
    data = _read_data(folder)
    statements = statement_files.find_statements(files, report)
    submissions = find_submissions(folder.root, files, data.groups, report, is_legacy=values.is_legacy)
    included, name = find_included(files, report), _name(statements, folder)
    limits, is_time_limit_given = _limits(folder)
    package = Package(
        path=folder.root,
        short_name=folder.root.name,
        name=name,
        digest="",
        limits=limits,
        is_time_limit_given=is_time_limit_given,
        is_interactive=values.is_interactive,
        is_legacy=values.is_legacy,
        time_rule=values.time_rule,
        most_passes=values.most_passes,
        languages=values.languages,
        constants=values.constants,
        source=visible(values.source),
        credits=values.credits,
        keywords=values.keywords,
        test_cases=data.cases,
        statements=statement_files.with_titles(statements, values.names),
        validator_flags=values.validator_flags,
        output_validator=data.checker,
        input_validators=data.input_validators,
        growth_generator=data.growth_generator,
        groups=data.groups,
        has_checker_scores=data.groups is not None and data.checker is not None and values.has_checker_scores,
        submissions=submissions,
        interactions=find_interactions(
            files, report, is_interactive=values.is_interactive, is_dialogue=not values.has_outputs
        ),
        included=included,
        submitted=find_submitted(files, included, submissions, report),
        invalid_inputs=data.checks.invalid_inputs,
        invalid_outputs=data.checks.invalid_outputs,
        valid_outputs=data.checks.valid_outputs,
        attachments=statement_files.find_attachments(files),
        pictures=statement_files.find_pictures(files),
        drawings=statement_files.find_drawings(files),
    )
    return _in_dialect(package, data, folder)


def _in_dialect(package: Package, data: _Data, folder: _Folder) -> Package:
    """Return a legacy scoring package with its dialect, where that makes a difference."""
    # a converter that wrote the points means what it means, and its setter has no such file
    if data.groups is None or data.domjudge_groups is None or folder.report.errors or RECORD in folder.files:
        return package
    submissions = package.submissions
    has_tags = any(expected_points(submission) is not None for submission in submissions)
    is_partial = any(submission.name.startswith("partially_accepted/") for submission in submissions)
    of_kattis = {
        data.mark_of_kattis: bool(data.mark_of_kattis),
        "validation: custom score": folder.values.has_checker_scores,
        Sentence("grading in problem.yaml"): folder.values.grading != NO_GRADING,
        "submissions/partially_accepted": is_partial,
    }
    of_domjudge = {
        _INI: _INI in folder.files,
        Sentence("tags @EXPECTED_SCORE@"): has_tags and f"submissions/{FILE}" not in folder.files,
    }
    readings = Readings(
        kattis=data.groups,
        domjudge=data.domjudge_groups,
        has_checker=data.checker is not None,
        of_kattis=[mark for mark, is_present in of_kattis.items() if is_present],
        of_domjudge=[mark for mark, is_present in of_domjudge.items() if is_present],
    )
    if readings.is_one:
        return package
    dialect = choose_dialect(readings, package.submissions)
    if not dialect.is_certain:
        folder.report.warn("data", "accept_score", why_unsure(readings))
    limits = replace(package.limits, score_dialect=dialect.name)
    return replace(package, limits=limits, dialect=dialect, domjudge_groups=data.domjudge_groups)


def _read_data(folder: _Folder) -> _Data:
    files, values, report = folder.files, folder.values, folder.report
    checker = validators.find_output_validator(folder.root, files, values, report)
    input_validators = validators.find_input_validators(folder.root, files, report)
    settings = GroupSettings(files, values, report)
    settings.warn_of_unknown(input_validators)
    if not validators.has_own_validator(files, values):
        settings.check_flags()
    case_files = CaseFiles(files, settings, report)
    cases = find_test_cases(case_files, report)
    generator = validators.find_growth_generator(
        folder.root, files, input_validators, cases, report, has_one_input=values.has_outputs
    )
    checks = validators.find_check_data(
        case_files, cases, report, has_outputs=values.has_outputs, is_legacy=values.is_legacy
    )
    groups = settings.tree(cases) if settings.is_scoring() else None
    if groups is None:
        settings.warn_of_points()
    return _Data(
        checker=replace(checker, constants=values.constants) if checker else None,
        input_validators=tuple(replace(validator, constants=values.constants) for validator in input_validators),
        growth_generator=replace(generator, constants=values.constants) if generator else None,
        cases=cases,
        checks=checks,
        groups=groups,
        domjudge_groups=settings.in_domjudge(cases) if groups else None,
        mark_of_kattis=settings.mark_of_kattis(),
    )


def _name(statements: tuple[Statement, ...], folder: _Folder) -> str:
    """Return the title: problem.yaml's in the first statement's language, or the statement's own, or DOMjudge's."""
    names, report = folder.values.names, folder.report
    language = statements[0].language if statements else "en"
    if report.is_strict and statements and {*names} != {statement.language for statement in statements}:
        report.warn("problem.yaml", "name", Sentence("should be given in exactly the languages of the statements"))
    in_statements = map(statement_files.name_in_statement, statements)  # read only where nothing else has a title
    titles = filter(None, chain((names.get(language), *names.values()), in_statements))
    if name := next(titles, None) or visible(folder.domjudge_ini().get("name", "")):
        return name[:200]
    why = Sentence("is missing, and no statement gives one; %(name)s is used", name=folder.root.name)
    report.warn("problem.yaml", "name", why)
    return folder.root.name


def _limits(folder: _Folder) -> tuple[ProblemLimits, bool]:
    """Return the limits, and whether problem.yaml, .timelimit or domjudge-problem.ini gives the time limit."""
    limits, time_limit_ms = folder.values.limits, folder.values.time_limit_ms
    if time_limit_ms is None and ".timelimit" in folder.files:
        time_limit_ms = _seconds(folder.text(".timelimit"), ".timelimit", folder)
    if time_limit_ms is None and (text := folder.domjudge_ini().get("timelimit")) is not None:
        time_limit_ms = _seconds(text, _INI, folder)
    if folder.values.is_interactive and limits.read_calls:
        why = Sentence("is not used: how often a program reads in a conversation hangs on how the other side writes")
        folder.report.warn("problem.yaml", "limits.read_calls", why)
        limits = replace(limits, read_calls=0)
    if time_limit_ms is not None:
        return replace(limits, time_limit_ms=time_limit_ms), True
    why = Sentence(UNGIVEN_LIMIT, time_limit=f"{limits.time_limit_ms / 1000:g}")
    folder.report.warn("problem.yaml", "limits.time_limit", why)
    return limits, False


def _seconds(text: str, file: str, folder: _Folder) -> int | None:
    time_limit_ms = seconds_to_ms(text)
    if time_limit_ms is None:
        why = Sentence("must be a number of seconds above 0, not %(text)r", text=text.strip()[:40])
        folder.report.error(file, "timelimit", why)
    return time_limit_ms
