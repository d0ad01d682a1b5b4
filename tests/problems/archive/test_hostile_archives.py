"""Hostile archives: each is refused with the name of the entry, nothing is written outside the stage or kept.

The inputs of zip_slip and zip_bomb of the hostile corpus, and more of their kind. Names, kinds and links one by one are
in test_upload.py; random ones in test_fuzz_paths.py.
"""

import io
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from problems.archive.upload import staged_package
from problems.encodings import composed
from problems.format.files import MIB, Caps
from problems.loading.loading import load_package
from problems.package import PackageErrors
from tests.problems.archive.bombs import bomb, many_entries, measure_apart, nested, overlapping
from tests.problems.archives import LINK, Raw, zipped
from tests.problems.conftest import LEGACY

Refused = Callable[[bytes], list[str]]


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    """What is wrong with the archive; everything around it stays as it was."""
    (tmp_path / "canary").write_text("untouched")

    def refusals(data: bytes) -> list[str]:
        with pytest.raises(PackageErrors) as caught, staged_package(io.BytesIO(data), staging_root=tmp_path / "stage"):
            pass
        assert [path.name for path in tmp_path.rglob("*")] == ["canary", "stage"] or not list(
            (tmp_path / "stage").iterdir()
        )
        assert (tmp_path / "canary").read_text() == "untouched"
        return [str(error) for error in caught.value.errors]

    return refusals


def patched(data: bytes, place: int, value: bytes) -> bytes:
    return data[:place] + value + data[place + len(value) :]


def last_entry(data: bytes) -> tuple[int, int]:
    """Where the last entry's local header and its line in the directory begin."""
    return data.rfind(b"PK\x03\x04"), data.rfind(b"PK\x01\x02")


# --- zip_slip of the corpus


@pytest.mark.parametrize(
    "name", ["../x", "/etc/x", "a/../../x", "..\\x", "C:\\x", "./../x", "a/./../..//x", "\\x", "a\\..\\..\\x"]
)
@pytest.mark.parametrize("files", [LEGACY, {"1.in": "1", "1.out": "1"}], ids=["package", "plain tests"])
def test_name_that_leads_out_is_refused_by_name(refused: Refused, name: str, files: dict[str, str]) -> None:
    (found,) = refused(zipped(files, [Raw(name)]))
    assert found.startswith(f"{name}: ")


@pytest.mark.parametrize("name", ["NUL", "data/con.txt", "data/COM1", "lpt9.in.txt", "aux/x", "prn .x", "CONIN$"])
def test_name_of_a_windows_device_is_refused(refused: Refused, name: str) -> None:
    assert refused(zipped(LEGACY, [Raw(name)])) == [f"{name}: is the name of a device on Windows"]


@pytest.mark.parametrize("name", ["console", "data/nullify.in", "com10", "auxiliary/x", "lpt"])
def test_names_that_only_look_like_devices_are_fine(tmp_path: Path, name: str) -> None:
    with staged_package(io.BytesIO(zipped(LEGACY, [Raw(name)])), staging_root=tmp_path) as staged:
        assert (staged.folder / name).exists()


@pytest.mark.parametrize("name", ["a\u202eni.1", "a\u2066b", "a\u200bb", "a\ufeffb", "a\u0085b", "a\x7fb"])
def test_invisible_characters_in_names_are_refused_and_shown(refused: Refused, name: str) -> None:
    (found,) = refused(zipped(LEGACY, [Raw(name)]))
    code = f"U+{next(ord(character) for character in name if not character.isprintable()):04X}"
    assert found.startswith(f"{ascii(name)[1:-1]}: has a name that holds the character {code}")


@pytest.mark.parametrize(
    ("first", "second"),
    [("\u00e9.in", "E\u0301.in"), ("x.in", "X.in"), ("\u212bx", "\u00e5x"), ("stra\u00dfe", "STRASSE"), ("a/b", "A/c")],
)
def test_names_that_clash_somewhere_are_refused(refused: Refused, first: str, second: str) -> None:
    (found,) = refused(zipped(LEGACY, [Raw(first), Raw(second)]))
    assert found.startswith(f"{composed(second)}: differs only in upper and lower case or accents from ")


