"""Apply a form's changes, or the settings that the instructor chose, to a copy of the package's files.

How it works: files are a mapping from names to contents, those that nobody changed still paths into the store. Keys of
problem.yaml are changed one by one; the file is written anew (without its comments) only if one was. Every other file
stays as it is.
"""

import copy
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from problems.convert.native import Content, Files, seconds_of
from problems.diagnostics import Report
from problems.editing.draft import CHECKER, Draft, codes_of, function_files, own_files, with_line_end
from problems.editing.editable import CASE_ENDINGS, Editable, flag_files, write_yaml
from problems.format.files import MIB, checked_files
from problems.format.origins import RECORD
from problems.format.problemyaml import STRICT_VERSION
from problems.format.yamlfile import read_yaml
from problems.languages import PACKAGE_LANGUAGES
from problems.package import Package

_ENDINGS = {"markdown": "md", "latex": "tex"}
_CHECKER_FOLDERS = ("output_validators", "output_validator")
_TIME_LIMIT, _INI = ".timelimit", "domjudge-problem.ini"
_INI_LIMIT = re.compile(rb"^[ \t]*timelimit[ \t]*=.*\n?", re.MULTILINE)
_FLAGS = "output_validator_args"


def edited(now: Editable, draft: Draft) -> dict[str, Content]:
    """Return the files of the package with the draft's changes."""
    editing = _Editing(now, draft)
    editing.remove()
    editing.name()
    editing.state()
    editing.show_samples()
    editing.limit()
    editing.check()
    editing.ask_for_functions()
    editing.credit()
    editing.add()
    return editing.result()


def on_disk(files: Files, scratch: Path) -> dict[str, Path]:
    """Return the files, with texts and bytes written below the new folder `scratch`."""
    scratch.mkdir()
    paths: dict[str, Path] = {}
    for number, (name, content) in enumerate(files.items()):
        if isinstance(content, Path):
            paths[name] = content
        else:
            paths[name] = scratch / str(number)
            paths[name].write_bytes(content.encode() if isinstance(content, str) else content)
    return paths


