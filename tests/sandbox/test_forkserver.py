"""The fork server of nsjail: jails are forked from it, it ends with its worker, and without it they still open."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.errors import JailError
from sandbox.forkserver import _MOST_ARGUMENTS, _MOST_BYTES, Forked, ForkServer
from sandbox.jail.leftovers import remove_leftovers
from sandbox.jail.nsjail import NATIVE, NsjailSandbox
from sandbox.types import Command, Ending, JailSpec, Limits, Mount
from tests.sandbox.conftest import WORK_ROOT
from tests.waiting import wait_for

ROOT = Path(__file__).parents[2]
NAME = "tally-forks"
TRUE = Command(argv=("/bin/true",))
OPEN_AND_STAY = """if True:
    import sys, time
    from pathlib import Path
    from sandbox.jail.nsjail import NsjailSandbox
    from sandbox.types import JailSpec
    with NsjailSandbox(Path(sys.argv[1])).open_jail(JailSpec()):
        print("open", flush=True)
        time.sleep(60)"""


def servers_of(pid: int) -> list[int]:
    """The fork servers among a process's children."""
    lists = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for children in lists for child in children if name_of(int(child)) == NAME]


def name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


@pytest.fixture
def own(sandbox: NsjailSandbox, monkeypatch: pytest.MonkeyPatch) -> NsjailSandbox:
    """A sandbox with a server of its own, which has not started yet and ends with the test."""
    own = NsjailSandbox(WORK_ROOT)
    monkeypatch.setattr(own, "_fork_server", ForkServer(own._nsjail, NATIVE / "forkserver.so"))
    return own


@contextmanager
def nothing_left_but(server: int) -> Iterator[None]:
    """What is done within ends the server and leaves no jail."""
    groups = ControlGroups(WORK_ROOT)
    before = groups.names()
    yield
    wait_for(lambda: server not in servers_of(os.getpid()), "the server does not die")
    assert groups.names() == before


def opened(sandbox: NsjailSandbox) -> bool:
    """Open a jail, run a program in it, and return whether it was forked."""
    with sandbox.open_jail(JailSpec()) as jail:
        assert jail.run(TRUE, Limits()).ending is Ending.EXITED
        return isinstance(jail._init._nsjail, Forked)


def test_jails_are_forked_from_one_server(own: NsjailSandbox) -> None:
    before = set(servers_of(os.getpid()))
    assert opened(own)
    (server,) = set(servers_of(os.getpid())) - before
    assert opened(own)
    assert set(servers_of(os.getpid())) - before == {server}


def test_a_jail_has_no_descriptor_of_the_server_or_of_another_jail(own: NsjailSandbox) -> None:
    with own.open_jail(JailSpec()), own.open_jail(JailSpec()) as jail:
        links = [path.readlink() for path in Path(f"/proc/{jail._init.pid}/fd").iterdir()]
        sockets = [str(link) for link in links if str(link).startswith("socket:")]
        assert len(sockets) == 1
        assert not [link for link in links if "cgroup" in str(link)]


def test_without_its_server_a_jail_opens_and_the_next_one_has_another(own: NsjailSandbox) -> None:
    before = set(servers_of(os.getpid()))
    assert opened(own)
    (server,) = set(servers_of(os.getpid())) - before
    os.kill(server, signal.SIGKILL)
    wait_for(lambda: name_of(server) != NAME or _is_zombie(server), "the server does not die")
    assert not opened(own)
    assert opened(own)
    assert server not in servers_of(os.getpid())


def _is_zombie(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_server_that_does_not_answer_is_replaced(own: NsjailSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(servers_of(os.getpid()))
    assert opened(own)
    (server,) = set(servers_of(os.getpid())) - before
    with monkeypatch.context() as patched, nothing_left_but(server):
        patched.setattr("sandbox.forkserver._ANSWER_S", 0.3)
        os.kill(server, signal.SIGSTOP)
        with pytest.raises(JailError, match=r"does not answer: no answer within 0\.3 s$"), own.open_jail(JailSpec()):
            pass
    assert opened(own)


def test_a_program_that_is_linked_statically_is_never_forked(caplog: pytest.LogCaptureFixture) -> None:
    server = ForkServer(NATIVE / "init", NATIVE / "forkserver.so")
    with Path(os.devnull).open("wb") as stderr:
        for _ in range(2):
            assert server.fork(["init"], stderr.fileno(), [stderr.fileno()], []) is None
    assert len(caplog.records) == 1


def test_a_jail_with_more_mounts_than_the_server_takes_opens(own: NsjailSandbox, folder: Path) -> None:
    assert opened(own)
    servers = servers_of(os.getpid())
    mounts = tuple(Mount(source=folder, target=f"/m{number}") for number in range(_MOST_ARGUMENTS // 2))
    with own.open_jail(JailSpec(mounts=mounts)) as jail:
        assert jail.run(TRUE, Limits()).ending is Ending.EXITED
        assert not isinstance(jail._init._nsjail, Forked)
    assert servers_of(os.getpid()) == servers
    assert opened(own)


def test_the_limits_of_a_request_are_those_of_the_server() -> None:
    source = (ROOT / "sandbox" / "native" / "preloads" / "forkserver.c").read_text()
    assert f"MAX_ARGUMENTS = {_MOST_ARGUMENTS}," in source
    assert f"MAX_MESSAGE = {_MOST_BYTES // 1024} * 1024," in source


def test_all_sandboxes_of_a_process_share_a_server(sandbox: NsjailSandbox) -> None:
    assert opened(sandbox)
    before = servers_of(os.getpid())
    assert opened(NsjailSandbox(WORK_ROOT))
    assert servers_of(os.getpid()) == before


def test_a_forked_process_has_a_server_of_its_own(own: NsjailSandbox) -> None:
    assert opened(own)
    servers = servers_of(os.getpid())
    child = os.fork()
    if child == 0:
        is_right = opened(own) and len(servers_of(os.getpid())) == 1
        own._fork_server._server = None
        os._exit(0 if is_right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert servers_of(os.getpid()) == servers
    assert opened(own)


def test_a_server_ends_when_its_worker_is_killed() -> None:
    remove_leftovers(WORK_ROOT)  # of the workers that other tests killed
    command = [sys.executable, "-c", OPEN_AND_STAY, str(WORK_ROOT)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"open\n"
        (server,) = servers_of(worker.pid)
        worker.kill()
    wait_for(lambda: name_of(server) != NAME, "the server stays")
    assert len(remove_leftovers(WORK_ROOT)) == 1  # the jail
