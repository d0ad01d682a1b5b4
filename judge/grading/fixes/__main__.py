"""`python -m judge.grading.fixes LANGUAGE CODE... < SOURCE`: the source with these fixes applied, as JSON."""

import json
import sys
from collections.abc import Sequence
from difflib import unified_diff

from judge.grading.fixes.editing import Rewriters, applied
from judge.grading.languages import language_by_id
from judge.grading.languages.syntax.bounds import bound_this_process

_HEAD_LINES = 2  # of a unified diff: the names of the two files


def main() -> None:
    """Rewrite, then tell."""
    rewriters = language_by_id(sys.argv[1]).load_rewriters()  # while this process may still open files
    bound_this_process()
    source = sys.stdin.buffer.read()
    changed, codes = rewritten(source, rewriters, sys.argv[2:])
    before, after = source.decode("utf-8"), changed.decode("utf-8")
    diff = list(unified_diff(before.splitlines(), after.splitlines(), lineterm=""))[_HEAD_LINES:]
    json.dump({"source": after, "codes": codes, "diff": diff}, sys.stdout)


def rewritten(source: bytes, rewriters: Rewriters, codes: Sequence[str]) -> tuple[bytes, list[str]]:
    """Return the source with these fixes applied, one after the other, and the codes of those that changed it."""
    done = []
    for code in codes:
        edits = rewriters[code](source)
        if edits:
            source = applied(source, edits)
            done.append(code)
    return source, done


if __name__ == "__main__":
    main()
