"""A folder of tests and nothing else: pairs of files such as `1.in` and `1.out`, wherever they lie.

The format: nobody wrote it down. Inputs and outputs are told by their names (`problems.convert.pairs`); with "sample"
or "example" in its name a test is a sample; `problem.md`, `statement.tex` or the like, and the pictures beside it, are
the statement. There is no time limit, no checker, and no title but the statement's or the archive's own name.
"""

import re
from pathlib import Path, PurePosixPath

from problems.convert.naming import natural_key, sorting_names
from problems.convert.native import NativeCase, NativeProblem, NativeStatement
from problems.convert.pairs import Pair, Pairing, pair_up, stem_of
from problems.convert.source import PICTURES, Source, suffix_of, title_of
from problems.files import printable
from problems.package import PackageError
from problems.report import Report
from problems.statements import MOST_BYTES, braced, plain_text
from problems.yamlfile import read_text

_STATEMENT = re.compile(r"(problem|statement|description|readme)(?:[._-](?P<language>[a-z]{2}))?\.(?P<kind>md|tex|pdf)")
_FORMATS = {"md": "markdown", "tex": "latex", "pdf": "pdf"}
_GENERIC = re.compile(r"secret|hidden|tests?|data|testdata|testcases?|cases?|samples?|examples?", re.IGNORECASE)
_HEADING = re.compile(r"\A\s*#\s+(.+?)\s*#*\s*$", re.MULTILINE)
_TITLE_LENGTH = 200
_LOOKED_AT = 64 * 1024


def read_plain(source: Source) -> NativeProblem:
    """Return the problem; inputs without output and the like go into the report."""
    pairing = pair_up(source.files)
    _report(pairing, source.report)
    statement = _find_statement(source)
    pictures = _pictures(source, statement)
    used = {name for pair in pairing.pairs for name in (pair.input, pair.output)}
    used |= {*pictures, *pairing.lonely, *pairing.spare, *(name for name, _ in pairing.doubled)}
    source.warn_left_out([name for name in source.files if name not in used and name != statement])
    return NativeProblem(
        title=_title(source, statement) or title_of(source.short_name),
        cases=_cases(pairing.pairs, source),
        statements=_statements(source, statement),
        pictures={PurePosixPath(name).name: source.files[name] for name in pictures},
    )


def _report(pairing: Pairing, report: Report) -> None:
    for name in pairing.lonely:
        stem = PurePosixPath(name).stem
        report.error(printable(name), "", f"is an input without an output (looked for {stem}.out, {stem}.ans and such)")
    for name, first in pairing.doubled:
        report.error(printable(name), "", f"stands for the same test as {printable(first)}: only one of them can count")
    for name in pairing.spare:
        report.warn(printable(name), "", "is left out: it is an output without an input")


def _cases(pairs: tuple[Pair, ...], source: Source) -> tuple[NativeCase, ...]:
    """The cases, named so that they sort naturally. If all were samples, none could be tested with: all are secret."""
    has_secret = any(not pair.is_sample for pair in pairs)
    cases = []
    for is_sample in (True, False):
        chosen = [pair for pair in pairs if (pair.is_sample and has_secret) is is_sample]
        chosen.sort(key=lambda pair: natural_key(_short(pair)))
        for name, pair in zip(sorting_names([_short(pair) for pair in chosen]), chosen, strict=True):
            given, answer = source.files[pair.input], source.files[pair.output]
            cases.append(NativeCase(name=name, input=given, answer=answer, is_sample=is_sample))
    if any(_has_windows_lines(source.files[pair.input]) for pair in pairs):
        why = "have lines that end as on Windows (\\r\\n), which the programs will read"
        source.report.warn("the archive", "", f"inputs {why}")
    return tuple(cases)


def _short(pair: Pair) -> str:
    """The pair's name without the folders that say nothing."""
    *folders, last = stem_of(pair).split("/")
    kept = [folder for folder in folders if not _GENERIC.fullmatch(folder)]
    return "-".join((*kept, last or "test"))


def _has_windows_lines(path: Path) -> bool:
    with path.open("rb") as file:
        return b"\r\n" in file.read(_LOOKED_AT)


def _find_statement(source: Source) -> str | None:
    """The file with the statement: Markdown before LaTeX before PDF, the one nearest to the top."""
    found = []
    for name in source.files:
        match = _STATEMENT.fullmatch(PurePosixPath(name).name.lower())
        if match:
            found.append((list(_FORMATS).index(match["kind"]), name.count("/"), match[1] == "readme", name))
    return min(found)[-1] if found else None


def _statements(source: Source, name: str | None) -> tuple[NativeStatement, ...]:
    if name is None:
        return ()
    match = _STATEMENT.fullmatch(PurePosixPath(name).name.lower())
    assert match is not None
    language = match["language"] or "en"
    return (NativeStatement(source=source.files[name], format=_FORMATS[match["kind"]], language=language),)


def _pictures(source: Source, statement: str | None) -> list[str]:
    """The pictures that lie beside the statement."""
    if statement is None:
        return []
    folder = PurePosixPath(statement).parent
    return [name for name in source.files if PurePosixPath(name).parent == folder and suffix_of(name) in PICTURES]


def _title(source: Source, name: str | None) -> str:
    """The title that the statement gives."""
    if name is None or name.lower().endswith(".pdf"):
        return ""
    try:
        text = read_text(source.files[name], printable(name), MOST_BYTES)
    except PackageError as error:
        source.report.add(error)
        return ""
    if name.lower().endswith(".md"):
        heading = _HEADING.match(text)
        return heading[1][:_TITLE_LENGTH] if heading else ""
    return plain_text(braced(text, r"\problemname") or "")[:_TITLE_LENGTH]
