"""Uploaded archives: good ones become folders, the others a list of what is wrong, and nothing stays behind."""

import io
import itertools
import os
import stat
import time
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from problems.archive.upload import staged_package
from problems.format.files import MIB, Caps
from problems.loading.loading import load_package
from problems.package import Package, PackageErrors
from tests.problems.archives import LINK, Raw, with_claimed_size, with_encryption_flag, zipped
from tests.problems.conftest import LEGACY


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    return tmp_path / "outer" / "stage"


def upload(data: bytes, stage: Path, name: str = "sums.zip", caps: Caps | None = None) -> Package:
    """What an upload page does with the archive up to publishing."""
    with staged_package(io.BytesIO(data), staging_root=stage, name=name, caps=caps) as staged:
        return load_package(staged.folder)


def refusals(data: bytes, stage: Path, caps: Caps | None = None) -> list[str]:
    """What is wrong with the archive; nothing may be left of it, beside the stage neither."""
    with pytest.raises(PackageErrors) as caught:
        upload(data, stage, caps=caps)
    outer = stage.parent
    assert [path for path in outer.rglob("*") if path != stage] == []
    return [str(error) for error in caught.value.errors]


def test_good_archive_becomes_a_package_and_its_stage_goes_away(stage: Path) -> None:
    with staged_package(io.BytesIO(zipped(LEGACY)), staging_root=stage, name="sums.zip") as staged:
        package = load_package(staged.folder)
        assert (staged.origin, staged.warnings) == ("icpc", ())
        assert package.short_name == "sums"
        assert [case.name for case in package.test_cases] == ["sample/1", "secret/1"]
    assert list(stage.iterdir()) == []


def test_archive_may_be_a_path(stage: Path, tmp_path: Path) -> None:
    (tmp_path / "sums.zip").write_bytes(zipped(LEGACY))
    with staged_package(tmp_path / "sums.zip", staging_root=stage) as staged:
        assert load_package(staged.folder).short_name == "sums"


def test_archive_and_folder_have_the_same_digest(stage: Path, tmp_path: Path) -> None:
    for name, text in LEGACY.items():
        (tmp_path / "aplusb" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "aplusb" / name).write_text(text)
    assert upload(zipped(LEGACY), stage).digest == load_package(tmp_path / "aplusb").digest


@pytest.mark.parametrize("top", ["aplusb/", "backup/aplusb/", "./aplusb/"])
def test_folders_above_the_package_are_taken_off(stage: Path, top: str) -> None:
    assert upload(zipped({top + name: text for name, text in LEGACY.items()}), stage).short_name == "aplusb"


@pytest.mark.parametrize(
    ("name", "short_name"),
    [("apb.zip", "apb"), ("a b (2).zip", "a-b-2"), ("..", "package"), ("C:\\x\\apb.zip", "apb"), ("../../x.zip", "x")],
)
def test_short_name_comes_from_a_safe_part_of_the_archives_name(stage: Path, name: str, short_name: str) -> None:
    assert upload(zipped(LEGACY), stage, name=name).short_name == short_name


def test_backslashes_of_windows_are_slashes(stage: Path) -> None:
    data = zipped({}, [Raw(f"aplusb/{name}".replace("/", "\\"), text.encode()) for name, text in LEGACY.items()])
    assert upload(data, stage).digest == upload(zipped(LEGACY), stage).digest


def test_slash_and_backslash_are_the_same_place(stage: Path) -> None:
    found = refusals(zipped(LEGACY, [Raw("data\\secret\\1.ans", b"4\n")]), stage)
    assert found == ["data\\secret\\1.ans: is in the archive twice"]


def test_what_operating_systems_leave_behind_is_ignored(stage: Path) -> None:
    extra = [Raw("__MACOSX/aplusb/._1.in"), Raw("aplusb/.DS_Store"), Raw("aplusb/.git/HEAD"), Raw("Thumbs.db")]
    package = upload(zipped({f"aplusb/{name}": text for name, text in LEGACY.items()}, extra), stage)
    assert package.digest == upload(zipped(LEGACY), stage).digest


@pytest.mark.parametrize(
    "name",
    [
        "attachments/~$task.docx",
        "attachments\\~$과제.xlsx",
        "__MACOSX/attachments/._~$task.docx",
        "~WRL0001.tmp",
        "attachments/~poster~1k2_a7.idlk",
        "attachments/.~lock.task.odt#",
        "$RECYCLE.BIN/S-1-5-21/$IXJ2.in",
        "attachments/Icon\r",
        ".git/refs/heads/~x y ",
    ],
)
def test_lock_files_and_what_else_is_left_behind_never_make_an_archive_fail(stage: Path, name: str) -> None:
    links = [Raw("submissions/accepted/.#add.py", b"jury@host.4711", LINK)]  # of Emacs, to nothing
    assert upload(zipped(LEGACY, [Raw(name), *links]), stage).digest == upload(zipped(LEGACY), stage).digest


