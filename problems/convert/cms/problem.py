"""Read tasks of CMS, the olympiads' Contest Management System, in its Italian format: a folder with `task.yaml`.

The format: input/input0.txt with output/output0.txt and so on; check/ or cor/ has the checker, sol/ solutions and what
they are linked with, gen/ what made the inputs, att/ files for contestants, statement/ or testo/ PDFs. These files say
what kind of task it is. Programs read input.txt and write output.txt unless `infile` and `outfile` are there and empty.

Source: "Italian import format" in CMS's documentation, and what its loader italy_yaml reads.
"""

import re
from dataclasses import replace
from pathlib import PurePosixPath

from problems.convert.cms.programs import read_programs
from problems.convert.cms.scoring import GEN, CmsScoring, read_scoring
from problems.convert.native import Files, NativeCase, NativeProblem, NativeStatement
from problems.convert.scoring import Part, scored
from problems.convert.source import Source, find_statement, language_code, report_leftovers, title_of
from problems.format.files import MIB, printable
from problems.format.typed_mapping import Keys
from problems.format.yamlfile import read_yaml
from problems.translation import Sentence

_FILE = "task.yaml"
_MOST_NODES = 15_000
_MOST_SECONDS = 300
_MOST_MIB = 65_536
_STATEMENTS = ("statement", "testo")
_LANGUAGE = re.compile(r"([a-z]{2})([-_][A-Za-z]+)?", re.ASCII)
_WITHOUT_EFFECT = (
    # which of a contestant's submissions counts, and how many points are shown
    "score_mode", "score_precision",
    # who sees which result when; here the problem's settings say that
    "public_testcases", "risultati", "feedback_level", "token_mode", "token_max_number", "token_min_interval",
    "token_gen_initial", "token_gen_number", "token_gen_interval", "token_gen_max", "token_gen_time", "token_initial",
    "token_max", "token_total",
    # how often one may submit
    "max_submission_number", "max_user_test_number", "min_submission_interval", "min_user_test_interval",
    # a name for the data, and what authors note for their own tools
    "version", "only_gen", "syllabuslevel", "author", "authors", "source", "tags",
)  # fmt: skip
_OUTPUTS = ("output_only_testcases", "output_optional_testcases")
_COMMUNICATION = ("num_processes", "user_io")
_NO_TIME_LIMIT = Sentence("is missing, which is no limit in CMS: Tally's follows from the solutions")
_NO_MEMORY_LIMIT = Sentence("is missing, which is no limit in CMS: Tally's default holds")


def read_cms(source: Source) -> NativeProblem:
    """Return the problem; the report names what Tally does not support."""
    source.report.is_strict = True  # a key that CMS does not know either may be one of these, mistyped
    keys = Keys(read_yaml(source.files[_FILE], _FILE, source.report, most_nodes=_MOST_NODES), _FILE, source.report)
    programs = read_programs(source)
    _refuse_kinds(keys, is_communication=programs.is_communication)
    short_name = _either(keys, "name", "nome_breve") or source.short_name
    title = _either(keys, "title", "nome") or title_of(short_name)
    seconds = _limit(keys, ("time_limit", "timeout"), _MOST_SECONDS, _NO_TIME_LIMIT)
    memory = _limit(keys, ("memory_limit", "memlimit"), _MOST_MIB, _NO_MEMORY_LIMIT)
    statements = _statements(source, keys)
    scoring = read_scoring(keys, source, has_checker=programs.is_own)
    keys.finish(_WITHOUT_EFFECT)
    attachments: Files = {name.removeprefix("att/"): path for name, path in source.files.items() if _is_in(name, "att")}
    tests = _tests(source, scoring) if scoring else ()
    _report_leftovers(source, {*programs.names, *statements.values()}, len(tests))
    problem = NativeProblem(
        title=title,
        short_name=short_name,
        statements=tuple(
            NativeStatement(source=source.files[file], format="pdf", language=language)
            for language, file in statements.items()
        ),
        time_limit_ms=None if seconds is None else round(seconds * 1_000),
        memory_bytes=None if memory is None else round(memory * MIB),
        checker=programs.checker,
        submissions=programs.solutions,
        attachments=attachments,
        is_scoring=True,
        has_checker_scores=programs.is_own,
    )
    if not statements:
        beside = {name: path for name, path in source.files.items() if _is_in(name, *_STATEMENTS)}
        statement = find_statement(replace(source, files=beside))
        problem = replace(problem, statements=statement.statements, pictures=statement.pictures)
    if not problem.statements:
        source.report.warn("statement", "", Sentence("has no PDF: the problem gets no statement"))
    return _with_points(problem, scoring, tests, source) if scoring and tests else problem


