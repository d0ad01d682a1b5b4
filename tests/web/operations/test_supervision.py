"""Children are started again when they end, faster at first than later."""

import signal
import sys
from pathlib import Path

import pytest

from web.operations import services
from web.operations.services import Child, Service, ServiceError


def _child(tmp_path: Path, program: str) -> Child:
    def start() -> Service:
        return services.start_process("c", [sys.executable, "-c", program], tmp_path / "log", signal.SIGTERM)

    return Child(name="clock", start=start)


def test_running_child_is_left_alone_and_stopped(tmp_path: Path) -> None:
    child = _child(tmp_path, "import time; time.sleep(100)")
    child.launch()
    assert child.service is not None
    process = child.service.process
    assert child.tend() == ""
    child.stop()
    assert process.returncode == -signal.SIGTERM
    child.stop()


def test_ended_child_starts_again_after_growing_pauses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = _child(tmp_path, "print('done'); raise SystemExit(3)")
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    child.launch()
    for pause in (1, 3, 7, 15, 30, 30):
        assert child.service is not None
        child.service.process.wait()
        assert child.tend().startswith(f"clock ended (exit code 3), it starts again in {pause} s")
        now[0] += pause - 0.1
        assert child.tend() == ""
        now[0] += 0.2
        assert child.tend() == "clock started again"
    assert child.service is not None
    assert "done" in child.service.log_tail()
    now[0] += services.CALM_S + 1
    child.service.process.wait()
    assert "again in 0 s" in child.tend()


def test_child_that_cannot_start_is_tried_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    child = _child(tmp_path, "")
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])

    def fail() -> Service:
        raise ServiceError("no binary")

    child.start = fail
    assert child.tend() == "no binary"
    assert child.tend() == ""
    now[0] += 1
    assert child.tend() == "no binary"
    assert child.pause_s == 3
