"""Read the programs of a Polygon package: checker, interactor, validators and solutions.

Checkers of Polygon's own (`std::wcmp.cpp`) are in the package as sources like any other.
"""

import re
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element

from problems.convert.native import Content, Files
from problems.convert.source import Source, suffix_of
from problems.convert.testlib import Program, checker_files, includes, interactor_files, source_name, validator_files
from problems.format.files import printable
from problems.translation import Sentence

_FILE = "problem.xml"
_HEADERS = (".h", ".hpp", ".hh", ".inc")
_FOLDERS = {
    "main": "accepted", "accepted": "accepted", "wrong-answer": "wrong_answer", "presentation-error": "wrong_answer",
    "time-limit-exceeded": "time_limit_exceeded", "memory-limit-exceeded": "run_time_error", "rejected": "rejected",
    "failed": "rejected",
}  # fmt: skip
_RESULTS = {
    "accepted": "CORRECT", "wrong-answer": "WRONG-ANSWER", "presentation-error": "WRONG-ANSWER",
    "time-limit-exceeded": "TIMELIMIT", "memory-limit-exceeded": "RUN-ERROR",
}  # fmt: skip
_MIXED = "mixed"
_COMMENTS = {".py": "#", ".py2": "#", ".rb": "#", ".hs": "--", ".ml": ""}
_MOST_SOURCE = 1024 * 1024


def read_judging(root: Element, source: Source, *, gives_points: bool) -> Files:
    """Return checker and interactor as in NativeProblem; the report gets those that cannot run."""
    checker = _program(root.find("assets/checker"), Sentence("checker"), source)
    element = root.find("assets/interactor")
    if element is not None:
        interactor = _program(element, Sentence("interactor"), source)
        return {} if interactor is None else interactor_files(interactor, checker, gives_points=gives_points)
    if root.find("assets/checker") is None:
        source.report.warn(_FILE, "assets.checker", Sentence("is missing: outputs are compared word by word"))
    return checker_files(checker, gives_points=gives_points) if checker else {}


def read_validators(root: Element, source: Source) -> Files:
    """Return the validators, each in its folder."""
    files: dict[str, Content] = {}
    for number, element in enumerate(root.findall("assets/validators/validator"), 1):
        if (program := _program(element, Sentence("validator"), source)) is not None:
            files |= validator_files(program, f"validator-{number}")
    return files


def read_solutions(root: Element, source: Source) -> Files:
    """Return the solutions in the folders that correspond to their tags."""
    files: dict[str, Content] = {}
    for element in root.findall("assets/solutions/solution"):
        tag, inner = element.get("tag", ""), element.find("source")
        path, kind = (inner.get("path", ""), inner.get("type", "")) if inner is not None else ("", "")
        if path not in source.files:
            why = Sentence("%(path)s is missing: it is left out", path=printable(path, 60))
            source.report.warn(_FILE, "assets.solutions", why)
            continue
        name, file = PurePosixPath(path).name, source.files[path]
        if kind.startswith(("python.2", "python.pypy2")):
            name = f"{PurePosixPath(path).stem}.py2"
        results = [_RESULTS.get(part, "") for part in tag.split("-or-")]
        comment = _COMMENTS.get(PurePosixPath(name).suffix, "//")
        if tag in _FOLDERS:
            files[f"{_FOLDERS[tag]}/{name}"] = file
        elif len(results) > 1 and all(results) and comment and 0 < file.stat().st_size < _MOST_SOURCE:
            expected = f"\n{comment} @EXPECTED_RESULTS@: {', '.join(results)}\n"  # as DOMjudge writes it
            files[f"{_MIXED}/{name}"] = file.read_bytes() + expected.encode()
        else:
            source.report.warn(printable(path), "", Sentence("is left out: its tag is %(tag)r", tag=tag[:60]))
    return files


def _program(element: Element | None, what: Sentence, source: Source) -> Program | None:
    """Return the program of the element's <source>, with headers it may include; None after an error."""
    inner = element.find("source") if element is not None else None
    if inner is None:
        return None
    path, kind = inner.get("path", ""), inner.get("type", "")
    if path not in source.files:
        why = Sentence("is missing: problem.xml names it as the %(what)s", what=what)
        source.report.error(printable(path) or _FILE, "", why)
        return None
    if not kind.startswith(("cpp.", "python.3", "python.pypy3")):
        language = kind[:40] or Sentence("an unknown language")
        why = Sentence("is a %(what)s in %(kind)s: Tally runs those in C++ and Python 3", what=what, kind=language)
        source.report.error(printable(path), "", why)
        return None
    name = source_name(path, ".py" if kind.startswith("python.") else ".cpp")
    if kind.startswith("python."):
        return Program(name=name, content=source.files[path])
    headers: dict[str, Content] = {
        PurePosixPath(other).name: source.files[other]
        for folder in ("files", PurePosixPath(path).parent.as_posix())
        for other in source.files
        if PurePosixPath(other).parent.as_posix() == folder and suffix_of(other) in _HEADERS
    }
    text = source.files[path].read_bytes() if source.files[path].stat().st_size < _MOST_SOURCE else b""
    if "testlib.h" in includes(text) and "testlib.h" not in headers:
        why = Sentence("is missing: the %(what)s %(name)s includes it", what=what, name=name)
        source.report.error("files/testlib.h", "", why)
    # of cpp.g++17, cpp.gcc14-64-msys2-g++23, cpp.ms2017
    match = re.search(r"g\+\+(\d{2})", kind) or re.search(r"ms20(\d{2})", kind)
    year = match[1] if match else ""
    standard = f"c++{year}" if year in ("11", "14", "17", "20", "23") else "c++17"
    return Program(name=name, content=source.files[path], standard=standard, others=headers)
