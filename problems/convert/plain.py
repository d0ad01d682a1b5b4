"""Read a folder that has only tests: pairs of files such as `1.in` and `1.out`, anywhere in it.

The format: nobody wrote it down. Inputs and outputs are told by their names (`problems.convert.pairs`); with "sample"
or "example" in its name a test is a sample; `problem.md`, `statement.tex` or the like, and the pictures beside it, are
the statement. There is no time limit, no checker, and no title but the statement's or the archive's own name; a file
that could be one of these is refused (`problems.convert.source`).
"""

import re
from pathlib import PurePosixPath

from problems.convert.native import NativeCase, NativeProblem
from problems.convert.pairs import Pair, natural_key, pair_up, sorting_names, stem_of
from problems.convert.source import Source, find_statement, report_leftovers, title_of
from problems.format.files import printable
from problems.translation import Sentence

_GENERIC = re.compile(r"secret|hidden|tests?|data|testdata|testcases?|cases?|samples?|examples?", re.IGNORECASE)


def read_plain(source: Source) -> NativeProblem:
    """Return the problem; the report gets inputs without output and the like."""
    pairing, report = pair_up(source.files), source.report
    for name in pairing.lonely:
        stem = PurePosixPath(name).stem
        why = Sentence("is an input without an output (looked for %(stem)s.out, %(stem)s.ans and such)", stem=stem)
        report.error(printable(name), "", why)
    for name, first in pairing.doubled:
        why = Sentence("stands for the same test as %(first)s: only one of them can count", first=printable(first))
        report.error(printable(name), "", why)
    for name in pairing.spare:
        report.warn(printable(name), "", Sentence("is left out: it is an output without an input"))
    statement = find_statement(source)
    used = {name for pair in pairing.pairs for name in (pair.input, pair.output)}
    used |= {*statement.names, *pairing.lonely, *pairing.spare, *(name for name, _ in pairing.doubled)}
    report_leftovers(source, [name for name in source.files if name not in used], Sentence("a zip of tests"))
    has_secret = any(not pair.is_sample for pair in pairing.pairs)  # if all are samples, all judge
    cases = []
    for is_sample in (True, False):
        pairs = [pair for pair in pairing.pairs if (pair.is_sample and has_secret) is is_sample]
        pairs.sort(key=lambda pair: natural_key(bare_name(pair)))
        for name, pair in zip(sorting_names([bare_name(pair) for pair in pairs]), pairs, strict=True):
            input_file, answer = source.files[pair.input], source.files[pair.output]
            cases.append(NativeCase(name=name, input=input_file, answer=answer, is_sample=is_sample))
    return NativeProblem(
        title=statement.title or title_of(source.short_name),
        cases=tuple(cases),
        statements=statement.statements,
        pictures=statement.pictures,
    )


def bare_name(pair: Pair) -> str:
    """Return the pair's name without uninformative folders."""
    *folders, last = stem_of(pair).split("/")
    return "-".join((*[folder for folder in folders if not _GENERIC.fullmatch(folder)], last or "test"))
