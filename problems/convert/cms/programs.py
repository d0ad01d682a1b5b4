"""The programs of a CMS task: its checker, its solutions, and those that make the task unsupported.

The format: check/checker (or cor/correttore) is the compiled checker, of which CMS reads nothing else; its source lies
beside it by custom. It is called with input, right output and the contestant's output, and prints the part of the
points on stdout, from 0 to 1, and words for the contestant on stderr; any exit code but 0 is its own fault.

Source: "Task types" and "Italian import format" in CMS's documentation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from problems.convert.native import Content, Files
from problems.convert.source import Source, suffix_of
from problems.convert.testlib import FEEDBACK, HEADER, Program, includes, script_folder, source_name
from problems.format.files import content_digest, printable
from problems.format.programs import other_language_of
from problems.languages import language_of
from problems.translation import Sentence

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