def test_a_folder_that_is_left_out_leads_nowhere_else(stage: Path) -> None:
    for name in ("~$x/../../slip", "/.git/x", "C:\\.git\\x", ".git//x"):
        assert len(refusals(zipped(LEGACY, [Raw(name)]), stage)) == 1


def test_entries_without_unix_mode_and_folder_entries_are_fine(stage: Path) -> None:
    extra = [Raw("data/", b"", 0), Raw("data/secret/", b"", stat.S_IFDIR | 0o2755), Raw("notes.txt", b"x", 0)]
    assert upload(zipped(LEGACY, extra), stage).name == "A plus B"


def test_names_of_real_packages_are_fine(stage: Path) -> None:
    names = ["data/secret/01 - big #2 (max).in", "data/secret/été+1.in", "submissions/accepted/it's_me@home.cpp"]
    extra = [Raw(name) for name in names] + [Raw(name.replace(".in", ".ans")) for name in names[:2]]
    assert len(upload(zipped(LEGACY, extra), stage).test_cases) == 4


def test_data_that_compress_a_thousand_to_one_are_fine(stage: Path) -> None:
    extra = [Raw("data/secret/2.in", b"0" * 20 * MIB), Raw("data/secret/2.ans", b"0")]
    data = zipped(LEGACY, extra)
    assert len(data) < 64 * 1024
    assert upload(data, stage).test_cases[2].name == "secret/2"


def test_links_inside_the_package_are_kept(stage: Path) -> None:
    extra = [
        Raw("apb/data/secret/2.in", b"1.in", LINK),
        Raw("apb/data/secret/2.ans", b"../sample/1.ans", LINK),
        Raw("apb/data/secret/more", b"../sample", LINK),
    ]
    with staged_package(
        io.BytesIO(zipped({f"apb/{name}": text for name, text in LEGACY.items()}, extra)), staging_root=stage
    ) as staged:
        cases = {case.name: case.answer.read_text() for case in load_package(staged.folder).test_cases}
    assert cases == {"sample/1": "3\n", "secret/1": "5\n", "secret/2": "3\n", "secret/more/1": "3\n"}


# --- names


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../slip", "leads out of the package (..)"),
        ("a/../../slip", "leads out of the package (..)"),
        ("./../slip", "leads out of the package (..)"),
        ("data/..", "leads out of the package (..)"),
        ("__MACOSX/../../slip", "leads out of the package (..)"),
        ("/tmp/slip", "has an absolute name"),
        ("//host/slip", "has an absolute name"),
        ("..\\slip", "leads out of the package (..)"),
        ("data\\..\\..\\slip", "leads out of the package (..)"),
        ("\\\\host\\share\\slip", "has an absolute name"),
        ("C:\\slip", "begins with a drive letter"),
        ("C:/slip", "begins with a drive letter"),
        ("c:slip", "begins with a drive letter"),
        ("a//slip", "has an empty part in its name"),
        ("-rf", "has a part that begins with a dash, tilde or space, or ends with a space"),
        ("~/slip", "has a part that begins with a dash, tilde or space, or ends with a space"),
        ("a /slip", "has a part that begins with a dash, tilde or space, or ends with a space"),
        ("$(id)", "has '$' in its name, which is not allowed"),
        ("a;id.cpp", "has ';' in its name, which is not allowed"),
        ("*", "has '*' in its name, which is not allowed"),
        ("<b>", "has '<' in its name, which is not allowed"),
        ("d/" * 200 + "x", "lies more than 16 folders deep"),
        ("n" * 300, "has a part of more than 255 bytes in its name"),
        ("n" * 60_000, "has a name of more than 1000 bytes"),
    ],
)
def test_hostile_name_is_refused_and_told(stage: Path, name: str, why: str) -> None:
    (found,) = refusals(zipped(LEGACY, [Raw(name)]), stage)
    assert found.endswith(f": {why}")
    assert found.startswith(name[:100])


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\nb", "a\\nb"),
        ("a\x00b", "a\\x00b"),
        ("data\x00/../x", "data\\x00/../x"),
        ("\u202egpj.in", "\\u202egpj.in"),
        ("a\x1b[31m", "a\\x1b[31m"),
        ("a\xa0b", "a\\xa0b"),
    ],
)
def test_control_characters_in_names_are_refused_and_shown_harmlessly(stage: Path, name: str, shown: str) -> None:
    (why,) = refusals(zipped(LEGACY, [Raw(name)]), stage)
    assert why.startswith(f"{shown}: has a name that holds the character ")
    assert why.isprintable()


