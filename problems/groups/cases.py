"""Find the test cases of a package: pairs of NAME.in and NAME.ans below data/sample and data/secret, with settings.

Source: "Test cases" and "Input" of the package format 2025-09, "Test data" of the legacy one; NAME.args is of drafts.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from problems.diagnostics import Report
from problems.format.files import printable
from problems.format.programs import fits_packet
from problems.format.yamlfile import read_text
from problems.groups.folder_settings import GroupSettings
from problems.package import PackageError, TestCase
from problems.translation import Sentence

_FOLDERS = ("sample", "secret")  # in this order
_MOST_WORDS = 1_000  # arguments of one program, or files of one test case: what one packet to a jail's init takes
_MOST_WORDS_BYTES = 32 * 1024
_MOST_SENT = 1_800  # arguments and files of one case together, beside those that the programs have for all cases
_MOST_SENT_BYTES = 60 * 1024
_PLACE = "/stage/case/"  # a jail is told a file's name and where it lies
_MOST_TEXT_BYTES = 4_000
_FILES = ".files"


class CaseFiles:
    """The files below data/ and their settings, from which a test case is built by its name."""

    def __init__(self, files: Mapping[str, Path], settings: GroupSettings, report: Report) -> None:
        self._files = files
        self._settings = settings
        self._report = report
        self._folders: dict[str, list[tuple[str, Path]]] = {}  # "data/secret/1" -> what lies in data/secret/1.files
        for name, path in files.items():
            stem, inside = _in_files_folder(name)
            if inside:
                self._folders.setdefault(stem, []).append((inside, path))

    def stems(self, folder: str, endings: tuple[str, ...] = (".in", ".ans")) -> list[str]:
        """Return the names of the cases in a folder below data/ ("data/secret/a/1"), in order."""
        stems = {
            name.rsplit(".", 1)[0]
            for name in self._files
            if name.startswith(f"{folder}/") and name.endswith(endings) and not _in_files_folder(name)[1]
        }
        return sorted(stems, key=lambda stem: stem.split("/"))

    def path(self, name: str) -> Path | None:
        """Return the path of a package file; None if it is missing."""
        return self._files.get(name)

    def case(self, stem: str, input_path: Path, answer: Path) -> TestCase:
        """Return the test case with all its settings."""
        name = stem.removeprefix("data/")
        is_sample = name.startswith("sample/")
        nearest, own, no_args = self._settings.nearest, self._settings.own(stem), tuple[str, ...]()
        validator_args = nearest(stem, lambda settings: settings.validator_args, no_args)
        case = TestCase(
            name=name,
            input=input_path,
            answer=answer,
            is_sample=is_sample,
            args=self._args(stem) or nearest(stem, lambda settings: settings.args, no_args),
            files=tuple(self._folders.get(stem, ())),
            validator_args=(*self._settings.all_validator_args, *validator_args),
            input_validator_args=nearest(stem, lambda settings: settings.input_validator_args, {}),
            description=self._text(stem, ".desc") or own.description,
            hint=self._text(stem, ".hint") or own.hint,
            has_full_feedback=nearest(stem, lambda settings: settings.has_full_feedback, is_sample),
        )
        self._check_sizes(case)
        return case

    def warn_of_strays(self, stems: Iterable[str]) -> None:
        """Warn of folders and files whose test case is missing."""
        cases = set(stems)
        for stem in self._folders:
            if stem not in cases:
                self._stray(f"{stem}{_FILES}")
        for name in self._files:
            stem, _, ending = name.rpartition(".")
            if ending == "args" and name.startswith("data/") and stem not in cases:
                self._stray(name)

    def _check_sizes(self, case: TestCase) -> None:
        """Report what is too large to hand to a program."""
        file = printable(f"data/{case.name}.in")
        lists = {
            "args": case.args,
            "output_validator_args": case.validator_args,
            "files": tuple(name for name, _ in case.files),
            **{f"input_validator_args {name}".strip(): args for name, args in case.input_validator_args.items()},
        }
        too_long = [key for key, words in lists.items() if not fits_packet(words, _MOST_WORDS, _MOST_WORDS_BYTES)]
        most, size = f"{_MOST_WORDS:,}", _MOST_WORDS_BYTES // 1024
        for key in too_long:
            why = Sentence("are more than %(most)s, or longer than %(size)s KiB together", most=most, size=size)
            self._report.error(file, key, why)
        placed = [text for name, _ in case.files for text in (name, f"{_PLACE}{name}")]
        for args in (*case.input_validator_args.values(), ()):
            if not too_long and not fits_packet((*case.args, *args, *placed), _MOST_SENT, _MOST_SENT_BYTES):
                why = Sentence(
                    "has more than %(most)s arguments and names of files, or of %(size)s KiB together; a file's name "
                    "counts twice",
                    most=f"{_MOST_SENT:,}",
                    size=_MOST_SENT_BYTES // 1024,
                )
                self._report.error(file, "", why)
                break
        for name, _ in case.files:
            if "/" in name:
                why = Sentence("lies in a folder: a program finds its files beside itself only")
                self._report.error(printable(f"data/{case.name}{_FILES}/{name}"), "", why)

    def _stray(self, name: str) -> None:
        self._report.warn(printable(name), "", Sentence("is not used: there is no test case of this name"))

    def _args(self, stem: str) -> tuple[str, ...]:
        path, name = self._files.get(f"{stem}.args"), printable(f"{stem}.args")
        if path is None:
            return ()
        try:
            text = read_text(path, name, _MOST_WORDS_BYTES)
        except PackageError as error:
            self._report.add(error)
            return ()
        if "\x00" in text:
            self._report.error(name, "", Sentence("must not hold the character NUL"))
            return ()
        return tuple(text.split())

    def _text(self, stem: str, ending: str) -> str:
        """Return the beginning of NAME.desc or NAME.hint (legacy)."""
        path = self._files.get(f"{stem}{ending}")
        if path is None:
            return ""
        with path.open("rb") as file:
            return file.read(_MOST_TEXT_BYTES).decode("utf-8", "replace").strip()


def find_test_cases(files: CaseFiles, report: Report) -> tuple[TestCase, ...]:
    """Return the test cases, samples first, each part by name. Reports incomplete pairs and a lack of cases."""
    stems = [stem for folder in _FOLDERS for stem in files.stems(f"data/{folder}")]
    cases = [files.case(stem, *pair) for stem in stems if (pair := find_pair(stem, files, report))]
    if not stems:
        report.error("data/secret", "", Sentence("has no test case (NAME.in with NAME.ans)"))
    elif all(stem.startswith("data/sample/") for stem in stems):
        why = Sentence("has no test case: the samples alone decide, and everybody can see them")
        report.warn("data/secret", "", why)
    files.warn_of_strays(f"data/{case.name}" for case in cases)
    return tuple(cases)


def with_digest(case: TestCase, digest: Callable[[Path], bytes]) -> TestCase:
    """Return the case with its digest: over input, answer, arguments, files, and the checker's arguments."""
    whole = hashlib.sha256(digest(case.input) + digest(case.answer))
    files = [f"{name}:{digest(path).hex()}" for name, path in case.files]
    for texts in (case.args, files, case.validator_args):
        whole.update(f"{len(texts)};".encode())
        for text in texts:
            raw = text.encode("utf-8", "surrogateescape")
            whole.update(f"{len(raw)}:".encode() + raw)
    return replace(case, digest=whole.hexdigest())


def find_pair(stem: str, files: CaseFiles, report: Report) -> tuple[Path, Path] | None:
    """Return input and answer of a test case; None, with an error, if one of them is missing."""
    input_path, answer = files.path(f"{stem}.in"), files.path(f"{stem}.ans")
    base = printable(PurePosixPath(stem).name)
    if input_path is None:
        why = Sentence("is an answer without input: %(stem)s.in is missing", stem=base)
        report.error(printable(f"{stem}.ans"), "", why)
        return None
    if answer is None:
        why = Sentence("is an input without answer: %(stem)s.ans is missing", stem=base)
        report.error(printable(f"{stem}.in"), "", why)
        return None
    return input_path, answer


def _in_files_folder(name: str) -> tuple[str, str]:
    """Split "data/secret/1.files/a.txt" into the test case and the name in its folder; else two empty texts."""
    head, separator, inside = name.partition(f"{_FILES}/")
    return (head, inside) if separator else ("", "")
