"""The second machine: a stock Debian cloud kernel under qemu with one core and 2 GiB, and a worker on it.

How it works: a tap device joins it to this machine, as a switch would, so each side meets the other's TCP: if qemu is
killed, nobody here is told. Its disk stays from start to start. qemu's monitor pulls the cable out; the console takes
commands.
"""

import re
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

from tests.waiting import wait_for

HERE, THERE = "10.77.0.1", "10.77.0.2"
NAME = "tally@second"
BOOT_S = 120
_FILES: Path = settings.BASE_DIR / "var" / "qemu"
_TAP = "fleet"
_SHAPE = [
    "-accel",
    "tcg",
    "-cpu",
    "max",
    "-smp",
    "1",
    "-m",
    "2048",
    "-no-reboot",
    "-display",
    "none",
    "-serial",
    "stdio",
]
_ANSWER_S = 20
# What a command prints, maybe behind a word of the kernel's.
_ANSWER = re.compile(r"said(: .*| end)$")


def join_networks() -> None:
    """Make this side of the cable, in a network namespace of our own."""
    for words in (
        "link set lo up",
        f"tuntap add dev {_TAP} mode tap",
        f"address add {HERE}/24 dev {_TAP}",
        f"link set {_TAP} up",
    ):
        subprocess.run(["ip", *words.split()], check=True)


class Machine:
    """Off, or running with one set of settings."""

    def __init__(self, folder: Path) -> None:
        self.console = folder / "console.log"
        self._monitor = folder / "monitor"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, environment: Mapping[str, str], *, clock: str = "utc") -> None:
        """Switch it on. `clock` is what its clock says: `utc`, or a time."""
        arguments = {
            "console": "ttyS0",
            "rdinit": "/init",
            "loglevel": "1",
            "panic": "-1",
            "ADDRESS": THERE,
            **environment,
        }
        drive = "format=raw,if=virtio,cache=unsafe"
        command = ["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64", *_SHAPE, "-rtc", f"base={clock}"]
        command += ["-drive", f"file={_FILES / 'root.ext4'},snapshot=on,{drive}"]
        command += ["-drive", f"file={_FILES / 'fleet.ext4'},{drive}"]
        command += ["-netdev", f"tap,id=cable,ifname={_TAP},script=no,downscript=no"]
        command += ["-device", "virtio-net-pci,netdev=cable,romfile="]
        command += ["-monitor", f"unix:{self._monitor},server=on,wait=off"]
        command += ["-kernel", str(_FILES / "vmlinuz"), "-initrd", str(_FILES / "first.gz")]
        command += ["-append", "quiet " + " ".join(f"{name}={value}" for name, value in arguments.items())]
        with self.console.open("ab") as console:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=console, stderr=console, bufsize=0)

    def kill(self) -> None:
        """End it as a power cut does."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def pull_cable(self) -> None:
        """Cut its network."""
        self._order("set_link cable off")

    def plug_cable(self) -> None:
        """Restore its network."""
        self._order("set_link cable on")

    def tell(self, command: str) -> str:
        """Carry out a shell command there and return what it prints."""
        assert self._process is not None
        assert self._process.stdin is not None
        before = self.console.stat().st_size
        # Marked, since the worker's log comes in between.
        self._process.stdin.write(f"{{ {command}; }} | sed 's/^/said: /'; echo said end\n".encode())

        def lines() -> list[str]:
            return [answer for line in self.since(before).splitlines() for answer in _ANSWER.findall(line)]

        wait_for(lambda: " end" in lines(), f"the second machine answers to {command}", _ANSWER_S, log=self.said)
        return "\n".join(answer.removeprefix(": ") for answer in lines() if answer.startswith(": "))

    def said(self) -> str:
        """All that its console showed, the worker's log too."""
        return self.since(0)

    def since(self, position: int) -> str:
        """What its console showed from this byte on."""
        with self.console.open("rb") as console:
            console.seek(position)
            return console.read().decode(errors="replace").replace("\r", "")

    def _order(self, words: str) -> None:
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.settimeout(_ANSWER_S)
            monitor.connect(str(self._monitor))
            self._read(monitor)
            monitor.sendall(f"{words}\n".encode())
            self._read(monitor)

    def _read(self, monitor: socket.socket) -> None:
        said = b""
        while not said.endswith(b"(qemu) "):
            said += monitor.recv(4096)
