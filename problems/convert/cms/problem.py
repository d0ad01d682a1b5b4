"""Read tasks of CMS, the olympiads' Contest Management System, in its Italian format: a folder with `task.yaml`.

The format: input/input0.txt with output/output0.txt and so on; check/ or cor/ has the checker, sol/ solutions and what
they are linked with, gen/ what made the inputs, att/ files for contestants, statement/ or testo/ PDFs. These files say
what kind of task it is. Programs read input.txt and write output.txt unless `infile` and `outfile` are there and empty.

check/checker (or cor/correttore) is the compiled checker, of which CMS reads nothing else; its source lies beside it by
custom. It is called with input, right output and the contestant's output, and prints the part of the points on stdout,
from 0 to 1, and words for the contestant on stderr; any exit code but 0 is its own fault.

Source: "Task types" and "Italian import format" in CMS's documentation, and what its loader italy_yaml reads.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from problems.convert.cms.scoring import GEN, CmsScoring, read_scoring
from problems.convert.native import Content, Files, NativeCase, NativeProblem, NativeStatement
from problems.convert.scoring import Part, scored
from problems.convert.source import Source, find_statement, language_code, report_leftovers, suffix_of, title_of
from problems.convert.testlib import FEEDBACK, HEADER, Program, includes, script_folder, source_name
from problems.format.files import MIB, content_digest, printable
from problems.format.programs import other_language_of
from problems.format.typed_mapping import Keys
from problems.format.yamlfile import read_yaml
from problems.languages import language_of
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


_OWN = Path(__file__).with_name("cms_checker.py")
_PLACES = {"check": "checker", "cor": "correttore"}
_COMPILED = (".cpp", ".cc", ".cxx", ".c++", ".c")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc")
_SOLUTIONS = ("solution", "soluzione")  # which make the right outputs
_STANDARD = "gnu++17"
_MOST_SOURCE = 1024 * 1024
_RUN = r"""worth=$4
output=$feedback/output
cat > "$output"
{checker} "$input" "$answer" "$output" > "$words" 2> "$message"
code=$?
part=$(LC_ALL=C awk -v worth="$worth" '
{{
    gsub(/[ \t\r\f\v]+/, " ")
    gsub(/^ | $/, "")
    if ($0 ~ /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/) {{
        if ($0 + 0 == 0) print "wrong"
        else if (0 < $0 + 0 && $0 + 0 < 1) printf "%.9f", worth * $0
        else if (1 <= $0 + 0 && $0 + 0 <= 1.000000001) print "right"
    }}
    exit
}}' "$words")
first=$(head -c 100 "$words")
rm -f "$words" "$output"
case "$code $part" in
    "0 wrong") exit 43 ;;
    "0 right") exit 42 ;;
    "0 "[0-9]*) echo "$part" > "$feedback/score.txt"; exit 42 ;;
esac
cat "$message" >&2
echo "the checker exited with $code and gave '$first', which is no number from 0 to 1" >&2
exit 1
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class CmsPrograms:
    """The programs: `checker` as in NativeProblem, whether it is the task's own, and the names of files used."""

    checker: Files
    is_own: bool
    is_communication: bool = False
    solutions: Files = field(default_factory=dict)
    names: frozenset[str] = frozenset()


def read_programs(source: Source) -> CmsPrograms:
    """Return checker and solutions; the report names programs that make the task unsupported."""
    refused = _refuse_linked(source)
    checker, used = _checker(source)
    solutions = {
        name: f"accepted/{path.name}"
        for name in source.files
        if (path := PurePosixPath(name)).parent.as_posix() == "sol" and path.stem in _SOLUTIONS and path.suffix
    }
    others = [name for name in source.files if name.startswith("sol/") and name not in {*solutions, *refused}]
    if others:
        files = ", ".join(printable(name, 40) for name in others[:5]) + (" ..." if len(others) > 5 else "")
        why = Sentence("has files that are left out, since CMS does not say what they get: %(files)s", files=files)
        source.report.warn("sol", "", why)
    return CmsPrograms(
        checker=checker or {_OWN.name: _OWN},
        is_own=bool(used),
        is_communication=any(_is_manager(name) for name in refused),
        solutions={target: source.files[name] for name, target in solutions.items()},
        names=frozenset({*refused, *used, *solutions, *others}),
    )