def test_name_in_the_local_header_must_be_that_of_the_directory(refused: Refused) -> None:
    data = zipped(LEGACY, [Raw("data/secret/good")])
    (found,) = refused(data.replace(b"data/secret/good", b"../../../../evil", 1))
    assert found.startswith("data/secret/good: is damaged in the archive")


def test_other_name_in_an_extra_field_changes_nothing(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("data/good")
    name = b"../../evil"
    info.extra = struct.pack("<HHBL", 0x7075, 5 + len(name), 1, 0) + name  # Info-ZIP's Unicode path
    buffer = io.BytesIO(zipped(LEGACY))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(info, "x")
    try:
        with staged_package(buffer, staging_root=tmp_path / "stage") as staged:
            assert (staged.folder / "data/good").exists()
    except PackageErrors as errors:
        named = {error.file for error in errors.errors}
        assert named == {"data/good"}
    assert not (tmp_path / "evil").exists()
    assert list((tmp_path / "stage").iterdir()) == []


@pytest.mark.parametrize("kind", [stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFREG | 0o6000])
def test_devices_and_setuid_files_are_refused_among_plain_tests_too(refused: Refused, kind: int) -> None:
    found = refused(zipped({"1.in": "1", "1.out": "1"}, [Raw("t/2.in", b"", kind | 0o644)]))
    assert found == ["t/2.in: is neither a file nor a folder, or has a setuid bit"]


@pytest.mark.parametrize("target", ["/etc/passwd", "../../canary", "..", "../../../../../../etc/passwd"])
def test_links_out_of_plain_tests_are_refused(refused: Refused, target: str) -> None:
    found = refused(zipped({"1.in": "1", "1.out": "1"}, [Raw("2.in", target.encode(), LINK), Raw("2.out")]))
    assert found == ["2.in: is a link that leads out of the package"]


# --- sizes and places


@pytest.mark.parametrize(
    ("where", "what"), [(22, "another size"), (18, "another size"), (8, "another way"), (0, "does not lie where")]
)
def test_local_header_that_contradicts_the_directory_is_refused(refused: Refused, where: int, what: str) -> None:
    data = zipped(LEGACY, [Raw("data/secret/2.in", b"2" * 100)])
    found = refused(patched(data, last_entry(data)[0] + where, b"\x07\x00"))
    assert found[0].startswith("data/secret/2.in: is damaged")
    assert what in found[0]


@pytest.mark.parametrize("claimed", [1, 99, 101, 5_000, 4 * MIB])
def test_size_that_is_not_true_is_refused_whatever_both_places_say(refused: Refused, claimed: int) -> None:
    data = zipped(LEGACY, [Raw("data/secret/2.in", b"2" * 100)])
    local, listed = last_entry(data)
    forged = patched(
        patched(data, local + 22, claimed.to_bytes(4, "little")), listed + 24, claimed.to_bytes(4, "little")
    )
    (found,) = refused(forged)
    assert found.startswith("data/secret/2.in: is damaged in the archive")


def test_packed_size_that_reaches_into_the_directory_is_refused(refused: Refused) -> None:
    data = zipped(LEGACY, [Raw("data/secret/2.in", b"2" * 100)])
    local, listed = last_entry(data)
    size = (5_000).to_bytes(4, "little")
    found = refused(patched(patched(data, local + 18, size), listed + 20, size))
    assert found == ["data/secret/2.in: is damaged: it claims bytes that are not there"]


def test_entries_that_share_bytes_are_refused(refused: Refused) -> None:
    found = refused(overlapping(100, MIB))
    assert found[0] == "data/secret/aa.in: shares bytes of the archive with data/secret/z0.in"


def test_entry_inside_of_another_one_is_refused(refused: Refused) -> None:
    inner = zipped({"data/secret/9.in": "9"})
    data = zipped(LEGACY, [Raw("x.bin", inner, method=zipfile.ZIP_STORED), Raw("data/secret/9.in", b"9")])
    listed = last_entry(data)[1]
    found = refused(patched(data, listed + 42, data.find(inner).to_bytes(4, "little")))
    assert found == ["data/secret/9.in: shares bytes of the archive with x.bin"]


def with_zip64_end(data: bytes, place: int, value: int) -> bytes:
    """The archive with a zip64 end record, in which this number stands at this place."""
    end = data.rfind(b"PK\x05\x06")
    count, size, start = struct.unpack("<HII", data[end + 10 : end + 20])
    record = b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, size, start)
    locator = b"PK\x06\x07" + struct.pack("<IQI", 0, end, 1)
    closing = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFF_FFFF, 0xFFFF_FFFF, 0)
    return data[:end] + patched(record, place, struct.pack("<Q", value)) + locator + closing


