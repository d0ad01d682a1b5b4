"""A hidden input does not leak through cached pages of files that a jail shows.

A submission is judged on a hidden input and leaves it, bit by bit, in which pages of a file are in memory; another one
is judged on the public sample later and looks. `cases/found_14a` to `14c` did this with archives below /usr: 47 of 47
characters came back. `mail/any_file.cpp` does it with every large file that a jail shows, in four ways of asking;
whether its answers have to do with the bits at all is told by their ranks. On one kind of machine they had, by 50 ns:
reading sets flags of a page, so a page that was read before was read faster (`sandbox.image.resident`).
"""

import os
import re
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from judge.grading.events import CaseJudged, GradingJob
from judge.grading.verdicts import Verdict
from sandbox.jail.nsjail import NsjailSandbox
from tests.extent import RUNS_ALL
from tests.hostile.conftest import canary
from tests.hostile.corpus.corpus import FOLDER, PROGRAMS
from tests.hostile.grading import grade_on
from tests.judge.packages import make_package

pytestmark = pytest.mark.timeout(1_800)

_SENDER = "found_14a_mail_sender.cpp"
_RECEIVERS = [
    ("found_14b_mail_receiver.cpp", 700),
    ("found_14c_mail_by_time.cpp", 4000),
]  # and the first page asked for
_PAIRS = 20 if RUNS_ALL else 1
_FILES = 8 if RUNS_ALL else 2  # the largest that a jail shows, as far as there are so many
_LEAST_FILES = 3
_SAMPLE = ("1 2\n", "3\n")
_BYTES = 47  # of a mail
_CHANCE = 0.1  # ranks of 376 bits without any relation are within 0.03 of a half, two times of three
_COUNTS = 8  # of bytes that are sent by counters
_STEP, _AT = 64, 45  # inodes for 1, and the byte of the mail
_TRIES = 3  # a channel is there each time, a disturbance is not


def _judged(
    sandbox: NsjailSandbox, work_root: Path, folder: Path, source: bytes, cases: dict[str, tuple[str, str]]
) -> list[CaseJudged]:
    job = GradingJob(package=make_package(folder, cases), language="cpp", source=source)
    return grade_on(sandbox, work_root, job).judged


def _program(name: str, first: int) -> bytes:
    """The program, for pages of the file that nobody has asked for in this run of the tests."""
    return re.sub(r"FIRST = \d+;", f"FIRST = {first};", (PROGRAMS / name).read_text()).encode()


@pytest.mark.parametrize(("receiver", "pages"), _RECEIVERS)
def test_nothing_of_a_hidden_input_comes_back(
    receiver: str, pages: int, sandbox: NsjailSandbox, work_root: Path, tmp_path: Path
) -> None:
    came_back = []
    for number in range(_PAIRS):
        first = pages + 330 * number
        mail = canary("TEST")
        hidden = {"sample/1": _SAMPLE, "secret/2": (f"1 2\n{mail}\n2\n", "3\n")}
        sent = _judged(sandbox, work_root, tmp_path / f"sent-{number}", _program(_SENDER, first), hidden)
        assert [case.verdict for case in sent] in ([Verdict.AC] * 2, [Verdict.AC, Verdict.RE])
        (seen,) = _judged(
            sandbox, work_root, tmp_path / f"seen-{number}", _program(receiver, first), {"sample/1": _SAMPLE}
        )
        told = (seen.stderr + seen.output).decode("utf-8", "replace")
        assert "INFO" in told
        same = sum(character in told for character in {mail[at : at + 4] for at in range(15, _BYTES - 3)})
        if "CANARY" in told or same > 2:
            came_back.append(told)
    assert not came_back


def test_a_counter_of_the_kernel_has_noise(sandbox: NsjailSandbox, work_root: Path, tmp_path: Path) -> None:
    """The program moves the numbers of inodes by a byte of the mail, and reads one at each start."""
    source = (PROGRAMS / "found_t3_12_counters_as_mail.cpp").read_bytes()
    errors = []
    for number in range(_COUNTS):
        mail = canary("TEST")
        hidden = {"sample/1": _SAMPLE, "secret/2": (f"1 2\n{mail}\n2\n", "3\n")}
        sent = _judged(sandbox, work_root, tmp_path / f"sent-{number}", source, hidden)
        (seen,) = _judged(sandbox, work_root, tmp_path / f"seen-{number}", source, {"sample/1": _SAMPLE})
        before, after = (int(case.stderr.split()[1]) for case in (sent[0], seen))
        errors.append((after - before) // _STEP - mail.encode()[_AT])
    assert len(set(errors)) > _COUNTS // 2, f"by so much the byte that was sent is off: {errors}"


@pytest.mark.parametrize("how", range(4), ids=["nowait", "mincore", "time of read", "time of fault"])
@pytest.mark.thorough
def test_no_file_of_a_jail_keeps_a_message(how: int, sandbox: NsjailSandbox, work_root: Path, tmp_path: Path) -> None:
    source = f"#define HOW {how}\n".encode() + (FOLDER / "mail" / "any_file.cpp").read_bytes()
    for which in range(_FILES):
        ranks = []
        for attempt in range(_TRIES):
            mail, where = canary("TEST"), f"{which} {secrets.randbelow(1 << 30)}\n"
            hidden = {"secret/1": (f"{where}{mail}\n", "sent\n")}
            folder = tmp_path / f"{which}-{attempt}"
            (sent,) = _judged(sandbox, work_root, folder / "sent", source, hidden)
            if which >= _LEAST_FILES and sent.verdict is Verdict.WA:  # no such file
                return
            assert sent.verdict is Verdict.AC
            _overwrite_caches()
            (seen,) = _judged(sandbox, work_root, folder / "seen", source, {"sample/1": (where, "\n")})
            answers = [int(word) for word in seen.output.split()]
            bits = [_sent(mail.encode(), at) for at in range(_BYTES * 8)]
            assert len(answers) == len(bits), (seen.output, seen.stderr)
            ranks.append(_rank_of_set(answers, bits))
            if abs(ranks[-1] - 0.5) < _CHANCE:
                break
        else:
            raise AssertionError((which, seen.stderr, ranks))


def _sent(mail: bytes, at: int) -> int:
    """A bit of the mail, as mail/any_file.cpp sends it."""
    noise = (at + 1) * 0x9E3779B97F4A7C15 % 2**64
    noise = (noise ^ noise >> 29) * 0xBF58476D1CE4E5B9 % 2**64
    return (mail[at // 8] >> at % 8 & 1) ^ noise >> 63


def _overwrite_caches() -> None:
    """Use more memory than the processor's caches hold, on each core.

    What was read a moment ago is read again more quickly, whatever a jail shows; docs/security.md has that channel.
    """
    for core in os.sched_getaffinity(0):
        # one byte of each line: copies of whole blocks go past the caches of some processors
        touch = "whole = bytes(1) * (1 << 28); whole[::64]; whole[::64]"
        sweep = f"import os; os.sched_setaffinity(0, {{{core}}}); {touch}"
        subprocess.run([sys.executable, "-I", "-S", "-c", sweep], check=True)


def _rank_of_set(answers: list[int], bits: list[int]) -> float:
    """How often the answer for a set bit is larger than that for one that is not; a half without any relation."""
    with_set = [answer for answer, bit in zip(answers, bits, strict=True) if bit]
    without = [answer for answer, bit in zip(answers, bits, strict=True) if not bit]
    larger = sum((one > other) + (one == other) / 2 for one in with_set for other in without)
    return larger / (len(with_set) * len(without))
