"""`python -m judge.grading.reading.stderr LANGUAGE FILE EXIT SIGNAL < STDERR`: the errors that it reports, as JSON.

FILE: what the student's source is called there, "" if no line is the student's. EXIT, SIGNAL: how the program ended;
"-": not so. The answer: {"fatal", "lost"}, each the values of a `ProgramError` or null.
"""

import json
import sys
from dataclasses import asdict, replace
from importlib import import_module

from judge.grading.reading.program_errors import MOST_CHARACTERS, ProgramError, Said


def main() -> None:
    """Answer."""
    language, file, exit_code, number = sys.argv[1:]
    reader = import_module(f"judge.grading.reading.stderr.{language}")
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    errors = reader.read(Said(text=text, file=file, exit_code=_number(exit_code), signal=_number(number)))
    json.dump({"fatal": _values(errors.fatal), "lost": _values(errors.lost)}, sys.stdout)


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)


def _values(error: ProgramError | None) -> dict[str, object] | None:
    if error is None:
        return None
    most = MOST_CHARACTERS + 1  # so that the worker sees which text it has to cut
    return asdict(replace(error, name=error.name[:most], message=error.message.strip()[:most]))


if __name__ == "__main__":
    main()