_HUGE = [0xFFFF_FFFF_FFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF, 1 << 40, 0]


@pytest.mark.parametrize("place", [40, 48], ids=["size of the directory", "place of the directory"])
@pytest.mark.parametrize("value", _HUGE)
def test_zip64_lies_are_refused(refused: Refused, place: int, value: int) -> None:
    found = refused(with_zip64_end(zipped(LEGACY), place, value))
    assert all(error.startswith("the archive: ") or "does not lie where" in error for error in found)


@pytest.mark.parametrize("place", [24, 32], ids=["entries here", "entries in all"])
@pytest.mark.parametrize("value", _HUGE)
def test_zip64_lies_about_the_number_of_entries_change_nothing(tmp_path: Path, place: int, value: int) -> None:
    data = with_zip64_end(zipped(LEGACY), place, value)
    with staged_package(io.BytesIO(data), staging_root=tmp_path) as staged:
        assert load_package(staged.folder).name == "A plus B"


def test_zip64_size_of_one_entry_is_counted(refused: Refused) -> None:
    data = zipped(LEGACY, [Raw("data/secret/2.in", b"2" * 100)])
    listed = last_entry(data)[1]
    end = data.rfind(b"PK\x05\x06")
    extra = struct.pack("<HHQ", 1, 8, 1 << 40)
    entry = patched(patched(data[listed:end], 24, b"\xff\xff\xff\xff"), 30, struct.pack("<H", len(extra))) + extra
    closing = patched(data[end:], 12, struct.pack("<I", struct.unpack("<I", data[end + 12 : end + 16])[0] + len(extra)))
    found = refused(data[:listed] + entry + closing)
    assert found[0] == "data/secret/2.in: is larger than 512 MiB"


@pytest.mark.parametrize("place", [*_HUGE[:3], (1 << 63) + 5])
def test_zip64_place_of_one_entry_is_looked_at(refused: Refused, place: int) -> None:
    data = zipped(LEGACY, [Raw("data/secret/2.in", b"2" * 100)])
    listed = last_entry(data)[1]
    end = data.rfind(b"PK\x05\x06")
    extra = struct.pack("<HHQ", 1, 8, place)
    entry = patched(patched(data[listed:end], 42, b"\xff\xff\xff\xff"), 30, struct.pack("<H", len(extra))) + extra
    closing = patched(data[end:], 12, struct.pack("<I", struct.unpack("<I", data[end + 12 : end + 16])[0] + len(extra)))
    assert refused(data[:listed] + entry + closing) == [
        "data/secret/2.in: is damaged: it does not lie where the list of files says"
    ]


# --- shapes


@pytest.mark.thorough
def test_hundred_thousand_entries_are_refused(refused: Refused) -> None:
    assert refused(many_entries(100_000)) == ["the archive: has too many entries"]
    assert refused(many_entries(21_000)) == ["the archive: has more than 20000 entries"]


def test_deep_folders_and_long_names_are_refused_by_name(refused: Refused) -> None:
    found = refused(zipped(LEGACY, [Raw("d/" * 400 + "x"), Raw("n" * 300), Raw("m/" + "n" * 60_000)]))
    assert [error.split(": ")[1] for error in found] == [
        "lies more than 16 folders deep",
        "has a part of more than 255 bytes in its name",
        "has a name of more than 1000 bytes",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x]\n"
        + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(20)),
        "x: " + "[" * 1_000 + "]" * 1_000 + "\n",
        "x: [" + "a, " * 20_000 + "]\n",
        "&a x: *a\n<<: *a\n",
        "x: " + "9" * 100_000 + "\n",
        "x: '" + "y" * 200_000 + "'\n",
    ],
    ids=["aliases", "deep", "many", "merge", "digits", "long"],
)
def test_yaml_bombs_of_dmoj_are_refused(refused: Refused, text: str) -> None:
    found = refused(zipped({"init.yml": text, "1.in": "1", "1.out": "1"}))
    assert found[0].startswith("init.yml: ")


