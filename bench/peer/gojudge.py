"""go-judge as a peer: a local server, used over one kept connection, with one container for all cases.

How it works: it is started in an empty folder, with a mount table of ours that shows the programs, a free port of
127.0.0.1 and a secret that a request must have. At the end it is asked to go, and its control groups are removed. It
runs on any core, as it does by itself. Output of a case that is short comes back in the answer; longer output stays in
its store, to be fetched once the clock has stopped: each is its fastest.
"""

import http.client
import json
import os
import secrets
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bench.jail.contest import INSIDE, LIMITS
from bench.peer.runs import Program, Run, WrongRun, check
from sandbox.cgroups.cgroupfs import find_hierarchies, kill_and_remove
from sandbox.types import ENVIRONMENT, MIB
from sandbox.workdir import fresh_folder

_NS_PER_MS = 1_000_000
_LONGEST_REQUEST_S = LIMITS.wall_time_ms / 1_000 + 10
_PATIENCE_S = 20.0  # until it answers, and until it has gone
_SHORT_BYTES = 64 * 1_024


class GoJudge:
    """A running server."""

    def __init__(self, connection: http.client.HTTPConnection, secret: str) -> None:
        self._connection = connection
        self._headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}

    def run(self, program: Program) -> Run:
        """One run; CPU time is what go-judge reports. Raises WrongRun."""
        is_long = len(program.prints) > _SHORT_BYTES
        request = json.dumps({"cmd": [_case(program, is_long=is_long)]})
        began = time.perf_counter_ns()
        answer = self.ask("POST", "/run", request)
        wall_us = (time.perf_counter_ns() - began) / 1_000
        result = json.loads(answer)[0]
        if result["status"] != "Accepted" or result["exitStatus"] != 0:
            raise WrongRun(f"go-judge says: {result['status']} {result.get('error', '')}")
        check(self._fetched(result["fileIds"]["stdout"]) if is_long else result["files"]["stdout"].encode(), program)
        return Run(wall_us=wall_us, cpu_us=result["time"] / 1_000)

    def ask(self, method: str, path: str, body: str | None = None) -> bytes:
        """The body of its answer. Raises WrongRun unless it is a good one."""
        try:
            self._connection.request(method, path, body, self._headers)
            response = self._connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise WrongRun(f"go-judge does not answer: {error}") from error
        if response.status != http.client.OK:
            raise WrongRun(f"go-judge says {response.status} to {method} {path}")
        return answer

    def _fetched(self, file: str) -> bytes:
        try:
            return self.ask("GET", f"/file/{file}")
        finally:
            self.ask("DELETE", f"/file/{file}")


def _case(program: Program, *, is_long: bool) -> dict[str, Any]:
    return {
        "args": program.argv_in(INSIDE),
        "env": [f"{name}={value}" for name, value in ENVIRONMENT.items()],
        "files": [
            {"content": ""},
            {"name": "stdout", "max": LIMITS.output_bytes},
            {"name": "stderr", "max": LIMITS.stderr_bytes},
        ],
        "cpuLimit": LIMITS.cpu_time_ms * _NS_PER_MS,
        "clockLimit": LIMITS.wall_time_ms * _NS_PER_MS,
        "memoryLimit": LIMITS.memory_bytes,
        "procLimit": LIMITS.processes,
        **({"copyOutCached": ["stdout"]} if is_long else {}),
    }


@contextmanager
def started(binary: Path, work_root: Path, programs: Path) -> Iterator[GoJudge]:
    """A server until the end of the `with`. Raises WrongRun when it does not come up."""
    prefix, port, secret = f"tally-peer-{os.getpid()}", _free_port(), secrets.token_hex(16)
    with fresh_folder(work_root, "go-judge-") as folder:
        (folder / "mounts.json").write_text(json.dumps(_mounts(programs)))
        options = [
            "-release",
            "-silent",
            "-no-fallback",
            "-parallelism=1",
            f"-cgroup-prefix={prefix}",
            "-mount-conf=mounts.json",
        ]
        options += [f"-http-addr=127.0.0.1:{port}", f"-output-limit={LIMITS.output_bytes // MIB}m"]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [binary, *options],
                cwd=folder,
                stdout=log,
                stderr=log,
                env={**ENVIRONMENT, "ES_AUTH_TOKEN": secret},
                start_new_session=True,
            )
        try:
            with _connected(server, port, folder / "log") as connection:
                yield GoJudge(connection, secret)
        finally:
            _end(server)
            _remove_groups(prefix)


def _mounts(programs: Path) -> dict[str, Any]:
    """What it mounts by itself, less settings of compilers, and the programs. It is read as YAML, so as JSON too."""
    shown = ("/bin", "/lib", "/lib64", "/usr", "/etc/ld.so.cache", "/etc/alternatives")
    devices = ("/dev/null", "/dev/urandom")
    size = f"size={LIMITS.scratch_bytes},nr_inodes={LIMITS.scratch_inodes}"
    return {
        "mount": [
            *({"type": "bind", "source": path, "target": path, "readonly": True} for path in shown),
            *({"type": "bind", "source": path, "target": path} for path in devices),
            *({"type": "tmpfs", "target": path, "data": size} for path in ("/w", "/tmp")),  # noqa: S108
            {"type": "bind", "source": str(programs), "target": INSIDE, "readonly": True},
        ],
        "proc": True,
        "workDir": "/w",
    }


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


@contextmanager
def _connected(server: "subprocess.Popen[bytes]", port: int, log: Path) -> Iterator[http.client.HTTPConnection]:
    deadline = time.monotonic() + _PATIENCE_S
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_LONGEST_REQUEST_S)
    while server.poll() is None and time.monotonic() < deadline:
        with suppress(ConnectionRefusedError):
            connection.connect()
            break
        time.sleep(0.02)
    else:
        raise WrongRun(f"go-judge does not come up: {log.read_text(errors='replace')[-500:].strip()}")
    try:
        yield connection
    finally:
        connection.close()


def _end(server: "subprocess.Popen[bytes]") -> None:
    server.terminate()
    try:
        server.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _remove_groups(prefix: str) -> None:
    hierarchies = find_hierarchies()
    roots = [hierarchies.v2] if hierarchies.v2 is not None else hierarchies.v1.values()
    # version 1: also below controllers that are not ours
    below = {root.parent for root in roots} if hierarchies.version == 1 else set(roots)
    kill_and_remove({folder for each in below for folder in (*each.glob(f"{prefix}*"), *each.glob(f"*/{prefix}*"))})
