"""The problems of a manifest: inputs and answers, given as they are or by a rule in words, or an interactor.

A rule is one of two sentences: "'TEXT' followed by 16 MiB of spaces" and "100000 lines 'TEXT'". An interactor is
"support/NAME.py (secret 1..1000 as argument, ...)".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.types import MIB
from tests.hostile.corpus.limits import KIB

CANARY_HERE = "{canary}"  # in hidden_stdin
_PADDED = re.compile(
    r"'(?P<text>[^']*)' followed by (?P<count>\d+) (?P<unit>bytes|KiB|MiB) of (?P<filler>spaces|newlines)"
)
_LINES = re.compile(r"(?P<count>\d+) lines '(?P<text>[^']*)'")
_INTERACTOR = re.compile(r"(?P<file>[\w./-]+\.py) \(secret (?P<least>\d+)\.\.(?P<most>\d+) as argument\b.*\)")
_UNITS = {"bytes": 1, "KiB": KIB, "MiB": MIB}
_FILLERS = {"spaces": " ", "newlines": "\n"}
_MOST_BYTES = 64 * MIB
_SECRET = 613  # as far from the least secret as this, where there are so many


@dataclass(frozen=True, kw_only=True, slots=True)
class StatedProblem:
    """One problem. With an interactor, which is given `secret`, there is neither input nor answer."""

    stdin: str = ""
    answer: str = ""
    hidden_stdin: str = ""  # of a hidden test with the same answer, CANARY_HERE for a secret; "": there is none
    interactor: Path | None = None
    secret: int = 0


def stated_problem(table: Mapping[str, str], folder: Path) -> StatedProblem:
    """The problem of a table whose keys are known; its files lie in `folder`. Raises ValueError: which key, and why."""
    if "interactor" in table:
        others = sorted({"stdin", "stdin_rule", "answer", "answer_rule", "hidden_stdin"} & table.keys())
        if others:
            raise ValueError(f"{others[0]}: a problem with an interactor has none")
        return _interactive(table["interactor"], folder)
    hidden = table.get("hidden_stdin", "")
    if hidden and CANARY_HERE not in hidden:
        raise ValueError(f"hidden_stdin: does not hold {CANARY_HERE}")
    return StatedProblem(stdin=_content(table, "stdin"), answer=_content(table, "answer"), hidden_stdin=hidden)


def _interactive(words: str, folder: Path) -> StatedProblem:
    match = _INTERACTOR.fullmatch(words)
    if match is None:
        raise ValueError(f'interactor: "{words}" is not of the form "support/NAME.py (secret 1..1000 as argument)"')
    path = (folder / match["file"]).resolve()
    if not path.is_file() or not path.is_relative_to(folder.resolve()):
        raise ValueError(f"interactor: there is no file {match['file']} in the corpus")
    least, most = int(match["least"]), int(match["most"])
    if least > most:
        raise ValueError(f"interactor: no secret is in {least}..{most}")
    return StatedProblem(interactor=path, secret=least + (_SECRET - 1) % (most - least + 1))


def _content(table: Mapping[str, str], key: str) -> str:
    rule = f"{key}_rule"
    if (key in table) == (rule in table):
        raise ValueError(f"{key}: give it or {rule}, one of the two")
    if key in table:
        return table[key]
    padded, lines = _PADDED.fullmatch(table[rule]), _LINES.fullmatch(table[rule])
    match = padded or lines
    if match is None:
        raise ValueError(f'{rule}: "{table[rule]}" is no rule that is known here')
    text, count = match["text"].replace("\\n", "\n"), int(match["count"])
    size = count * (_UNITS[match["unit"]] if padded else len(text) + 1)
    if size > _MOST_BYTES:
        raise ValueError(f"{rule}: {size} bytes; at most {_MOST_BYTES} are made")
    return text + _FILLERS[match["filler"]] * size if padded else f"{text}\n" * count
