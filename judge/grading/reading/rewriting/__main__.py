"""`python -m judge.grading.reading.rewriting LANGUAGE CODE... < SOURCE`: the source with these fixes, as JSON.

A code may have lines behind a colon, for which it is meant. The answer: {"source", "codes": those that changed it,
"diff": the rows of a unified diff without its head}.
"""

import json
import sys
from collections.abc import Sequence
from difflib import unified_diff
from importlib import import_module
from types import ModuleType

from judge.grading.reading.rewriting import leftover
from judge.grading.reading.rewriting.editing import applied

_HEAD_LINES = 2  # of a unified diff: the names of the two files


def main() -> None:
    """Answer."""
    language, *codes = sys.argv[1:]
    source = sys.stdin.buffer.read()
    changed, done = rewritten(source, import_module(f"judge.grading.reading.rewriting.{language}"), codes)
    before, after = source.decode("utf-8"), changed.decode("utf-8")
    diff = list(unified_diff(before.splitlines(), after.splitlines(), lineterm=""))[_HEAD_LINES:]
    json.dump({"source": after, "codes": done, "diff": diff}, sys.stdout)


def rewritten(source: bytes, language: ModuleType, codes: Sequence[str]) -> tuple[bytes, list[str]]:
    """Return the source with these fixes of a language's module, in their order, and the codes that changed it."""
    done = []
    for code in codes:
        name, _, lines = code.partition(":")
        if name == leftover.CODE:
            edits = leftover.without_prints(language.read_code(source), {int(line) for line in lines.split(",")})
        else:
            edits = language.REWRITERS[name](language.read_code(source))
        if edits:
            source = applied(source, edits)
            done.append(code)
    return source, done


if __name__ == "__main__":
    main()
