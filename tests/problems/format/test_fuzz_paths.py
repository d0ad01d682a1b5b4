"""Any names in an archive and on disk: a package or a list of faults, and not one byte outside the folder."""

import io
import os
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import event, given, strategies as st

from problems.archive.entrynames import Places, parts_of, why_refused
from problems.archive.upload import staged_package
from problems.diagnostics import Report
from problems.format.files import Caps, package_files
from problems.loading.loading import load_package
from problems.package import PackageErrors
from problems.store.store import PackageMissing, PackageStore
from tests.fuzzing import examples
from tests.problems.archives import FILE, LINK, Raw, zipped
from tests.problems.conftest import LEGACY, write_files

_CAPS = Caps(entries=200, depth=6, file_bytes=10_000, total_bytes=100_000)
_WORDS = [
    "..",
    ".",
    "",
    "a",
    "A",
    "data",
    "secret",
    "1.in",
    "1.IN",
    "\u00e9",
    "e\u0301",
    "~",
    "-x",
    " ",
    "a ",
    "C:",
    "c:x",
]
_ODD = (
    "problem.yaml",
    ".git",
    "__MACOSX",
    "\\",
    "\0",
    "\n",
    "\u202e",
    "\ud800",
    "\udcff",
    "n" * 255,
    "n" * 256,
    "\u00e9" * 128,
    "\u0301" * 120,
)
_PARTS = st.sampled_from([*_WORDS, *_ODD])
_NAMES = st.lists(_PARTS | st.text(max_size=12), max_size=8).map("/".join) | st.text(max_size=40)
_ENCODABLE = _NAMES.filter(lambda name: not any("\ud800" <= letter <= "\udfff" for letter in name))
_MODES = st.sampled_from([FILE, LINK, stat.S_IFDIR | 0o755, stat.S_IFIFO, stat.S_IFCHR, 0, FILE | stat.S_ISUID])
_RAW = st.builds(Raw, name=_ENCODABLE, content=_ENCODABLE.map(str.encode) | st.binary(max_size=30), mode=_MODES)


@pytest.fixture
def outer(tmp_path: Path) -> Path:
    (tmp_path / "canary").write_text("untouched")
    return tmp_path


