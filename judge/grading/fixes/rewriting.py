"""Rewrite a source, in a process of its own with limits on time and memory (`python -m judge.grading.fixes`).

What is too much for it is a source that cannot be rewritten.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.grading.languages import Language
from sandbox.jail.patience import output_of

_WALL_S = 10  # its own limit is on CPU time; this one is for a machine that gives it none
_ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rewritten:
    """A changed source. `codes`: the fixes that found something to change; `diff`: a unified diff, without its head."""

    source: str
    codes: tuple[str, ...]
    diff: tuple[str, ...]


def rewrite(source: bytes, language: Language, codes: Sequence[str]) -> Rewritten | None:
    """Apply these fixes, one after the other. None if none of them applies, or the source cannot be read or is not
    UTF-8. Takes some 60 ms, at most some seconds; never raises.
    """
    command = [sys.executable, "-P", "-m", "judge.grading.fixes", language.id, *codes]
    environment = {"PATH": os.defpath, "PYTHONPATH": str(_ROOT)}
    try:
        said = json.loads(output_of(command, _WALL_S, stdin=source, env=environment, cwd="/"))
        rewritten = Rewritten(source=said["source"], codes=tuple(said["codes"]), diff=tuple(said["diff"]))
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):  # OSError: no room for a process
        return None
    return rewritten if rewritten.codes else None