def test_entry_without_name_is_refused(stage: Path) -> None:
    assert refusals(zipped(LEGACY, [Raw("")]), stage) == ["an entry: has an empty part in its name"]


def test_every_wrong_entry_is_named(stage: Path) -> None:
    found = refusals(zipped(LEGACY, [Raw("../a"), Raw("/b"), Raw("..\\d")]), stage)
    assert [error.split(":")[0] for error in found] == ["../a", "/b", "..\\d"]


@pytest.mark.filterwarnings("ignore:Duplicate name")  # the archive is written with a doubled name on purpose
def test_doubled_entry_is_refused(stage: Path) -> None:
    found = refusals(zipped(LEGACY, [Raw("data/secret/1.ans", b"4\n")]), stage)
    assert found == ["data/secret/1.ans: is in the archive twice"]


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["DATA/x"], "DATA/x: differs only in upper and lower case or accents from data"),
        (
            ["data/secret/1.IN"],
            "data/secret/1.IN: differs only in upper and lower case or accents from data/secret/1.in",
        ),
        (["\u00e9.in", "e\u0301.in"], "\u00e9.in: is in the archive twice"),
        (["data/secret/1.in/x"], "data/secret/1.in/x: needs data/secret/1.in to be both a file and a folder"),
        (["data"], "data: needs data to be both a file and a folder"),
    ],
)
def test_clashing_names_are_refused(stage: Path, names: list[str], why: str) -> None:
    assert refusals(zipped(LEGACY, [Raw(name) for name in names]), stage) == [why]


# --- kinds


@pytest.mark.parametrize("kind", [stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK, stat.S_IFREG | stat.S_ISUID])
def test_devices_pipes_sockets_and_setuid_files_are_refused(stage: Path, kind: int) -> None:
    assert refusals(zipped(LEGACY, [Raw("data/secret/2.in", b"", kind | 0o777)]), stage) == [
        "data/secret/2.in: is neither a file nor a folder, or has a setuid bit"
    ]


@pytest.mark.parametrize(
    "target", ["/etc/hostname", "../../../etc/hostname", "../../..", "../../../../../../etc/hostname", ".."]
)
def test_link_that_leads_out_is_refused(stage: Path, target: str) -> None:
    found = refusals(zipped(LEGACY, [Raw("data/secret/2.in", target.encode(), LINK)]), stage)
    outside = "is a link that leads out of the package"
    inside = "is a link to a folder that holds it"
    assert found == [f"data/secret/2.in: {inside if target == '..' else outside}"]


def test_link_that_leads_out_over_another_link_is_refused(stage: Path) -> None:
    extra = [Raw("here", b".", LINK), Raw("data/secret/up", b"../..", LINK), Raw("data/x", b"secret/up/../y", LINK)]
    found = refusals(zipped(LEGACY, extra), stage)
    assert found
    assert all("is a link" in error for error in found)


def test_link_above_the_package_is_refused_even_to_a_file_of_the_archive(stage: Path) -> None:
    files = {f"apb/{name}": text for name, text in LEGACY.items()}
    extra = [Raw("apb/data/secret/2.in", b"../../../apb/problem.yaml", LINK)]
    assert refusals(zipped(files, extra), stage) == ["apb/data/secret/2.in: is a link that leads out of the package"]


