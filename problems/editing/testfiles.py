"""Uploaded tests: turn single files and zips of pairs, in any naming, into pairs with sortable names."""

import io
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePosixPath

from problems.archive.reading import Allowance, Kind, open_archive, read_entries, unpack
from problems.convert.native import Content
from problems.convert.pairs import natural_key, pair_up, sorting_names
from problems.convert.plain import bare_name
from problems.diagnostics import Report
from problems.format.files import Caps, checked_files, printable
from problems.package import PackageError, PackageErrors
from problems.translation import Sentence

_NAME_LENGTH = 150
_FIT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}")


def read_tests(
    sent: Sequence[tuple[str, Content]], scratch: Path, there: Collection[str] = ()
) -> dict[str, tuple[Content, Content]]:
    """Return input and answer by name, in sorting order. Unpacks zips below the folder `scratch`.

    A test keeps a name that is among `there`, whose place it takes. Raises PackageErrors with every file that has no
    partner, or stands for the same test as another one.
    """
    report = Report()
    files: dict[str, Content] = {}
    allowance = Allowance(Caps())
    for number, (name, content) in enumerate(sent):
        entries: Mapping[str, Content] = {name: content}
        if name.lower().endswith(".zip"):
            try:
                entries = _unpacked(name, content, scratch / f"zip-{number}", allowance)
            except PackageError as error:
                report.add(error)
                continue
        for inner, inner_content in entries.items():
            if inner in files:
                report.error(printable(inner), "", Sentence("is there twice"))
            files[inner] = inner_content
    report.stop_if_broken()
    return _pairs(files, there, report)


def _unpacked(name: str, content: Content, folder: Path, allowance: Allowance) -> dict[str, Path]:
    report = Report()
    content = content.encode() if isinstance(content, str) else content
    file = content.open("rb") if isinstance(content, Path) else io.BytesIO(content)
    with file, open_archive(file, printable(name)) as archive:
        entries = read_entries(archive, allowance.caps, report)
        report.stop_if_broken()
        folder.mkdir(parents=True)
        unpack(archive, [entry for entry in entries if entry.kind is not Kind.LINK], folder, allowance)
    files = checked_files(folder)
    top = next(iter(files), "").partition("/")[0] + "/"
    is_one_folder = all(name.startswith(top) for name in files)
    return {name.removeprefix(top): path for name, path in files.items()} if is_one_folder else files


def _pairs(files: dict[str, Content], there: Collection[str], report: Report) -> dict[str, tuple[Content, Content]]:
    pairing = pair_up(files)
    for name in pairing.lonely:
        stem = PurePosixPath(name).stem
        why = Sentence("is an input without an output (looked for %(stem)s.out, %(stem)s.ans and such)", stem=stem)
        report.error(printable(name), "", why)
    for name in pairing.spare:
        report.error(printable(name), "", Sentence("is an output without an input"))
    for name, first in pairing.doubled:
        report.error(printable(name), "", Sentence("stands for the same test as %(first)s", first=printable(first)))
    if files and not pairing.pairs and not report.errors:
        why = Sentence("is no test: send pairs such as 1.in and 1.ans, or a zip of them")
        report.error(printable(next(iter(files))), "", why)
    report.stop_if_broken()
    pairs = sorted(pairing.pairs, key=lambda pair: natural_key(bare_name(pair)))
    bare = [bare_name(pair) for pair in pairs]
    renamed = zip(bare, sorting_names(bare), strict=True)
    names = [old if old in there and _FIT.fullmatch(old) else new for old, new in renamed]
    for pair, name in zip(pairs, names, strict=True):
        if len(name) > _NAME_LENGTH:
            report.error(printable(pair.input), "", Sentence("has too long a name"))
    report.stop_if_broken()
    if len(set(names)) < len(names):
        why = Sentence("have names that are hard to tell apart")
        raise PackageErrors([PackageError(Sentence("the tests"), "", why)])
    return {name: (files[pair.input], files[pair.output]) for name, pair in zip(names, pairs, strict=True)}
