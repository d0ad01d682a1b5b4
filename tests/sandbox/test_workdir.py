"""What goes in and comes out on the host side."""

import os
from pathlib import Path

import pytest

from sandbox.errors import LimitsError, SandboxError, WorkdirError
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Mount
from sandbox.workdir import carry_out, check_reachable, fresh_folder


def test_a_fresh_folder_is_gone_after_use_with_all_that_is_in_it(tmp_path: Path) -> None:
    with fresh_folder(tmp_path / "new", "x-") as folder:
        (folder / "deep").mkdir()
        assert folder.stat().st_mode & 0o777 == 0o711
    assert not folder.exists()


def test_a_folder_that_cannot_be_made_is_our_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkdirError, match="cannot make a folder"), fresh_folder(tmp_path / "file", "x-"):
        pass


def test_a_file_is_carried_out_up_to_its_cap(tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(b"x" * 100)
    for cap, expected in ((100, True), (99, False)):
        descriptor = os.open(tmp_path / "source", os.O_RDONLY)
        assert carry_out(descriptor, tmp_path / str(cap), cap) is expected
        assert (tmp_path / str(cap)).exists() is expected
        os.close(descriptor)


def test_a_mount_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkdirError, match="is not a folder"):
        check_reachable(Mount(source=tmp_path / "file", target="/program"))


@pytest.mark.parametrize("target", ["", "program", "/../program", "/program:rw", "/a:/b", "/a\0b"])
def test_a_place_in_the_jail_that_is_none_is_refused(tmp_path: Path, target: str) -> None:
    with pytest.raises(LimitsError):
        check_reachable(Mount(source=tmp_path, target=target))


def test_a_folder_whose_path_would_be_taken_for_two_is_refused(folder: Path) -> None:
    (folder / "one:").mkdir()
    (folder / "link").symlink_to(folder / "one:")
    for source in (folder / "one:", folder / "link", Path("/a\0b")):
        with pytest.raises(LimitsError, match="cannot be shown in a jail"):
            check_reachable(Mount(source=source, target="/program"))


def test_a_work_folder_that_cannot_be_made_is_our_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SandboxError, match="cannot make the work folder"):
        NsjailSandbox(tmp_path / "file" / "work")