class _Editing:
    """One package during a change."""

    def __init__(self, now: Editable, draft: Draft) -> None:
        self._now = now
        self._draft = draft
        self._files: dict[str, Content] = dict(now.files)
        self._values: dict[str, object] = copy.deepcopy(dict(now.values))

    def result(self) -> dict[str, Content]:
        if self._values != self._now.values:
            self._files["problem.yaml"] = write_yaml(self._values)
        if self._files != dict(self._now.files):
            self._drop([RECORD])
        return dict(sorted(self._files.items()))

    def remove(self) -> None:
        """Remove the ticked files, folders and test cases."""
        for name in self._draft.removed:
            self._drop([name])
            self._drop_below(name)
        for case in self._draft.removed_cases:
            self._drop_case(case)

    def name(self) -> None:
        now, title, language = self._now, self._draft.title, self._draft.language
        if title == now.title(language):
            return
        name = self._values.get("name")
        others = {statement.language for statement in now.statements} - {language}
        if isinstance(name, dict):
            self._values["name"] = {**name, language: title}
        elif others and not (isinstance(name, str) and language == "en"):
            self._values["name"] = {**{other: now.title(other) for other in sorted(others)}, language: title}
        else:
            self._values["name"] = title

    def state(self) -> None:
        draft, statement = self._draft, self._now.statement(self._draft.language)
        if statement and (statement.format, statement.text) == (draft.format, draft.statement):
            return
        stem = f"{self._now.statement_folder}/problem.{draft.language}"
        if statement:
            self._drop([statement.file])
            stem = statement.file.removesuffix(PurePosixPath(statement.file).suffix)
        if draft.statement.strip():
            self._files[f"{stem}.{_ENDINGS[draft.format]}"] = with_line_end(draft.statement)

    def show_samples(self) -> None:
        """Set the typed samples and remove samples no longer among them."""
        there = {sample.name: sample for sample in self._now.samples}
        names = {sample.name for sample in self._draft.samples}
        for name in there.keys() - names:
            self._drop_case(f"sample/{name}")
        for sample in self._draft.samples:
            before = there.get(sample.name)
            place = f"data/sample/{sample.name if before else self._free_sample()}"
            if before is None or sample.input != before.input:
                self._files[f"{place}.in"] = with_line_end(sample.input)
            if before is None or sample.answer != before.answer:
                self._files[f"{place}.ans"] = with_line_end(sample.answer)

    def limit(self) -> None:
        now, draft = self._now, self._draft
        limits = self._values.get("limits")
        limits = dict(limits) if isinstance(limits, dict) else {}
        if draft.memory_mib != now.memory_mib:
            _set(limits, "memory", draft.memory_mib)
        if draft.time_limit_ms != now.time_limit_ms:
            is_in_yaml = limits.pop("time_limit", None) is not None
            is_beside = _TIME_LIMIT in self._files
            self._drop([_TIME_LIMIT])
            if draft.time_limit_ms is None:
                ini = self._files.get(_INI)
                if isinstance(ini, Path):
                    self._files[_INI] = _INI_LIMIT.sub(b"", ini.read_bytes())
            elif is_in_yaml or not (now.package.is_legacy or is_beside):
                seconds = draft.time_limit_ms / 1_000
                limits["time_limit"] = int(seconds) if seconds == int(seconds) else seconds
            else:
                self._files[_TIME_LIMIT] = f"{seconds_of(draft.time_limit_ms)}\n"
        if limits or "limits" in self._values:
            _set(self._values, "limits", limits)

    def check(self) -> None:
        draft, is_legacy = self._draft, self._now.package.is_legacy
        if draft.checker:
            was_default = self._now.package.output_validator is None
            self._drop_below(*_CHECKER_FOLDERS)
            folder = f"{_CHECKER_FOLDERS[0]}/{CHECKER}" if is_legacy else _CHECKER_FOLDERS[1]
            self._place(folder, draft.checker)
            if was_default and is_legacy:
                self._values["validation"] = "custom"
            if was_default and self._now.takes_flags:
                self._give_flags(())
        elif draft.flags is not None:
            self._drop_below(*_CHECKER_FOLDERS)
            self._values.pop("validation", None)
            self._give_flags(draft.flags)

    def ask_for_functions(self) -> None:
        """Set the main programs, the code to begin with, and the languages in which that leaves something to send."""
        before, after = self._now.functions, self._draft.functions
        for language, typed in after.items():
            if typed != before[language]:
                for names in own_files(PACKAGE_LANGUAGES[language], self._now.files):
                    self._drop(names)
                self._files |= function_files({language: typed})
        untouched = {name: typed for name, typed in before.items() if name not in after}
        codes = [codes_of({**untouched, **functions}) for functions in (before, after)]
        if codes[0] != codes[1]:
            # with those whose main programs no form shows
            hidden = [language for language in PACKAGE_LANGUAGES.values() if language.id not in before]
            others = [language.codes[0] for language in hidden if codes[1] and own_files(language, self._now.files)[0]]
            _set(self._values, "languages", [*codes[1], *others])

    def credit(self) -> None:
        lines = ((self._now.author_key, self._draft.author), ("source", self._draft.source))
        for key, text in (*lines, ("license", self._draft.license)):
            if text is not None and text != self._now.line(key):
                _set(self._values, key, text)

    def add(self) -> None:
        for name, (input_file, answer) in self._draft.tests.items():
            self._files |= {f"data/secret/{name}.in": input_file, f"data/secret/{name}.ans": answer}
        self._place("submissions", self._draft.submissions)
        self._place("input_validators", self._draft.input_validators)
        self._place("attachments", self._draft.attachments)
        self._place(self._now.statement_folder, self._draft.pictures)

    def _free_sample(self) -> str:
        """Return a name that sorts behind all existing samples."""
        place = "data/sample/"
        names = sorted(name[len(place) : -3] for name in self._files if name.startswith(place) and name.endswith(".in"))
        if not names:
            return "1"
        last = names[-1]
        is_number = last.isascii() and last.isdigit()
        following = f"{int(last) + 1:0{len(last)}}" if is_number else str(len(names) + 1)
        return following if following > last else f"{last}-{following}"

    def _give_flags(self, flags: tuple[str, ...]) -> None:
        if self._now.package.is_legacy:
            if flags != self._now.package.validator_flags:
                _set(self._values, "validator_flags", " ".join(flags))
            return
        for name in flag_files(self._now.files):
            path = self._now.files.get(name)
            values = read_yaml(path, name, Report()) if path else {}
            before = dict(values)
            values.pop("output_validator_flags", None)
            _set(values, _FLAGS, list(flags))
            if values == before:
                continue
            if values:
                self._files[name] = write_yaml(values)
            else:
                self._drop([name])

    def _place(self, folder: str, contents: Files) -> None:
        self._files |= {f"{folder}/{name}": content for name, content in contents.items()}

    def _drop(self, names: Iterable[str]) -> None:
        for name in names:
            self._files.pop(name, None)

    def _drop_below(self, *folders: str) -> None:
        self._drop([name for name in self._files if name.startswith(tuple(f"{folder}/" for folder in folders))])

    def _drop_case(self, case: str) -> None:
        self._drop(f"data/{case}{ending}" for ending in CASE_ENDINGS)
        self._drop_below(f"data/{case}.files")