def everything_below(folder: Path) -> dict[str, str]:
    """Every file, link and folder, with what is in it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        found[str(path)] = path.read_text() if path.is_file() and not path.is_symlink() else ""
    return found


def walked(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        yield from (Path(parent, name) for name in (*folders, *files))


@examples(500)
@given(name=_NAMES)
def test_a_name_that_is_allowed_stays_below_its_folder(name: str) -> None:
    if why_refused(name, _CAPS) is None:
        parts = parts_of(name)
        assert not set(parts) & {"", ".", ".."}
        assert "\0" not in name
        assert len(parts) <= _CAPS.depth
        assert all(len(os.fsencode(part)) <= 255 and part[0] not in "-~ " for part in parts)
        assert os.path.normpath(os.path.join("/box", *parts)) == "/".join(("/box", *parts))  # noqa: PTH118


@examples(300)
@given(
    names=st.lists(
        st.tuples(st.lists(st.sampled_from("aAbé") | st.just("e\u0301"), min_size=1, max_size=3), st.booleans())
    )
)
def test_places_are_taken_once_on_every_file_system(names: list[tuple[list[str], bool]]) -> None:
    places = Places()
    taken: dict[str, tuple[str, bool]] = {}
    for parts, is_folder in names:
        if places.why_taken(tuple(parts), is_folder=is_folder) is not None:
            continue
        for length in range(1, len(parts) + 1):
            name = "/".join(parts[:length])
            entry = (name, length < len(parts) or is_folder)
            assert taken.setdefault(unicodedata.normalize("NFC", name).casefold(), entry) == entry


@pytest.mark.parametrize("name", [".", "./", "./.", "././", ".//"])
@pytest.mark.parametrize("mode", [FILE, LINK, stat.S_IFDIR | 0o755])
def test_an_entry_for_the_package_folder_itself_harms_nobody(outer: Path, name: str, mode: int) -> None:
    data = zipped(LEGACY, [Raw(name, b"", mode)])
    faults: list[str] = []
    try:
        with staged_package(io.BytesIO(data), staging_root=outer / "stage", caps=_CAPS) as staged:
            assert load_package(staged.folder).name == "A plus B"
    except PackageErrors as errors:
        faults = [str(error) for error in errors.errors]
    assert bool(faults) is (name == ".//")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@examples(250)
@given(extra=st.lists(_RAW, max_size=5), top=st.sampled_from(["", "apb/", "./apb/", "a/b/"]), name=_NAMES)
def test_an_archive_becomes_a_package_or_a_list_of_faults(outer: Path, extra: list[Raw], top: str, name: str) -> None:
    data = zipped({top + file: text for file, text in LEGACY.items()}, extra)
    stage = outer / "stage"
    before = everything_below(outer)
    faults: list[str] = []
    try:
        with staged_package(io.BytesIO(data), staging_root=stage, name=name, caps=_CAPS) as staged:
            folder = staged.folder
            assert folder.parent.parent == stage
            for path in walked(folder):
                assert path.lstat().st_mode & stat.S_IFMT(0o170000) in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)
            package = load_package(folder)
            digest = PackageStore(outer / "store").add(folder)
            assert digest == package.digest
            assert not any(path.is_symlink() for path in walked(outer / "store"))
            before |= {path: text for path, text in everything_below(outer).items() if "/store" in path}
    except PackageErrors as errors:
        faults = [str(error) for error in errors.errors]
    event("refused" if faults else "a package")
    assert all(fault.isprintable() for fault in faults)
    before |= {str(stage): ""}
    assert everything_below(outer) == before


@examples(150)
@given(places=st.lists(st.integers(0, 5_000), max_size=6), values=st.lists(st.integers(0, 255), max_size=6))
def test_a_spoilt_archive_becomes_a_package_or_a_list_of_faults(
    outer: Path, places: list[int], values: list[int]
) -> None:
    data = bytearray(zipped(LEGACY, [Raw("data/secret/2.in", b"1.in", LINK), Raw("data/secret/2.ans", b"1")]))
    for place, value in zip(places, values, strict=False):
        data[-1 - place % len(data)] = value  # the directory is at the end
    faults: list[str] = []
    try:
        with staged_package(io.BytesIO(bytes(data)), staging_root=outer / "stage", caps=_CAPS) as staged:
            load_package(staged.folder)
    except PackageErrors as errors:
        faults = [str(error) for error in errors.errors]
    event("refused" if faults else "a package")
    assert all(fault.isprintable() for fault in faults)
    assert list((outer / "stage").iterdir()) == []


@examples(150)
@given(
    links=st.dictionaries(
        st.sampled_from(["x", "data/x", "data/secret/3.in", "data/secret/3.ans", "data/y"]),
        st.sampled_from(
            ["..", ".", "x", "../x", "y", "../..", "../../canary", "/etc/hostname", "secret", "1.in", "n" * 300]
        )
        | _NAMES.filter(lambda name: name not in ("", "\0") and "\0" not in name).map(lambda name: name[:1_000]),
        max_size=5,
    )
)
def test_links_on_disk_never_show_a_file_from_outside(outer: Path, links: dict[str, str]) -> None:
    folder = outer / f"package-{len(list(outer.iterdir()))}"
    write_files(folder, LEGACY)
    for name, target in links.items():
        os.symlink(target.encode("utf-8", "surrogateescape" if "\ud800" not in target else "replace"), folder / name)  # noqa: PTH211
    report = Report()
    found = package_files(folder, report)
    for name, path in found.items():
        assert path.is_relative_to(folder)
        assert not path.is_symlink()
        assert name.isprintable()
    assert "untouched" not in {path.read_text() for path in found.values()}


@examples(100)
@given(digest=_NAMES | st.text("0123456789abcdef", min_size=64, max_size=64))
def test_a_digest_from_anybody_opens_nothing(outer: Path, digest: str) -> None:
    store = PackageStore(outer / "store")
    with pytest.raises(PackageMissing):
        store.open(digest)
