"""Read a process's memory from /proc/PID/status, see proc(5)."""

from pathlib import Path

_OWN = "self"


def resident_bytes(pid: int | str = _OWN) -> int:
    """What it has now."""
    return _bytes(pid, "VmRSS")


def peak_bytes(pid: int | str = _OWN) -> int:
    """The most that it has had, since it began or since `forget_peak`."""
    return _bytes(pid, "VmHWM")


def forget_peak(pid: int | str = _OWN) -> None:
    """Have the peak begin anew with what is resident now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def threads(pid: int | str = _OWN) -> int:
    """How many threads it has."""
    return int(_status(pid)["Threads"])


def _bytes(pid: int | str, key: str) -> int:
    number, unit = _status(pid)[key].split()
    assert unit == "kB"
    return int(number) * 1024


def _status(pid: int | str) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