def _set(values: dict[str, object], key: str, value: object) -> None:
    """Set the key to this value; an empty value removes the key."""
    if value in (None, "", [], {}):
        values.pop(key, None)
    else:
        values[key] = value


_YAML = "problem.yaml"
_KIB = 1024
_UNITS = {"memory_bytes": ("memory", MIB), "output_bytes": ("output", MIB), "code_bytes": ("code", _KIB)}
_OWN_KEYS = ("write_calls", "read_calls", "write_factor", "exact_numbers")  # of Tally's, in any version of the format


@contextmanager
def files_as_judged(package: Package, chosen: Mapping[str, Any]) -> Iterator[dict[str, Path]]:
    """Provide the package's files by name, with these settings, named as in ProblemLimits, in place of its own.

    Only what a package can say is written: the processes, cores and stdout of a run, and which points count, are
    settings of the site.
    """
    files = checked_files(package.path)
    values = read_yaml(files[_YAML], _YAML, Report())
    before = copy.deepcopy(values)
    limits = values.get("limits")
    limits = dict(limits) if isinstance(limits, dict) else {}
    changed: dict[str, Content] = dict(files)
    is_strict = values.get("problem_format_version") == STRICT_VERSION
    for name, (key, unit) in _UNITS.items():
        if name in chosen:
            size = chosen[name] / unit
            limits[key] = math.ceil(size) if is_strict or size == int(size) else size
    limits |= {key: chosen[key] for key in _OWN_KEYS if key in chosen}
    time_limit_ms = chosen.get("time_limit_ms")
    if time_limit_ms is not None and (limits.get("time_limit") is not None or not package.is_legacy):
        changed.pop(_TIME_LIMIT, None)
        seconds = time_limit_ms / 1_000
        limits["time_limit"] = int(seconds) if seconds == int(seconds) else seconds
        resolution = limits.get("time_resolution", 1.0 if is_strict else None)
        step_ms = round(resolution * 1_000) if isinstance(resolution, int | float) and resolution > 0 else None
        if step_ms is not None and time_limit_ms % max(1, step_ms):
            limits["time_resolution"] = 0.001
    elif time_limit_ms is not None:
        changed[_TIME_LIMIT] = f"{seconds_of(time_limit_ms)}\n"
    if limits:
        values["limits"] = limits
    if values != before:
        changed[_YAML] = write_yaml(values)
    with TemporaryDirectory(prefix="tally-chosen-") as folder:
        yield on_disk(dict(sorted(changed.items())), Path(folder, "files"))
