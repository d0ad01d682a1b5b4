"""Names in archives as they were meant: CP949 of Korean Windows, UTF-8 without its flag, Hangul in parts of macOS."""

import io
import unicodedata
import zipfile
from pathlib import Path

import pytest

from problems.archive.export import zip_chunks
from problems.archive.upload import staged_package
from problems.loading.loading import load_package
from problems.package import Package, PackageErrors
from problems.statement.pictures import Beside, Pictures
from tests.problems.archives import LINK, Raw, zipped, zipped_raw
from tests.problems.conftest import LEGACY

KOREAN = {
    **LEGACY,
    "data/secret/큰 입력.in": "4 5\n",
    "data/secret/큰 입력.ans": "9\n",
    "attachments/첫째.txt": "읽어 보세요\n",
    "submissions/accepted/합.py": "print(sum(map(int, input().split())))\n",
}


def encoded(encoding: str, files: dict[str, str] = KOREAN) -> bytes:
    return zipped_raw({name.encode(encoding): text.encode() for name, text in files.items()})


def apart(name: str) -> str:
    """The name as macOS writes it."""
    return unicodedata.normalize("NFD", name)


def upload(data: bytes, stage: Path) -> Package:
    with staged_package(io.BytesIO(data), staging_root=stage, name="합.zip") as staged:
        return load_package(staged.folder)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(encoded("cp949"), id="Korean Windows"),
        pytest.param(encoded("utf-8"), id="UTF-8 without its flag"),
        pytest.param(zipped({apart(name): text for name, text in KOREAN.items()}), id="macOS"),
        pytest.param(encoded("utf-8", {apart(name): text for name, text in KOREAN.items()}), id="old macOS"),
        pytest.param(zipped(KOREAN), id="UTF-8 with its flag"),
    ],
)
def test_korean_names_are_those_that_were_meant(data: bytes, tmp_path: Path) -> None:
    package = upload(data, tmp_path)
    assert [case.name for case in package.test_cases] == ["sample/1", "secret/1", "secret/큰 입력"]
    assert [each.name for each in package.attachments] == ["첫째.txt"]
    assert {each.name for each in package.submissions} == {"accepted/add.py", "accepted/합.py"}
    assert package.digest == upload(zipped(KOREAN), tmp_path / "again").digest


def test_backslashes_of_korean_windows_are_slashes(tmp_path: Path) -> None:
    files = {name.replace("/", "\\"): text for name, text in KOREAN.items()}
    assert upload(encoded("cp949", files), tmp_path).digest == upload(zipped(KOREAN), tmp_path / "again").digest


@pytest.mark.parametrize(
    ("name", "shown"),
    [(b"data/caf\xe9.in", r"data/caf\xe9.in"), (b"\x80\x81.in", r"\x80\x81.in"), (b"\xb0/x", r"\xb0/x")],
)
def test_a_name_in_no_known_encoding_is_refused_by_name(tmp_path: Path, name: bytes, shown: str) -> None:
    with pytest.raises(PackageErrors) as caught:
        upload(zipped_raw({**{name.encode(): text.encode() for name, text in LEGACY.items()}, name: b"1"}), tmp_path)
    assert [str(error) for error in caught.value.errors] == [f"{shown}: has a name that is neither UTF-8 nor CP949"]


def test_a_name_in_parts_that_is_there_composed_too_is_doubled(tmp_path: Path) -> None:
    with pytest.raises(PackageErrors) as caught:
        upload(zipped(LEGACY, [Raw("값.in"), Raw(apart("값.in"))]), tmp_path)
    assert [str(error) for error in caught.value.errors] == ["값.in: is in the archive twice"]


def test_a_long_name_in_parts_counts_as_it_is_read(tmp_path: Path) -> None:
    name = "각" * 60  # 540 bytes in parts, 180 composed
    assert len(apart(name).encode()) > 255
    assert upload(zipped(LEGACY, [Raw(f"attachments/{apart(name)}")]), tmp_path).attachments[0].name == name


def test_a_link_to_a_name_in_parts_leads_there(tmp_path: Path) -> None:
    links = [
        Raw(apart("data/secret/나.in"), apart("가.in").encode(), LINK),
        Raw(apart("data/secret/나.ans"), apart("가.ans").encode(), LINK),
    ]
    files = {apart(f"data/secret/가.{end}"): "3\n" for end in ("in", "ans")}
    package = upload(zipped({**LEGACY, **files}, links), tmp_path)
    assert [case.name for case in package.test_cases][-2:] == ["secret/가", "secret/나"]


def test_a_picture_is_found_however_its_name_is_written(tmp_path: Path) -> None:
    """Also in a package that was kept before names were composed."""
    for kept, written in [(apart("그림.png"), "그림.png"), ("그림.png", apart("그림.png"))]:
        pictures = Pictures(Beside(pictures={kept: f"statement/{kept}"}))
        place = pictures.place(written)
        assert place is not None
        assert place.startswith("files/statement/%E")
        assert pictures.warnings == []


def test_an_exported_package_has_names_that_every_archiver_reads(tmp_path: Path) -> None:
    with staged_package(io.BytesIO(encoded("cp949")), staging_root=tmp_path, name="sums.zip") as staged:
        data = b"".join(zip_chunks(load_package(staged.folder)))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        flagged = {info.filename for info in archive.infolist() if info.flag_bits & 0x800}
    assert flagged == {f"sums/{name}" for name in KOREAN if not name.isascii()}