def test_archive_inside_of_the_archive_stays_packed_unless_it_is_asked_for(tmp_path: Path) -> None:
    data = zipped({**LEGACY}, [Raw("attachments/bomb.zip", bomb(2, 8 * MIB)), Raw("attachments/x.zip", zipped({}))])
    with staged_package(io.BytesIO(data), staging_root=tmp_path) as staged:
        assert sorted(path.name for path in (staged.folder / "attachments").iterdir()) == ["bomb.zip", "x.zip"]


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ([Raw("../x")], "tests.zip/../x: leads out of the package (..)"),
        ([Raw("x", b"/etc/passwd", LINK)], "tests.zip/x: is a link that leads out of the package"),
        ([Raw("x", b"", stat.S_IFCHR)], "tests.zip/x: is neither a file nor a folder, or has a setuid bit"),
        ([Raw("1.in", b"2")], "tests.zip/1.in: is in the archive twice"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_archive_that_is_asked_for_is_held_to_the_same_rules(refused: Refused, extra: list[Raw], why: str) -> None:
    inner = zipped({"1.in": "1", "1.out": "1"}, extra)
    assert refused(zipped({"init.yml": "archive: tests.zip\n"}, [Raw("tests.zip", inner)])) == [why]


def test_inner_and_outer_archive_share_what_may_be_unpacked(tmp_path: Path) -> None:
    inner = zipped({}, [Raw(f"{n}.{kind}", b"\1" * 40_000) for n in (1, 2) for kind in ("in", "out")])
    data = zipped({"init.yml": "archive: t.zip\n", "big": "x" * 60_000}, [Raw("t.zip", inner)])
    with (
        pytest.raises(PackageErrors) as caught,
        staged_package(io.BytesIO(data), staging_root=tmp_path, caps=Caps(total_bytes=200_000)),
    ):
        pass
    assert "t.zip/2.out: is too much: with it, there is more than 200000 bytes" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


# --- bombs, measured in a process of their own


@pytest.mark.parametrize(
    ("make", "named"),
    [
        pytest.param(  # 10 GiB declared
            lambda: bomb(20, MIB, claimed=512 * MIB), "data/secret/z0.in", marks=pytest.mark.thorough
        ),
        pytest.param(  # 10 GiB real, and told
            lambda: bomb(20, 512 * MIB), "data/secret/z0.in", marks=pytest.mark.thorough
        ),
        (lambda: bomb(20, 512 * MIB, claimed=5 * MIB), "data/secret/z0.in"),  # 10 GiB real, 100 MiB told
        (lambda: nested(20, 512 * MIB), "tests.zip/data/secret/z0.in"),
        (lambda: bomb(1, 256 * MIB), "data/secret/z0.in"),  # in 256 KiB
        (lambda: overlapping(100, MIB), "data/secret/aa.in"),
        (lambda: many_entries(59_000), "the archive"),
    ],
    ids=["declared", "real", "forged", "nested", "zeros", "overlapping", "entries"],
)
@pytest.mark.costly
def test_bomb_is_refused_in_bounded_memory_disk_and_time(tmp_path: Path, make: Callable[[], bytes], named: str) -> None:
    cost = measure_apart(make(), tmp_path)
    assert cost.refusal.startswith(f"{named}: ")
    assert cost.peak_memory_bytes < 96 * MIB
    assert cost.peak_disk_bytes < 64 * MIB
    assert cost.left_behind_bytes == 0


def test_measuring_sees_memory_and_disk(tmp_path: Path) -> None:
    cost = measure_apart(bomb(1, 64 * MIB), tmp_path)
    assert cost.refusal == ""
    assert cost.peak_disk_bytes > MIB
    assert cost.peak_memory_bytes > 0
