"""A network of the tests' own: two hosts with a router between them that can stop forwarding without a word.

How it works: each host is a network namespace, which a thread makes and this process keeps open; two veth pairs join
them to a third one, the router. `cut` has the router drop every packet: the links stay up, neighbours answer, and
nobody is told that a packet is lost, as with a host that lost its power behind a switch. The namespaces end with their
last process and descriptor. Sockets below a path are of no namespace: whatever uses them goes on.
"""

import ctypes
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

_CLONE_NEWNET = 0x40000000  # sched.h
_libc = ctypes.CDLL(None, use_errno=True)
_ResultT = TypeVar("_ResultT")

NEAR, FAR = "10.0.1.2", "10.0.2.2"


class Host:
    """A network namespace."""

    def __init__(self) -> None:
        self._descriptor = -1
        maker = threading.Thread(target=self._make)
        maker.start()
        maker.join()
        self._threads = ThreadPoolExecutor(1, initializer=self._enter)
        self.execute("ip", "link", "set", "lo", "up")

    @property
    def path(self) -> str:
        """The namespace as a file, for setns(2)."""
        return f"/proc/{os.getpid()}/fd/{self._descriptor}"

    @property
    def inside(self) -> list[str]:
        """The command that runs another one in it."""
        return ["nsenter", f"--net={self.path}"]

    def execute(self, *command: str) -> None:
        """Run a command in it to its end."""
        subprocess.run([*self.inside, *command], check=True, capture_output=True)

    def do(self, function: Callable[[], _ResultT]) -> _ResultT:
        """Call it in a thread whose sockets, and whose children's sockets, belong to this host."""
        return self._threads.submit(function).result()

    def close(self) -> None:
        """Let go of it."""
        self._threads.shutdown()
        os.close(self._descriptor)

    def _make(self) -> None:
        if _libc.unshare(_CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "unshare(2) makes no network namespace")
        self._descriptor = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)

    def _enter(self) -> None:
        if _libc.setns(self._descriptor, _CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns(2) enters no network namespace")


class Network:
    """The hosts `near` and `far`, with the addresses NEAR and FAR."""

    def __init__(self) -> None:
        self.near, self.far, self._router = Host(), Host(), Host()
        for number, (host, address) in enumerate(((self.near, NEAR), (self.far, FAR))):
            router = f"{address.rpartition('.')[0]}.1"
            link = ["ip", "link", "add", f"to{number}", "type", "veth", "peer", "name", "up0", "netns", host.path]
            self._router.execute(*link)
            self._router.execute("ip", "address", "add", f"{router}/24", "dev", f"to{number}")
            self._router.execute("ip", "link", "set", f"to{number}", "up")
            host.execute("ip", "address", "add", f"{address}/24", "dev", "up0")
            host.execute("ip", "link", "set", "up0", "up")
            host.execute("ip", "route", "add", "default", "via", router)
        self._router.execute("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")

    def cut(self) -> None:
        """Drop every packet between the hosts."""
        for address in (NEAR, FAR):
            self._router.execute("ip", "route", "add", "blackhole", address)

    def mend(self) -> None:
        """Forward packets again."""
        for address in (NEAR, FAR):
            self._router.execute("ip", "route", "delete", "blackhole", address)

    def close(self) -> None:
        """Let go of all of it."""
        for host in (self.near, self.far, self._router):
            host.close()


@contextmanager
def network() -> Iterator[Network]:
    """A network, until the end of the `with`."""
    made = Network()
    try:
        yield made
    finally:
        made.close()
