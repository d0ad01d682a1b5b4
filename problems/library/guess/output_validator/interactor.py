"""Play the game with a submission: its output is standard input here, and what is written here is its input.

Usage: interactor.py INPUT ANSWER FEEDBACK_DIR/. Exit 42 accepts, 43 rejects; anything else is a judge error.
"""

import os
import sys
from pathlib import Path

ACCEPTED, REJECTED = 42, 43
MOST_QUESTIONS = 20
MOST_DIGITS = 7
LINE_BYTES = 64


class Refused(Exception):
    """The submission broke the rules, or named another number; the message is for the judges."""


def say(line):
    """Tell the submission; without a buffer, so that nothing is left to be written when it has gone."""
    try:
        os.write(1, f"{line}\n".encode())
    except BrokenPipeError:
        raise Refused("it ended while it was told something") from None


def hear(n):
    """The next line of the submission: "?" or "!" and a number."""
    line = sys.stdin.buffer.readline(LINE_BYTES)
    if not line:
        raise Refused("it ended before it named a number")
    words = line.decode("utf-8", "replace").split()
    if not line.endswith(b"\n") or len(words) != 2 or words[0] not in ("?", "!"):
        raise Refused(f"expected '? x' or '! x', got {line[:40]!r}")
    if not (words[1].isascii() and words[1].isdigit() and len(words[1]) <= MOST_DIGITS and 1 <= int(words[1]) <= n):
        raise Refused(f"expected a number from 1 to {n}, got {words[1][:40]!r}")
    return words[0], int(words[1])


def play(n, number):
    """Answer questions until the submission names a number. Returns how many there were; raises Refused."""
    say(n)
    for questions in range(MOST_QUESTIONS + 1):
        kind, x = hear(n)
        if kind == "!":
            if x != number:
                raise Refused(f"named {x} after {questions} questions; the number is {number}")
            return questions
        if questions == MOST_QUESTIONS:
            break
        say("<" if number < x else ">" if number > x else "=")
    raise Refused(f"asked more than {MOST_QUESTIONS} questions")


def main():
    input_file, _, feedback_dir = map(Path, sys.argv[1:4])
    n, number = map(int, input_file.read_text().split())
    try:
        message, code = f"{play(n, number)} questions", ACCEPTED
    except Refused as refused:
        message, code = str(refused), REJECTED
    (feedback_dir / "judgemessage.txt").write_text(message + "\n")
    return code


sys.exit(main())