def _refuse_linked(source: Source) -> set[str]:
    linked = set()
    for name in source.files:
        path = PurePosixPath(name)
        folder, stem = path.parent.as_posix(), path.name.partition(".")[0].lower()
        why = None
        if _is_manager(name):
            why = Sentence(
                "makes this a communication task, in which a manager talks to submissions: Tally does not convert those"
            )
        elif folder == "sol" and stem == "stub":
            why = Sentence(
                "is a stub, which CMS links submissions with in a communication task: Tally does not convert those"
            )
        elif folder == "sol" and stem == "grader":
            why = Sentence("is a grader, which CMS links submissions with: Tally judges whole programs only")
        elif folder == "sol" and (path.suffix.lower() in _HEADERS or path.name.lower().endswith("lib.pas")):
            why = Sentence(
                "is a header, which CMS puts beside submissions that have a grader: Tally judges whole programs only"
            )
        if why:
            source.report.error(printable(name), "", why)
            linked.add(name)
    return linked


def _is_manager(name: str) -> bool:
    folder, _, file = name.rpartition("/")
    return folder in _PLACES and file.partition(".")[0].lower() == "manager"


def _checker(source: Source) -> tuple[Files, set[str]]:
    """Return the task's own checker and its files; nothing for both if it has none."""
    places: dict[str, list[str]] = {}  # the files of a checker by its folder
    for name in source.files:
        path = PurePosixPath(name)
        if _PLACES.get(path.parent.as_posix()) == path.name.partition(".")[0]:
            places.setdefault(path.parent.as_posix(), []).append(name)
    if not places:
        return {}, set()
    used = {name for names in places.values() for name in names}
    contents = {tuple(sorted(content_digest(source.files[name]) for name in names)) for names in places.values()}
    if len(contents) > 1:  # cor/ is often a copy of check/
        source.report.error("cor", "", Sentence("holds a checker, and check/ another one: leave the one that counts"))
        return {}, used
    folder = min(places)
    program = _program(folder, places[folder], source)
    if program is None:
        return {}, used
    beside = {f"{place}/{header}" for place in _PLACES for header in program.others}
    run = HEADER + FEEDBACK + _RUN.format(checker=program.command("checker.bin"))
    return script_folder("checker", run, {"checker.bin": program}), used | beside


def _program(folder: str, names: Sequence[str], source: Source) -> Program | None:
    """Return the checker from its source; None after an error. Compiled files are ignored, since it is built again."""
    sources = [name for name in names if PurePosixPath(name).suffix in (*_COMPILED, ".py")]
    foreign = [name for name in names if (other_language_of(name) or language_of(name)) and name not in sources]
    binary = next((name for name in names if not PurePosixPath(name).suffix), "")
    if not sources and not foreign and binary:  # it may be a script of Python 3
        with source.files[binary].open("rb") as file:
            first = file.readline(200)
        if first.startswith(b"#!") and b"python" in first and b"python2" not in first:
            sources = [binary]
    if len(sources) != 1:
        name = (sources or foreign or [binary])[0] or names[0]
        if sources:
            why = Sentence("is one of %(number)s sources of the checker: leave one", number=len(sources))
        elif foreign:
            language = other_language_of(name) or language_of(name) or ""
            why = Sentence("is a checker in %(language)s: Tally runs those in C++, C and Python 3", language=language)
        else:
            why = Sentence(
                "is a checker without its source: put that beside it, since it is compiled for another machine"
            )
        source.report.error(printable(name), "", why)
        return None
    (name,) = sources
    is_python = PurePosixPath(name).suffix in ("", ".py")
    others: dict[str, Content] = {}
    if not is_python:
        beside = (other for other in source.files if PurePosixPath(other).parent.as_posix() == folder)
        others = {PurePosixPath(other).name: source.files[other] for other in beside if suffix_of(other) in _HEADERS}
        text = source.files[name].read_bytes() if source.files[name].stat().st_size < _MOST_SOURCE else b""
        for header in includes(text):
            if header not in others:
                why = Sentence("is missing: %(name)s includes it", name=printable(name))
                source.report.error(f"{folder}/{header}", "", why)
    main = source_name(name, ".py" if is_python else ".c" if name.endswith(".c") else ".cpp")
    return Program(name=main, content=source.files[name], standard=_STANDARD, others=others)