def _with_points(
    problem: NativeProblem, scoring: CmsScoring, tests: tuple[NativeCase, ...], source: Source
) -> NativeProblem:
    if not any(subtask.points for subtask in scoring.subtasks):
        source.report.error(_FILE, "score_type_parameters", Sentence("give no points at all"))
    inside = {number for subtask in scoring.subtasks for number in subtask.cases}
    if outside := [f"input{number}.txt" for number in range(scoring.count) if number not in inside]:
        cases = ", ".join(outside[:5]) + (" ..." if len(outside) > 5 else "")
        why = Sentence("has test cases in no subtask, which are left out: %(cases)s", cases=cases)
        source.report.warn("input", "", why)
    parts = [Part(cases=tuple(tests[n] for n in subtask.cases), points=subtask.points) for subtask in scoring.subtasks]
    grouped = scored(parts, tells_worth=problem.has_checker_scores)
    return replace(problem, cases=grouped.cases, groups=grouped.groups)


def _refuse_kinds(keys: Keys, *, is_communication: bool) -> None:
    """Refuse tasks that are not a program with stdin and stdout. Other kinds of tasks make no use of files."""
    if is_output_only := keys.flag("output_only"):
        keys.error("output_only", Sentence("is set: contestants send outputs, not programs, which Tally does not take"))
    for key in _OUTPUTS:
        if keys.any(key) not in (None, ""):
            keys.error(key, Sentence("has contestants send outputs for some test cases, which Tally does not take"))
    for key in _COMMUNICATION:
        if keys.has(key):
            keys.error(key, Sentence("belongs to a communication task, which Tally does not convert"))
    for key, standard, default in (("infile", "stdin", "input.txt"), ("outfile", "stdout", "output.txt")):
        value = keys.any(key)
        if is_output_only or is_communication or value in ("", standard):
            continue
        if key not in keys.names():
            why = Sentence(
                "is missing, which means the file %(default)s in CMS: Tally runs programs with %(standard)s only. If "
                "the solutions use that, add %(key)s: ''",
                default=default,
                standard=standard,
                key=key,
            )
            keys.error(key, why)
        elif value is not None:
            why = Sentence(
                "is %(value)r: Tally runs programs with stdin and stdout only, not with files", value=str(value)[:40]
            )
            keys.error(key, why)


def _either(keys: Keys, key: str, older: str) -> str | None:
    first, second = keys.text(key), keys.text(older)
    return first if first is not None else second


def _limit(keys: Keys, names: tuple[str, ...], most: float, why_missing: Sentence) -> float | None:
    """Return the number under one of these names; if none is there, a warning names the default."""
    present = [key for key in names if keys.has(key)]
    if not present:
        keys.warn(names[0], why_missing)
        return None
    return keys.number(present[0], least=0, most=most)


def _statements(source: Source, keys: Keys) -> dict[str, str]:
    """Return the PDFs by language: one in the primary language, or several named after languages."""
    primary = _LANGUAGE.fullmatch(keys.text("primary_language") or "it")
    if primary is None:
        keys.error("primary_language", Sentence("must be the code of a language, like en"))
        return {}
    folders = [folder for folder in _STATEMENTS if any(_is_in(name, folder) for name in source.files)]
    if len(folders) > 1:
        why = Sentence("holds a statement, and statement/ another one: leave the one that counts")
        source.report.error("testo", "", why)
    by_language, single = {}, {}
    for name in source.files:
        path = PurePosixPath(name)
        if path.suffix.lower() != ".pdf" or path.parent.as_posix() not in folders:
            continue
        if path.stem in _STATEMENTS:
            single[primary[1]] = name
        elif language := language_code(path.stem):
            by_language[language] = name
    return by_language or single


def _tests(source: Source, scoring: CmsScoring) -> tuple[NativeCase, ...]:
    if not any(_is_in(name, "input") for name in source.files):
        why = Sentence("is missing, with all test cases: make them (cmsMake all) and pack the folder again")
        source.report.error("input", "", why)
        return ()
    cases = []
    for number in range(scoring.count):
        input_name, answer = f"input/input{number}.txt", f"output/output{number}.txt"
        for name in (input_name, answer):
            if name not in source.files:
                why = Sentence("is missing: there are %(count)s test cases, from number 0", count=scoring.count)
                source.report.error(name, "", why)
        contents = [source.files.get(name, b"") for name in (input_name, answer)]
        cases.append(NativeCase(name=f"{number:03}", input=contents[0], answer=contents[1]))
    return tuple(cases)


def _report_leftovers(source: Source, used: set[str], count: int) -> None:
    """Report unused files. gen/ and the statements' folders are not needed: inputs and PDFs exist already."""
    tests = {f"{place}/{place}{number}.txt" for place in ("input", "output") for number in range(count)}
    parts = {_FILE, GEN, *used, *tests}
    rest = [name for name in source.files if name not in parts and not _is_in(name, "att", *_STATEMENTS)]
    validators = [name for name in rest if re.fullmatch(r"gen/(valid\w*)\.\w+", name)]
    for name in validators:
        source.report.warn(printable(name), "", Sentence("is not run: it checks inputs in a way of CMS's own"))
    report_leftovers(source, [name for name in rest if not _is_in(name, "gen")], Sentence("a task of CMS"))


def _is_in(name: str, *folders: str) -> bool:
    return name.startswith(tuple(f"{folder}/" for folder in folders))
