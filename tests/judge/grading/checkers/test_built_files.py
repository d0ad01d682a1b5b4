"""A `build` script's result is an untrusted archive, unpacked by root: it must reach nothing outside its folder."""

import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from judge.grading.checkers.scripts import PACK, BadArchiveError, unpack

Entry = tuple[str, bytes, str, bytes]  # name, kind, where a link leads, content
FILE, HARD, LINK, FOLDER, DEVICE = tarfile.REGTYPE, tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE


def packed(*entries: Entry, tar_format: int = tarfile.USTAR_FORMAT) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tar_format) as archive:
        for name, kind, link, content in entries:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, link, len(content)
            archive.addfile(info, io.BytesIO(content))
    return target.getvalue()


def tree(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize(
    "entries",
    [
        [("a", LINK, "{outside}", b""), ("a/evil", LINK, "/etc/hostname", b"")],
        [("a", LINK, "../outside", b""), ("a/evil", FILE, "", b"x")],
        [("a", LINK, ".", b""), ("a/evil", LINK, "b", b"")],
        [("a/evil", LINK, "b", b""), ("a", LINK, "b", b"")],
        [("a", LINK, "..", b"")],
        [("f", FOLDER, "", b""), ("f/a", LINK, "../../outside", b"")],
        [("f", FOLDER, "", b""), ("f/a", LINK, "x/../../../f", b"")],
        [("f", FOLDER, "", b""), ("f/b", LINK, "..", b""), ("a", LINK, "f/b/..", b"")],
        [("a", LINK, "", b"")],
        [("{outside}/evil", FILE, "", b"x")],
        [("../outside/evil", FILE, "", b"x")],
        [("f", FOLDER, "", b""), ("f", LINK, "b", b"")],
        [("x", FILE, "", b"1"), ("x", FILE, "", b"2")],
        [("x", FILE, "", b"1"), ("x/y", FILE, "", b"2")],
        [("x/y", FILE, "", b"2")],
        [(".", LINK, "x", b"")],
        [("x", FILE, "", b"1"), ("y", HARD, "x", b"")],
        [("y", HARD, "missing", b"")],
        [("d", DEVICE, "", b"")],
        [(f"n{number}", FILE, "", b"") for number in range(4_001)],
    ],
)
def test_what_could_lead_outside_or_grow_is_refused(tmp_path: Path, entries: list[Entry]) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    fitted = [
        (name.format(outside=outside), kind, link.format(outside=outside), content)
        for name, kind, link, content in entries
    ]
    with pytest.raises(BadArchiveError):
        unpack(packed(*fitted), tmp_path / "program")
    assert tree(tmp_path) == ["outside"]


def test_extensions_of_the_format_are_refused(tmp_path: Path) -> None:
    for tar_format in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        with pytest.raises(BadArchiveError):
            unpack(packed(("long" * 60, FILE, "", b"x"), tar_format=tar_format), tmp_path / "program")
    assert tree(tmp_path) == []


@pytest.mark.parametrize("spoil", [b"ustar", b"0000644", b"00000000003"])
def test_a_spoilt_header_is_refused(tmp_path: Path, spoil: bytes) -> None:
    archive = packed(("x", FILE, "", b"abc"))
    assert spoil in archive
    for bad in (b"9" * len(spoil), b"\x80" + b"\xff" * (len(spoil) - 1), b"-" * len(spoil), b"7" * len(spoil)):
        if spoil == b"0000644" and bad[:1] == b"7":
            continue  # a mode like any other
        with pytest.raises(BadArchiveError):
            unpack(archive.replace(spoil, bad, 1), tmp_path / "program")
    assert tree(tmp_path) == []


def test_any_bytes_are_refused_or_unpacked_inside(tmp_path: Path) -> None:
    archive = packed(("f", FOLDER, "", b""), ("f/x", FILE, "", b"abc"), ("run", LINK, "f/x", b""))
    for place in range(0, 1_536, 3):
        spoilt = bytearray(archive)
        spoilt[place] ^= 0x17
        try:
            unpack(bytes(spoilt), tmp_path / f"program{place}")
        except BadArchiveError:
            continue
    unpack(archive[:600], tmp_path / "cut")
    assert all(name.startswith(("program", "cut")) for name in tree(tmp_path))


def test_what_our_tar_packs_comes_back(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "made" / ("deep" * 20)).mkdir(parents=True)
    (source / "made" / "check").write_bytes(b"\x7fELF")
    (source / "made" / "check").chmod(0o700)
    (source / "made" / ("deep" * 20) / ("name" * 20)).write_text("x")
    os.link(source / "made" / "check", source / "again")
    (source / "run").symlink_to("made/check")
    (source / "made" / "up").symlink_to("../again")
    subprocess.run([*PACK.split(), "-cf", tmp_path / "tar", "."], cwd=source, check=True)
    unpack((tmp_path / "tar").read_bytes(), tmp_path / "program")
    assert tree(tmp_path / "program") == tree(source)
    assert (tmp_path / "program" / "again").read_bytes() == b"\x7fELF"
    assert (tmp_path / "program" / "run").readlink() == Path("made/check")
    modes = [(tmp_path / "program" / name).stat().st_mode & 0o777 for name in ("again", f"made/{'deep' * 20}", "run")]
    assert modes == [0o755, 0o755, 0o755]
