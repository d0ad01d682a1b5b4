"""Read the checker or interactor of a DMOJ problem, bridged checkers included, which judge by their exit code.

| type | arguments | accepts, rejects | a part of the points |
| --- | --- | --- | --- |
| default | input, output, answer | 0, 1 | |
| testlib | input, output, answer | 0, 1 or 2 | code 7, `points N` on stderr |
| coci | input, output, answer | 0, 1 or 2 | code 7, `partial A/B` on stderr |
| peg | answer, output, input | 0, 1 | A and B as lines of stdout one after the other |

Any other code is the program's own fault. Sources: "Custom checkers" and "Native interactive grading" in DMOJ's
documentation of its problem format; its documentation of bridged checkers, and its judge's modules.
"""

import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from problems.convert import testlib
from problems.convert.dmoj import dmoj_checker, dmoj_python
from problems.convert.dmoj.files import DmojFiles
from problems.convert.limited import asked
from problems.convert.native import Files
from problems.format.files import printable
from problems.format.typed_mapping import Keys
from problems.format.yamlfile import read_text
from problems.package import PackageError
from problems.translation import Sentence

TYPES = ("default", "testlib", "coci", "peg")
INTERACTOR_ARGUMENTS = {"default": '"$input" "$answer"', "testlib": '"$input" "$talk" "$answer"'}
_ARGUMENTS = {
    "default": '"$input" "$output" "$answer"',
    "coci": '"$input" "$output" "$answer"',
    "peg": '"$answer" "$output" "$input"',
}
_REJECTS = {"default": '"1 "*', "coci": '"1 "* | "2 "*', "peg": '"1 "*'}
_PARTS = {  # the file that may tell a part, and how; with which codes it does
    "default": ("/dev/null", "", '"- "'),
    "coci": (
        '"$words"',
        r"""/^partial [0-9]+\/[0-9]+$/ { split($2, of, "/"); if (of[2] + 0 > 0) tell(of[1] / of[2]) }""",
        '"7 "',
    ),
    "peg": (
        '"$said"',
        r"""{
    gsub(/[ \t\r\f\v]+/, " "); gsub(/^ | $/, "")
    is_number = $0 ~ /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/
    if (was_number && is_number && $0 + 0 != 0 && before / $0 > 0) tell(before / $0)
    was_number = is_number; before = $0
}""",
        '"0 " | "1 "',
    ),
}
_RUN = r"""worth=${{4:-0}} said=$feedback/said
output=$feedback/output
cat > "$output"
{checker} {arguments} > "$said" 2> "$words"
code=$?
part=$(LC_ALL=C awk -v worth="$worth" '
function tell(part) {{
    if (part > 1.000000001) print "more"
    else if (part > 0.999999999) print "all"
    else printf "%.9f", worth * part
    exit
}}
{part}' {file})
cat "$said" "$words" > "$message"
rm -f "$said" "$words" "$output"
case "$code " in
    {with_part}) ;;
    *) part= ;;
esac
case "$code $part" in
    *" more") ;;
    *" all") exit 42 ;;
{points}    "0 "*) exit 42 ;;
    {rejects}) exit 43 ;;
esac
cat "$message" >&2
echo "the checker exited with $code" >&2
exit 1
"""
_POINTS = '    *" "[0-9]*) echo "$part" > "$feedback/score.txt"; exit 42 ;;\n'
_NO_POINTS = '    *" "[0-9]*) exit 43 ;;  # partly right: a problem without points does not accept that\n'


