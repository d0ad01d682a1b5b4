"""What strace sees of a program, call by call: by name, per stream, and what of it the kernel's books should hold."""

import os
import pty
import re
import subprocess
import threading
import tty
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.types import STREAMS, Command, Destination
from tests.sandbox.meter.counted import ENVIRONMENT, JAIL_ENVIRONMENT, LIKE_THE_JAIL, READS, WRITES
from tests.sandbox.metered import PATIENCE_S, SAME_ADDRESSES

BOTH_ENDS = {"sendfile": (0, 1), "tee": (0, 1), "splice": (0, 2), "copy_file_range": (0, 2)}  # which arguments
IN_STREAMS = {**dict.fromkeys((*READS, *WRITES, "vmsplice"), (0,)), **BOTH_ENDS}
# Told by the kernel before it looks into its books; of vectors only a wrong offset is.
UNSEEN = {"EBADF", "EINVAL", "ESPIPE"}
VECTORS = {"readv", "writev", "preadv", "pwritev", "preadv2", "pwritev2"}
MOVES_IN_BOOKS = ("sendfile", "copy_file_range")


@dataclass(frozen=True)
class Seen:
    """What strace saw."""

    syscalls: dict[str, int]
    streams: dict[str, tuple[int, int]] = field(default_factory=dict)  # calls and bytes
    books: tuple[int, ...] = (0, 0, 0, 0)  # read calls and bytes, write calls and bytes
    unsure: int = 0  # calls that failed and of which the kernel's source alone tells whether the books have them


def straced_script(command: Command, work: Path) -> Seen:
    """Run under strace as a user without power, in the folder `work`, which is to be on a tmpfs as in the jail."""
    table = work / "strace.txt"
    user = ("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups")
    start = (*SAME_ADDRESSES, *LIKE_THE_JAIL[:-2], *user, *LIKE_THE_JAIL[-2:])
    argv = [*start, "-f", "-y", "-C", "-U", "name,calls", "-s", "0", "-o", str(table), *command.argv]
    with _streams_of(command) as given:
        links = (str(Path(f"/proc/self/fd/{descriptor}").readlink()) for descriptor in given)
        names = [link.removesuffix(" (deleted)") for link in links]  # strace writes <link>(deleted)
        process = subprocess.Popen(
            argv, cwd=work, env=JAIL_ENVIRONMENT | ENVIRONMENT, stdin=given[0], stdout=given[1], stderr=given[2]
        )
        process.wait(PATIENCE_S)
    traced, _, summary = table.read_text().partition("\nsyscall ")
    return _seen(list(_whole_lines(traced.splitlines())), summary, dict(zip(names, STREAMS, strict=False)))


@contextmanager
def _streams_of(command: Command) -> Iterator[tuple[int, ...]]:
    """Stdin, stdout and stderr; what comes out of a pipe or a terminal is thrown away."""
    assert command.stdin
    with ExitStack() as stack:
        if command.destination is Destination.FILE:
            stdout = os.memfd_create("out")  # as in the jail: what can be copied from one to the other is the same
        elif command.destination is Destination.PIPE:
            reader, stdout = os.pipe()
        else:
            reader, stdout = pty.openpty()
            tty.setraw(stdout)
        if command.destination is not Destination.FILE:
            drain = threading.Thread(target=_read_all, args=(reader,))
            drain.start()
            stack.callback(drain.join)
        stderr = os.memfd_create("err")
        given = (os.open(command.stdin, os.O_RDONLY), stdout, stderr)
        for descriptor in given:
            stack.callback(os.close, descriptor)
        for descriptor in given[1:]:
            os.fchmod(descriptor, 0o666)
        yield given


def _read_all(reader: int) -> None:
    with suppress(OSError):  # of a terminal that nobody has open any more
        while os.read(reader, 1 << 16):
            pass
    os.close(reader)


def _whole_lines(lines: list[str]) -> Iterator[str]:
    """Calls, those put together that another process's line came between."""
    begun: dict[str, str] = {}
    for line in lines:
        pid, text = line.split(maxsplit=1)
        if text.endswith("<unfinished ...>"):
            begun[pid] = text.removesuffix("<unfinished ...>")
        elif text.startswith("<... "):
            yield begun.pop(pid, "") + text.partition(" resumed>")[2]
        elif not text.startswith(("+++", "---")):
            yield text


_CALL_LINE = re.compile(r"(?P<name>\w+)\((?P<given>.*)\)\s+= (?P<result>-?\d+|\?(?= E))(?: (?P<error>E\w+))?")


def _seen(lines: list[str], summary: str, names: dict[str, str]) -> Seen:
    calls: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    books, unsure = [0, 0, 0, 0], 0
    for line in lines:
        found = _CALL_LINE.match(line)
        if not found or found["name"] not in IN_STREAMS:
            continue
        name, given = found["name"], found["given"].split(", ")
        result = 0 if found["error"] else int(found["result"])
        for place in IN_STREAMS[name]:
            stream = names.get(given[place].removesuffix("(deleted)").partition("<")[2].rstrip(">"), "files")
            calls[stream] += 1
            sizes[stream] += result
        told = _in_books(name, found["error"], result)
        unsure += told is None
        for kind in range(2) if told else ():
            if name in MOVES_IN_BOOKS or name in (READS, WRITES)[kind]:
                books[2 * kind] += 1
                books[2 * kind + 1] += result
    table = (row.split() for row in summary.splitlines())
    counts = {row[0]: int(row[1]) for row in table if len(row) == 2 and row[1].isdigit() and row[0] != "total"}
    return Seen(counts, {name: (calls[name], sizes[name]) for name in STREAMS}, tuple(books), unsure)


def _in_books(name: str, error: str | None, result: int) -> bool | None:
    """Whether the kernel's books have that call; None when only the kernel's source tells."""
    if name in MOVES_IN_BOOKS:
        return True if result > 0 else None
    if name not in READS + WRITES:
        return False
    if error == "EINVAL":
        return None
    return name in VECTORS or error not in UNSEEN
