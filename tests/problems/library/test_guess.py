"""The interactor of the problem `guess`: what it accepts, what it refuses, and that it always has a word."""

import subprocess
import sys
from pathlib import Path

import pytest

INTERACTOR = Path(__file__).resolve().parents[3] / "problems/library/guess/output_validator/interactor.py"
ACCEPTED, REJECTED = 42, 43


def play(folder: Path, said: bytes) -> tuple[int, list[str], str]:
    """Its exit code, its replies and its message when all of `said` comes at once; the number is 7 of 1 to 10."""
    (folder / "input").write_text("10 7\n")
    command = [sys.executable, "-I", str(INTERACTOR), str(folder / "input"), "", f"{folder}/"]
    ended = subprocess.run(command, input=said, capture_output=True, check=False, timeout=60)
    assert ended.stderr == b""
    return ended.returncode, ended.stdout.decode().splitlines(), (folder / "judgemessage.txt").read_text().strip()


@pytest.mark.parametrize(
    ("said", "replies"),
    [
        (b"! 7\n", ["10"]),
        (b"? 5\n? 8\n? 7\n! 7\n", ["10", ">", "<", "="]),
        (b"? 1\n" * 20 + b"! 7\n", ["10", *">" * 20]),
        (b"  !   7 \r\n", ["10"]),
    ],
)
def test_the_right_number_within_twenty_questions_is_accepted(tmp_path: Path, said: bytes, replies: list[str]) -> None:
    code, told, message = play(tmp_path, said)
    assert (code, told) == (ACCEPTED, replies)
    assert message == f"{len(replies) - 1} questions"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (b"", "it ended before it named a number"),
        (b"? 5\n", "it ended before it named a number"),
        (b"! 6\n", "named 6 after 0 questions; the number is 7"),
        (b"? 1\n" * 21, "asked more than 20 questions"),
        (b"? 0\n", "expected a number from 1 to 10, got '0'"),
        (b"? 11\n", "expected a number from 1 to 10, got '11'"),
        (b"? -5\n", "expected a number from 1 to 10, got '-5'"),
        ("? \u0665\n".encode(), "expected a number from 1 to 10, got '\u0665'"),
        (b"! " + b"7" * 5_000, "expected '? x' or '! x', got "),
        (b"! 7", "expected '? x' or '! x', got b'! 7'"),
        (b"7\n", "expected '? x' or '! x', got b'7\\n'"),
        (bytes(range(256)), "expected '? x' or '! x', got "),
    ],
)
def test_everything_else_is_refused_with_a_word(tmp_path: Path, said: bytes, message: str) -> None:
    code, _, told = play(tmp_path, said)
    assert code == REJECTED
    assert told.startswith(message)


def test_a_submission_that_does_not_listen_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "input").write_text("10 7\n")
    command = [sys.executable, "-I", str(INTERACTOR), str(tmp_path / "input"), "", f"{tmp_path}/"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as interactor:
        assert interactor.stdin is not None
        assert interactor.stdout is not None
        interactor.stdout.close()
        interactor.stdin.close()
        assert interactor.wait(60) == REJECTED
    assert "ended while it was told something" in (tmp_path / "judgemessage.txt").read_text()
