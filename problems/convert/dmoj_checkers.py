"""The checker or interactor of a DMOJ problem.

Source: "Custom checkers" and "Native interactive grading" in DMOJ's documentation of its problem format.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from problems.convert.dmoj_files import DmojFiles
from problems.convert.native import Content, Files
from problems.convert.testlib import Program, checker_files, includes, interactor_files, source_name
from problems.files import printable
from problems.keys import Keys

_OWN = Path(__file__).with_name("dmoj_checker.py")
_SOURCES = (".cpp", ".cc", ".cxx")
_TOLERANCES = {
    "default": "float_tolerance",
    "absolute": "float_absolute_tolerance",
    "relative": "float_relative_tolerance",
}
_LINES = "in Tally, line ends count as white space for this checker"
_BRIDGED_TYPES = ("default", "testlib")


@dataclass(frozen=True, kw_only=True, slots=True)
class Judging:
    """How outputs are judged: `flags` and `files` as in NativeProblem."""

    flags: tuple[str, ...] = ()
    files: Files = field(default_factory=dict)
    is_interactive: bool = False
    gives_points: bool = False
    wants_worth: bool = False  # the checker is told what a case is worth, as its last argument


def read_judging(keys: Keys, files: DmojFiles, *, is_scoring: bool) -> Judging:
    """Return what judges; what Tally cannot do goes into the report, by name."""
    if keys.has("interactive"):
        section = keys.section("interactive")
        program = _program(section, files)
        if keys.any("checker") is not None:
            keys.warn("checker", "is not used: the problem is interactive")
        if program is None:
            return Judging()
        made = interactor_files(program, None, gives_points=is_scoring)
        return Judging(files=made, is_interactive=True, gives_points=is_scoring)
    value = keys.any("checker")
    if isinstance(value, dict):
        section = keys.section("checker")
        name, arguments = section.text("name") or "", section.section("args")
        section.finish()
    else:
        name, arguments = keys.text("checker") or "standard", Keys({}, "init.yml", files.report, "checker.args.")
    judging = (
        _bridged(arguments, files, is_scoring=is_scoring) if name == "bridged" else _builtin(name, arguments, keys)
    )
    arguments.finish()
    return judging


def _builtin(name: str, arguments: Keys, keys: Keys) -> Judging:
    match name:
        case "standard" | "easy" | "unordered":
            return _own(name)
        case "sorted":
            return _own("unordered" if arguments.text("split_on") == "whitespace" else "sorted")
        case "rstripped":
            return _own("rstripped-full-lines" if arguments.flag("filter_new_line") else "rstripped")
        case "linecount":
            arguments.flag("feedback")
            return Judging(flags=("linecount",), files=_own("").files, gives_points=True, wants_worth=True)
        case "identical":
            arguments.flag("pe_allowed")
            return Judging(flags=("case_sensitive", "space_change_sensitive"))
        case "floats" | "floatsabs" | "floatsrel":
            mode = {"floatsabs": "absolute", "floatsrel": "relative"}.get(name) or arguments.text("error_mode")
            return _floats(mode or "default", arguments, keys)
    if name.endswith(".py"):
        keys.error("checker", f"{printable(name, 60)} is Python for DMOJ's own judge, which Tally cannot run")
    else:
        keys.error("checker", f"{printable(name, 60)} is none of the checkers of DMOJ that Tally knows")
    return Judging()


def _own(name: str) -> Judging:
    return Judging(flags=(name,), files={_OWN.name: _OWN})


def _floats(mode: str, arguments: Keys, keys: Keys) -> Judging:
    precision = arguments.any("precision")
    precision = 6 if precision is None else precision
    if isinstance(precision, bool) or not isinstance(precision, int) or not 0 <= precision <= 18:
        keys.error("checker.args.precision", "must be a whole number from 0 to 18")
        return Judging()
    if mode not in _TOLERANCES:
        keys.error("checker.args.error_mode", f"must be one of {', '.join(_TOLERANCES)}")
        return Judging()
    keys.warn("checker", _LINES)
    return Judging(flags=("case_sensitive", _TOLERANCES[mode], f"1e-{precision}"))


def _bridged(arguments: Keys, files: DmojFiles, *, is_scoring: bool) -> Judging:
    program = _program(arguments, files)
    arguments.flag("feedback")
    arguments.flag("cached")
    if program is None:
        return Judging()
    return Judging(files=checker_files(program, gives_points=is_scoring), gives_points=is_scoring)


def _program(keys: Keys, files: DmojFiles) -> Program | None:
    """The C++ program that the section names, with the files beside it."""
    names = keys.words("files") or ()
    language, kind = (keys.text("lang") or "").upper(), keys.text("type") or "default"
    for key in ("time_limit", "memory_limit", "compiler_time_limit", "preprocessing_time", "feedback"):
        keys.any(key)
    if kind not in _BRIDGED_TYPES:
        keys.error("type", f"{kind[:40]!r} is none that Tally can run ({', '.join(_BRIDGED_TYPES)})")
    for key in ("flags", "args_format_string"):
        if keys.any(key):
            keys.error(key, "is not supported: the program is compiled and called in one way only")
    mains = [name for name in names if PurePosixPath(name).suffix.lower() in _SOURCES]
    if len(mains) != 1 or (language and not language.startswith("CPP")):
        keys.error("files", "must name one C++ program (and files that it includes)")
        return None
    contents: dict[str, Content] = {}
    for name in names:
        path = files.find(name)
        if path is None:
            keys.error("files", f"{printable(name, 60)} is not beside init.yml")
        else:
            contents[PurePosixPath(name).name] = path
    main = PurePosixPath(mains[0]).name
    if main not in contents:
        return None
    _add_included(main, contents, files, keys)
    standard = re.sub(r"\D", "", language) or "17"
    name = source_name(main, is_python=False)
    return Program(name=name, content=contents.pop(main), standard=f"c++{standard}", others=contents)


def _add_included(main: str, contents: dict[str, Content], files: DmojFiles, keys: Keys) -> None:
    """Take what the program includes, such as testlib.h, from beside init.yml."""
    path = contents[main]
    for name in includes(path.read_bytes()) if isinstance(path, Path) else ():
        if name in contents:
            continue
        found = files.find(name)
        if found is not None:
            contents[name] = found
        elif name == "testlib.h":
            keys.error("files", "testlib.h is included but not in the archive: put it beside init.yml")