_OWN = Path(dmoj_checker.__file__)
_SOURCES = {".cpp": "CPP", ".cc": "CPP", ".cxx": "CPP", ".c": "C", ".py": "PY"}
_LANGUAGE = re.compile(r"(CPP)(?:03|11|14|17|20|23)|(C)(?:11)?|(PY)(?:PY)?3", re.ASCII)
_ENDINGS = {"CPP": ".cpp", "C": ".c", "PY": ".py"}
_TOLERANCES = {
    "default": "float_tolerance",
    "absolute": "float_absolute_tolerance",
    "relative": "float_relative_tolerance",
}
_MOST_SCRIPT_BYTES = 512 * 1024
_RUN_SCRIPT = f'{testlib.HEADER}exec /usr/bin/env python3 "$(dirname "$0")/dmoj_python.py" "$@"\n'
_UNKNOWN = {  # what DMOJ tells a checker, and a package does not
    "submission_source": Sentence("the submission's source"),
    "submission_language": Sentence("the submission's language"),
    "execution_time": Sentence("how long the submission ran"),
    "case_position": Sentence("which case it is"),
    "batch": Sentence("which batch it is"),
    "problem_id": Sentence("what the problem is called"),
    "case": Sentence("DMOJ's own record of the case"),
    "result": Sentence("DMOJ's own record of the run"),
}
_ON_ERROR = "run_on_error"
_SCAN = """
import ast, json, sys
try:
    tree = ast.parse(json.load(sys.stdin))
except (SyntaxError, ValueError) as error:
    json.dump({"error": f"{getattr(error, 'msg', error)} (line {getattr(error, 'lineno', 0)})"}, sys.stdout)
    sys.exit()
imports, names, attributes = [], [], []
functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
checks = [node for node in functions if node.name == "check"]
for node in checks or functions:
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    names += [each.arg for each in arguments if each.arg in used]  # many list what they never look at
for node in ast.walk(tree):
    if isinstance(node, ast.Import):
        imports += [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        imports += [f"{'.' * node.level}{node.module or ''}:{alias.name}" for alias in node.names]
    elif isinstance(node, ast.Attribute):
        attributes.append(node.attr)
    elif isinstance(node, ast.Subscript):
        names += [node.slice.value] if isinstance(node.slice, ast.Constant) else []
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
        names += [each.value for each in node.args[:1] if isinstance(each, ast.Constant)]
targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
has_check = any(node in tree.body for node in checks) or "check" in [
    *(target.id for target in targets if isinstance(target, ast.Name)),
    *(alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names),
]
names = [name for name in names if isinstance(name, str)]
json.dump({"imports": imports, "names": names, "attributes": attributes, "has_check": has_check}, sys.stdout)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Judging:
    """The judging of outputs: `flags` and `files` as in NativeProblem."""

    flags: tuple[str, ...] = ()
    files: Files = field(default_factory=dict)
    is_interactive: bool = False
    gives_points: bool = False
    wants_worth: bool = False  # the checker is told what a case is worth, as its last argument


def read_judging(keys: Keys, files: DmojFiles, *, is_scoring: bool) -> Judging:
    """Return the checker or interactor; the report names what Tally does not support."""
    if keys.has("interactive"):
        section = keys.section("interactive")
        kind, program = _program(section, files, tuple(INTERACTOR_ARGUMENTS))
        section.any("unbuffered")  # the interactor's own output
        section.finish()
        if keys.any("checker") is not None:
            keys.warn("checker", Sentence("is not used: the problem is interactive"))
        if program is None:
            return Judging()
        program_files = testlib.interactor_files(
            program, None, gives_points=is_scoring, arguments=INTERACTOR_ARGUMENTS[kind]
        )
        return Judging(files=program_files, is_interactive=True, gives_points=is_scoring)
    value = keys.any("checker")
    if isinstance(value, dict):
        section = keys.section("checker")
        name, arguments = section.text("name") or "", section.section("args")
        section.finish()
    else:
        name, arguments = keys.text("checker") or "standard", Keys({}, "init.yml", files.report, "checker.args.")
    if name.endswith(".py"):
        path = files.find(name)
        if path is None:
            keys.error("checker", Sentence("%(name)s is not beside init.yml", name=printable(name, 60)))
            return Judging()
        values = {key: arguments.any(key) for key in arguments.names()}
        try:
            checker = _python_files(name, path, values, gives_points=is_scoring, is_binary=files.is_binary)
        except PackageError as error:
            files.report.add(error)
            return Judging()
        return Judging(files=checker, gives_points=is_scoring, wants_worth=is_scoring)
    is_bridged = name == "bridged"
    judging = _bridged(arguments, files, is_scoring=is_scoring) if is_bridged else _builtin(name, arguments, keys)
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
            precision = arguments.any("precision") if arguments.has("precision") else 6
            if isinstance(precision, bool) or not isinstance(precision, int) or not 0 <= precision <= 18:
                keys.error("checker.args.precision", Sentence("must be a whole number from 0 to 18"))
                return Judging()
            tolerance = _TOLERANCES.get(mode or "default")
            if tolerance is None:
                modes = ", ".join(_TOLERANCES)
                keys.error("checker.args.error_mode", Sentence("must be one of %(names)s", names=modes))
                return Judging()
            keys.warn("checker", Sentence("in Tally, line ends count as white space for this checker"))
            return Judging(flags=("case_sensitive", tolerance, f"1e-{precision}"))
    why = Sentence("%(name)s is none of the checkers of DMOJ that Tally knows", name=printable(name, 60))
    keys.error("checker", why)
    return Judging()


def _own(name: str) -> Judging:
    return Judging(flags=(name,), files={_OWN.name: _OWN})


def _bridged(arguments: Keys, files: DmojFiles, *, is_scoring: bool) -> Judging:
    kind, program = _program(arguments, files, TYPES)
    arguments.flag("feedback")
    arguments.flag("cached")
    if program is None:
        return Judging()
    if kind == "testlib":
        return Judging(files=testlib.checker_files(program, gives_points=is_scoring), gives_points=is_scoring)
    file, part, codes = _PARTS[kind]
    run = _RUN.format(
        checker=program.command("checker.bin"),
        arguments=_ARGUMENTS[kind],
        part=part,
        file=file,
        with_part=codes,
        points=_POINTS if is_scoring else _NO_POINTS,
        rejects=_REJECTS[kind],
    )
    checker = testlib.script_folder("checker", testlib.HEADER + testlib.FEEDBACK + run, {"checker.bin": program})
    return Judging(files=checker, gives_points=is_scoring, wants_worth=is_scoring and kind in ("coci", "peg"))


def _python_files(name: str, path: Path, arguments: object, *, gives_points: bool, is_binary: bool) -> Files:
    """Return the validator that runs this checker in Python. Raises PackageError with everything Tally cannot provide.

    Its syntax tree is made in a process of its own, with little time and memory; the checker is not run here. What it
    imports must be in Python's standard library or in what `dmoj_python` stands in for; what it is told of a submission
    must be something that a checker of a package knows.
    """
    name = printable(name)
    too_much = PackageError(name, "", Sentence("is Python that takes too much time or memory to read"))
    uses = asked(_SCAN, read_text(path, name, _MOST_SCRIPT_BYTES), too_much)
    if "error" in uses:
        raise PackageError(name, "", Sentence("is no Python 3: %(error)s", error=uses["error"][:200]))
    modules, unknown = dmoj_python.stand_ins(dmoj_checker), []
    for imported in dict.fromkeys(uses["imports"]):  # `module` or `module:name`
        module, _, attribute = imported.partition(":")
        is_known = module in modules and (not attribute or hasattr(modules[module], attribute))
        if not is_known and module.partition(".")[0] not in sys.stdlib_module_names:
            unknown.append(imported.replace(".:", ".").replace(":", ".")[:60])
    if unknown:
        why = Sentence("imports %(modules)s, which Tally does not have for a checker", modules=", ".join(unknown[:5]))
        raise PackageError(name, "", why)
    if not uses["has_check"]:
        raise PackageError(name, "", Sentence("has no function check"))
    if word := next((word for word in uses["names"] if word in _UNKNOWN), ""):
        values = {"name": word, "meaning": _UNKNOWN[word]}
        why = Sentence("asks for %(name)s (%(meaning)s), which Tally does not tell a checker", **values)
        raise PackageError(name, "", why)
    if _ON_ERROR in uses["attributes"]:
        why = Sentence("has %(name)s: Tally asks no checker about a program that failed", name=_ON_ERROR)
        raise PackageError(name, "", why)
    settings = {"args": arguments or {}, "gives_points": gives_points, "binary_data": is_binary}
    try:
        written = json.dumps(settings, indent=1, allow_nan=False)
    except (TypeError, ValueError) as error:
        why = Sentence("must be text, numbers, truths and lists of them: a Python checker gets nothing else")
        raise PackageError("init.yml", "checker.args", why) from error
    return {
        "checker/run": _RUN_SCRIPT,
        **{f"checker/{file.name}": file for file in (Path(dmoj_python.__file__), _OWN)},
        f"checker/{dmoj_python.CHECKER}": path,
        f"checker/{dmoj_python.SETTINGS}": written,
    }


def _program(keys: Keys, files: DmojFiles, kinds: tuple[str, ...]) -> tuple[str, testlib.Program | None]:
    """Return the section's type and program, with the files beside it; None after an error."""
    names = keys.words("files") or ()
    named, kind = (keys.text("lang") or "").upper(), keys.text("type") or "default"
    for key in ("time_limit", "memory_limit", "compiler_time_limit", "preprocessing_time", "feedback"):
        keys.any(key)
    if kind not in kinds:
        why = Sentence("%(kind)r is none that Tally can run (%(kinds)s)", kind=kind[:40], kinds=", ".join(kinds))
        keys.error("type", why)
        return kind, None
    for key in ("flags", "args_format_string"):
        if keys.any(key):
            keys.error(key, Sentence("is not supported: the program is compiled and called in one way only"))
    mains = [name for name in names if PurePosixPath(name).suffix.lower() in _SOURCES]
    match = _LANGUAGE.fullmatch(named)
    if len(mains) != 1 or (named and match is None):
        keys.error("files", Sentence("must name one program in C++, C or Python 3 (and files that it includes)"))
        return kind, None
    language = match[match.lastindex or 0] if match else _SOURCES[PurePosixPath(mains[0]).suffix.lower()]
    contents: dict[str, Path] = {}
    for name in names:
        path = files.find(name)
        if path is None:
            keys.error("files", Sentence("%(name)s is not beside init.yml", name=printable(name, 60)))
        else:
            contents[PurePosixPath(name).name] = path
    main = PurePosixPath(mains[0]).name
    if main not in contents:
        return kind, None
    for included in testlib.includes(contents[main].read_bytes()) if language != "PY" else ():
        header = None if included in contents else files.find(included)
        if header is not None:
            contents[included] = header
        elif included == "testlib.h" and included not in contents:
            keys.error("files", Sentence("testlib.h is included but not in the archive: put it beside init.yml"))
    standard = re.sub(r"\D", "", named) or "17"
    name = testlib.source_name(main, _ENDINGS[language])
    return kind, testlib.Program(name=name, content=contents.pop(main), standard=f"c++{standard}", others=contents)
