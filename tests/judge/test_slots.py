"""Each process of a worker has a core and a folder of its own."""

import os
from pathlib import Path

from judge.slots import take_slot


def test_slots_have_different_cores_and_folders(tmp_path: Path) -> None:
    cores = len(os.sched_getaffinity(0))
    slots = [take_slot(tmp_path) for _ in range(cores + 1)]
    try:
        assert {slot.cpu for slot in slots[:-1]} == os.sched_getaffinity(0)
        assert slots[-1].cpu is None
        assert len({slot.folder for slot in slots}) == cores + 1
    finally:
        for slot in slots:
            slot.release()


def test_slot_of_a_dead_process_is_taken_again_and_emptied(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:
        slot = take_slot(tmp_path)
        (slot.folder / "grade-1" / "deep").mkdir(parents=True)
        (slot.folder / "source").symlink_to("/etc/passwd")
        os._exit(slot.number)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    slot = take_slot(tmp_path)
    try:
        assert slot.number == 0
        assert sorted(entry.name for entry in slot.folder.iterdir()) == ["cache", "lock"]
        assert (slot.folder / "cache").resolve() == (tmp_path / "cache").resolve()
    finally:
        slot.release()
    assert Path("/etc/passwd").exists()