def test_nothing_is_written_through_a_link(stage: Path, tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    extra = [Raw("out", str(tmp_path / "target").encode(), LINK), Raw("out/slip")]
    assert refusals(zipped(LEGACY, extra), stage) == ["out/slip: needs out to be both a file and a folder"]
    assert list((tmp_path / "target").iterdir()) == []


@pytest.mark.parametrize("target", [b"", b"a\x00b", b"\xff", b"a\nb", b"x" * 2_000, b"..\\x"])
def test_odd_link_target_is_refused(stage: Path, target: bytes) -> None:
    (found,) = refusals(zipped(LEGACY, [Raw("data/link", target, LINK)]), stage)
    assert found.startswith("data/link: is ")


# --- sizes


@pytest.mark.parametrize(
    ("caps", "why"),
    [
        (Caps(file_bytes=MIB), "data/secret/2.in: is larger than 1 MiB"),
        (
            Caps(total_bytes=MIB),
            "data/secret/2.in: is the largest of an archive that would unpack to more than 1 MiB",
        ),
        (Caps(entries=5), "the archive: has more than 5 entries"),
    ],
)
def test_archive_over_a_cap_is_refused(stage: Path, caps: Caps, why: str) -> None:
    extra = [Raw("data/secret/2.in", b"\0" * 2 * MIB), Raw("data/secret/2.ans")]
    assert refusals(zipped(LEGACY, extra), stage, caps) == [why]


@pytest.mark.parametrize("claimed", [0, 10, 4 * MIB - 1])
def test_lie_about_a_size_is_found_while_reading(stage: Path, claimed: int) -> None:
    bomb = with_claimed_size(zipped(LEGACY, [Raw("data/secret/2.in", b"\0" * 4 * MIB)]), claimed)
    (found,) = refusals(bomb, stage)
    assert found.startswith("data/secret/2.in: is damaged in the archive")


def test_bomb_is_refused_in_bounded_memory(stage: Path) -> None:
    bomb = zipped(LEGACY, [Raw("data/secret/2.in", b"\0" * 64 * MIB)])
    forged = with_claimed_size(bomb, 0xFFFF_FFFE)
    tracemalloc.start()
    try:
        assert refusals(bomb, stage, Caps(file_bytes=32 * MIB)) == ["data/secret/2.in: is larger than 32 MiB"]
        assert refusals(forged, stage)[0] == "data/secret/2.in: is larger than 512 MiB"
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()


@pytest.mark.thorough
def test_forged_directory_size_does_not_fill_the_memory(stage: Path) -> None:
    names = (f"data/many/{n}.in" for n in itertools.count())
    many = zipped(LEGACY, (Raw(name, b"", method=zipfile.ZIP_STORED) for name in itertools.islice(names, 70_000)))
    tracemalloc.start()
    try:
        assert refusals(many, stage) == ["sums.zip: has too many entries"]
        assert tracemalloc.get_traced_memory()[1] < 16 * MIB
    finally:
        tracemalloc.stop()


def test_nested_archives_stay_packed(stage: Path) -> None:
    inner = zipped({"x": "0" * 1_000_000}).decode("latin-1")
    with staged_package(
        io.BytesIO(zipped(LEGACY, [Raw("attachments/more.zip", inner.encode("latin-1"))])), staging_root=stage
    ) as staged:
        assert (staged.folder / "attachments/more.zip").stat().st_size == len(inner)


# --- archives that are none


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "sums.zip: is empty"),
        (b"hello", "sums.zip: is no zip archive"),
        (b"\x1f\x8b\x08" + b"\0" * 600, "sums.zip: is no zip archive but gzip: pack the folder as zip"),
        (b"x" * 257 + b"ustar" + b"\0" * 300, "sums.zip: is no zip archive but tar: pack the folder as zip"),
        (b"\x89PNG\r\n\x1a\n" + zipped(LEGACY), "sums.zip: is no zip archive"),
        (zipped({}), "sums.zip: holds no files"),
        (with_encryption_flag(zipped(LEGACY)), "the archive: is encrypted: pack it without a password"),
        (zipped({"submissions/accepted/a.py": "1"}), "problem.yaml: is missing: it must lie at the top of the package"),
        (
            zipped({"a/problem.yaml": "", "b/problem.yaml": ""}),
            "sums.zip: has no problem.yaml at its top, but in a, b: pack that folder alone",
        ),
    ],
)
def test_archive_that_cannot_be_used_says_why(stage: Path, data: bytes, why: str) -> None:
    assert refusals(data, stage) == [why]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_packing_methods_are_refused(stage: Path, method: int) -> None:
    assert refusals(zipped(LEGACY, [Raw("notes.txt", b"x", method=method)]), stage) == [
        "notes.txt: is packed by a method other than deflate"
    ]


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_cut_off_archive_is_told_apart(stage: Path, part: float) -> None:
    data = zipped(LEGACY)
    assert refusals(data[: int(len(data) * part)], stage) == [
        "sums.zip: is cut off or has something appended: the list of files at the end of the zip is missing"
    ]


@pytest.mark.thorough
def test_no_flipped_byte_leads_to_anything_but_a_package_or_a_list_of_faults(stage: Path) -> None:
    data = zipped(LEGACY)
    refused = 0
    for place in range(0, len(data), 7):
        broken = bytearray(data)
        broken[place] ^= 0xFF
        try:
            upload(bytes(broken), stage)
        except PackageErrors:
            refused += 1
    assert refused > 20
    assert list(stage.iterdir()) == []


def test_fault_of_our_own_disk_is_not_blamed_on_the_package(stage: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, *rest: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("problems.archive.upload.Path.open", full)
    with pytest.raises(OSError, match="No space left"):
        upload(zipped(LEGACY), stage)
    assert list(stage.iterdir()) == []


def test_what_a_killed_process_left_is_swept_a_day_later(stage: Path) -> None:
    for name, age_s in (("upload-old", 100_000), ("upload-young", 1_000), ("other", 100_000)):
        (stage / name / "apb").mkdir(parents=True)
        then = time.time() - age_s
        os.utime(stage / name, (then, then))
    upload(zipped(LEGACY), stage)
    assert sorted(path.name for path in stage.iterdir()) == ["other", "upload-young"]
