"""The test cases of a package: pairs of NAME.in and NAME.ans below data/sample and data/secret."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from problems.files import printable
from problems.package import TestCase
from problems.report import Report

_FOLDERS = ("sample", "secret")  # in this order


def find_test_cases(files: Mapping[str, Path], report: Report) -> tuple[TestCase, ...]:
    """Return the test cases, samples first, each part by name. A half of a pair and a lack of cases are reported."""
    cases = []
    for folder in _FOLDERS:
        stems = sorted({_stem(name) for name in files if _is_half(name, folder)}, key=lambda stem: stem.split("/"))
        for stem in stems:
            if case := _pair(stem, files, report):
                cases.append(case)
        if folder == "secret" and not stems:
            report.error("data/secret", "", "has no test case (NAME.in with NAME.ans)")
    _refuse_other_inputs(files, report)
    return tuple(cases)


def _is_half(name: str, folder: str) -> bool:
    return name.startswith(f"data/{folder}/") and name.endswith((".in", ".ans"))


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[0]


def _pair(stem: str, files: Mapping[str, Path], report: Report) -> TestCase | None:
    given, answer = files.get(f"{stem}.in"), files.get(f"{stem}.ans")
    if given is None:
        report.error(printable(f"{stem}.ans"), "", f"is an answer without input: {_base(stem)}.in is missing")
        return None
    if answer is None:
        report.error(printable(f"{stem}.in"), "", f"is an input without answer: {_base(stem)}.ans is missing")
        return None
    name = stem.removeprefix("data/")
    return TestCase(name=name, input=given, answer=answer, is_sample=name.startswith("sample/"))


def _base(stem: str) -> str:
    return printable(PurePosixPath(stem).name)


def _refuse_other_inputs(files: Mapping[str, Path], report: Report) -> None:
    """Input by files or arguments would be missing at the run."""
    for name in files:
        parts = name.split("/")
        if parts[:1] != ["data"] or not any(parts[1:2] == [folder] for folder in _FOLDERS):
            continue
        if any(part.endswith(".files") for part in parts[2:-1]):
            report.error(printable(name), "", "input files besides standard input are not supported yet")
        elif name.endswith(".args"):
            report.error(printable(name), "", "command-line arguments for the program are not supported yet")
