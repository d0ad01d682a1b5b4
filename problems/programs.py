"""The programs in a package: its checker and the setter's own submissions, with what the latter should get.

Source: "Programs", "Output validator" and "Example submissions" of the package format; DOMjudge's folder names.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from problems.files import printable
from problems.package import JurySubmission, PackageProgram
from problems.report import Report

LANGUAGE_OF_EXTENSION = {
    ".py": "python",
    ".py3": "python",
    ".cpp": "cpp",
    ".cc": "cpp",
    ".cxx": "cpp",
    ".c++": "cpp",
    ".C": "cpp",
    ".rs": "rust",
}
_SCRIPTS = frozenset({"build", "run"})
_CHECKER_LANGUAGES = ("python", "cpp")
_NO_PROGRAM = (".md", ".txt", ".yaml", ".yml", ".h", ".hpp", ".hh", ".in", ".ans", ".out", ".pdf")
_REJECTED = frozenset({"WA", "TLE", "RE", "MLE", "OLE"})
_EXPECTED = {  # folder below submissions/ -> verdicts; Kattis counts the memory limit as a run-time error
    "accepted": frozenset({"AC"}),
    "wrong_answer": frozenset({"WA"}),
    "no_output": frozenset({"WA"}),
    "time_limit_exceeded": frozenset({"TLE"}),
    "timelimit": frozenset({"TLE"}),
    "run_time_error": frozenset({"RE", "MLE"}),
    "runtime_error": frozenset({"RE", "MLE"}),
    "memory_limit_exceeded": frozenset({"MLE"}),
    "memory_limit": frozenset({"MLE"}),
    "output_limit_exceeded": frozenset({"OLE"}),
    "output_limit": frozenset({"OLE"}),
    "compile_error": frozenset({"CE"}),
    "compiler_error": frozenset({"CE"}),
    "rejected": _REJECTED,
    "partially_accepted": _REJECTED,  # judged as pass-fail, a partial score is no AC
    "brute_force": frozenset({"TLE", "RE", "MLE"}),
}
_ANY = frozenset({"AC", "CE", *_REJECTED})


def language_of(name: str) -> str | None:
    """The language of a source file by its extension: "python", "cpp", "rust"; None if Tally does not run it."""
    suffix = PurePosixPath(name).suffix
    return LANGUAGE_OF_EXTENSION.get(suffix) or LANGUAGE_OF_EXTENSION.get(suffix.lower())


def has_own_validator(files: Iterable[str], *, is_legacy: bool, is_custom: bool) -> bool:
    """Whether the package means to bring its own checker: legacy says so in problem.yaml, 2025-09 has the folder."""
    return is_custom if is_legacy else bool(_below(files, "output_validator"))


def find_output_validator(
    root: Path, files: Mapping[str, Path], report: Report, *, is_legacy: bool, is_custom: bool
) -> PackageProgram | None:
    """Return the package's checker, None for the default validator. `root` is the real path of the package."""
    folder = "output_validators" if is_legacy else "output_validator"
    inside = _below(files, folder)
    if not has_own_validator(files, is_legacy=is_legacy, is_custom=is_custom):
        if inside:
            report.warn(folder, "", "is not used: problem.yaml does not say validation: custom")
        return None
    if not inside:
        report.error("problem.yaml", "validation", f"is custom, but {folder}/ holds no program")
        return None
    programs = sorted(_programs(inside))
    if not is_legacy and any("/" not in name and (language_of(name) or name in _SCRIPTS) for name in inside):
        programs = [""]  # the folder itself is the program
    if len(programs) != 1:
        found = ", ".join(map(printable, programs[:5])) or "none"
        report.error(folder, "", f"must hold exactly one program in Python or C++ (found: {found})")
        return None
    return _validator(root, f"{folder}/{programs[0]}".rstrip("/"), files, report)


def _below(files: Iterable[str], folder: str) -> list[str]:
    """The names below the folder, relative to it."""
    return [name.removeprefix(f"{folder}/") for name in files if name.startswith(f"{folder}/")]


def _programs(inside: list[str]) -> set[str]:
    """The programs of a folder: each file in a known language, and each folder."""
    return {name.split("/")[0] for name in inside if "/" in name or language_of(name)}


def _validator(root: Path, name: str, files: Mapping[str, Path], report: Report) -> PackageProgram | None:
    if name in files:
        return _checked(files[name], name, [PurePosixPath(name).name], report)
    inside = _below(files, name)
    if _SCRIPTS & set(inside):
        report.error(name, "", "is built by a build or run script, which is not supported yet")
        return None
    sources = [source for source in inside if "/" not in source and language_of(source)]
    if len(sources) == 1 and len(inside) == 1:
        return _checked(files[f"{name}/{sources[0]}"], name, sources, report)
    return _checked(Path(os.path.realpath(root / name)), name, sources, report)


def _checked(path: Path, name: str, sources: list[str], report: Report) -> PackageProgram | None:
    languages = {language_of(source) for source in sources}
    language = languages.pop() if len(languages) == 1 else None
    if language not in _CHECKER_LANGUAGES:
        report.error(printable(name), "", "must be a program in Python or C++, and in one of them only")
        return None
    entry = _entry(path, language, sources)
    if entry is None:
        report.error(printable(name), "", "has several source files: name the main one __main__.py or main.cpp")
        return None
    return PackageProgram(path=path, language=language, entry=entry)


def _entry(path: Path, language: str, sources: list[str]) -> str | None:
    """The main file: the only one, or the one with a telling name, or the only one in C++ that defines main."""
    if len(sources) == 1:
        return path.name if path.is_file() else sources[0]
    telling = ("__main__", "main", "validator", "validate", "checker", path.name)
    for stem in telling if language == "python" else ("main",):
        for source in sources:
            if PurePosixPath(source).stem == stem:
                return source
    mains = [source for source in sources if language == "cpp" and b" main(" in (path / source).read_bytes()]
    return mains[0] if len(mains) == 1 else None


def find_submissions(root: Path, files: Mapping[str, Path], report: Report) -> tuple[JurySubmission, ...]:
    """Return the setter's submissions by name, with the verdicts that their folder stands for."""
    inside = [name for name in _below(files, "submissions") if "/" in name]
    programs = sorted({"/".join(name.split("/")[:2]) for name in inside})
    found = [
        _submission(root, program, [name for name in inside if name.startswith(f"{program}/")], report)
        for program in programs
        if not (program in inside and program.endswith(_NO_PROGRAM))
    ]
    for folder in sorted({name.split("/")[0] for name in inside} - set(_EXPECTED)):
        report.warn(printable(f"submissions/{folder}"), "", "is no known folder: its submissions may get any verdict")
    if "submissions/submissions.yaml" in files:
        report.warn("submissions/submissions.yaml", "", "is not read yet: the folders alone say what is expected")
    if not any(submission.expected == {"AC"} for submission in found):
        report.warn("submissions/accepted", "", "holds no submission: nothing proves that the problem can be solved")
    return tuple(found)


def _submission(root: Path, program: str, parts: list[str], report: Report) -> JurySubmission:
    """The submission `program` ("accepted/fast.cpp"); `parts` are its files when it is a folder."""
    expected = _EXPECTED.get(program.split("/")[0], _ANY)
    main = parts[0] if len(parts) == 1 else program
    path = Path(os.path.realpath(root / "submissions" / main))
    if len(parts) > 1:
        report.warn(printable(f"submissions/{program}"), "", "has several files, which cannot be judged yet")
        return JurySubmission(path=path, name=program, language=None, expected=expected)
    return JurySubmission(path=path, name=program, language=language_of(main), expected=expected)
