"""Archives of several problems: which problems are found in them, and each is taken out as an archive of its own."""

import io
from pathlib import Path

import pytest

from problems.archive.upload import members_of, staged_package
from problems.convert.detection import PackageSet
from problems.format.files import Caps
from problems.loading.loading import load_package
from problems.package import PackageErrors
from tests.problems.archives import LINK, Raw, with_claimed_size, zipped
from tests.problems.conftest import LEGACY

TESTS = {"1.in": "1\n", "1.out": "1\n"}
DMOJ = {"init.yml": "test_cases: [{in: 1.in, out: 1.out, points: 5}]\n", **TESTS}


def below(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}


def found_in(data: bytes, stage: Path) -> PackageSet:
    """The problems in the archive, which is none itself."""
    with pytest.raises(PackageErrors) as caught, staged_package(io.BytesIO(data), staging_root=stage, name="set.zip"):
        pass
    (error,) = caught.value.errors
    assert isinstance(error, PackageSet), error
    return error


def taken_out(data: bytes, stage: Path, caps: Caps | None = None) -> dict[str, str]:
    """The title of each problem in the archive by its name, or what is wrong with it; nothing is left behind."""
    found: dict[str, str] = {}
    for member in members_of(io.BytesIO(data), found_in(data, stage), stage, caps):
        if member.archive is None:
            found[member.name] = "; ".join(map(str, member.errors))
            continue
        try:
            with staged_package(member.archive, staging_root=stage / "one", name=member.name) as staged:
                package = load_package(staged.folder)
                found[member.name] = f"{package.short_name} {staged.origin}"
        except PackageErrors as wrong:
            found[member.name] = str(wrong)
    assert [path for path in stage.rglob("*") if path.name != "one"] == []
    return found


def test_folders_with_a_package_each_are_taken_out(tmp_path: Path) -> None:
    files = {"contest.yaml": "name: Round 1\n", "README.md": "", **below("b", LEGACY), **below("a", LEGACY)}
    for data in (zipped(files), zipped(below("round", files))):
        assert [*taken_out(data, tmp_path).values()] == ["a icpc", "b icpc"]
        assert [parts[-1] for parts in found_in(data, tmp_path).others] == ["README.md", "contest.yaml"]


def test_package_taken_out_is_the_one_that_was_packed_alone(tmp_path: Path) -> None:
    data = zipped({**below("sums", LEGACY), **below("other", LEGACY)})
    with staged_package(io.BytesIO(zipped(below("sums", LEGACY))), staging_root=tmp_path / "one") as alone:
        digest = load_package(alone.folder).digest
    digests = []
    for one in members_of(io.BytesIO(data), found_in(data, tmp_path), tmp_path):
        assert one.archive
        with staged_package(one.archive, staging_root=tmp_path / "one", name=one.name) as staged:
            digests.append(load_package(staged.folder).digest)
    assert digests == [digest, digest]


def test_zips_within_a_zip_are_taken_out_as_they_are(tmp_path: Path) -> None:
    inner = zipped(below("legacy", LEGACY))
    data = zipped({"notes.txt": ""}, [Raw("set/legacy.zip", inner), Raw("set/Tests.KPP", zipped(TESTS))])
    assert taken_out(data, tmp_path) == {"set/Tests.KPP": "Tests plain", "set/legacy.zip": "legacy icpc"}
    for member in members_of(io.BytesIO(data), found_in(data, tmp_path), tmp_path):
        assert member.archive
        assert (member.name == "set/legacy.zip") == (member.archive.read_bytes() == inner)


def test_folders_of_other_formats_and_zips_stand_together(tmp_path: Path) -> None:
    files = {**below("easy/a", LEGACY), **below("hard/b", DMOJ)}
    data = zipped(files, [Raw("c.zip", zipped(TESTS))])
    assert taken_out(data, tmp_path) == {"c.zip": "c plain", "easy/a": "a icpc", "hard/b": "b dmoj"}


def test_contest_of_cms_whose_tasks_say_what_they_are_is_a_set(tmp_path: Path) -> None:
    files = {"round/contest.yaml": "tasks: [coins, dots]\n"}
    for name in ("coins", "dots"):
        task = {"task.yaml": f"name: {name}\n", "input/input0.txt": "1\n", "output/output0.txt": "1\n"}
        files |= below(f"round/{name}", task)
    assert found_in(zipped(files), tmp_path).folders == [("round", "coins"), ("round", "dots")]


def test_folder_beside_the_packages_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    slides = {"slides/day1/a.pdf": "x", "slides/b.pdf": "x"}
    found = taken_out(zipped({**below("a", LEGACY), **below("plain", TESTS), **slides}), tmp_path)
    assert (found["a"], found["plain"]) == ("a icpc", "plain plain")
    assert found["slides"].startswith("slides: is no problem that Tally can read")
    misspelt = {**LEGACY, "problem.yml": LEGACY["problem.yaml"]}
    del misspelt["problem.yaml"]
    (_, found_b) = taken_out(zipped({**below("a", LEGACY), **below("b", misspelt)}), tmp_path).values()
    assert "problem.yml" in found_b


def test_set_in_a_set_is_refused(tmp_path: Path) -> None:
    inner = zipped({}, [Raw("deeper.zip", zipped(LEGACY))])
    found = taken_out(zipped(below("a", LEGACY), [Raw("set.zip", inner)]), tmp_path)
    assert found == {"a": "a icpc", "set.zip": "set.zip: is no problem but holds deeper.zip: take that file alone"}


@pytest.mark.parametrize("name", ["attachments/more.zip", "data/secret/1.zip", "deeper/problem.yaml"])
def test_what_lies_in_a_package_is_no_problem_of_the_set(tmp_path: Path, name: str) -> None:
    data = zipped({**below("a", LEGACY), **below("b", LEGACY)}, [Raw(f"a/{name}", zipped(LEGACY))])
    found = found_in(data, tmp_path)
    assert (found.folders, found.zips, found.others) == ([("a",), ("b",)], [], [])


def test_one_that_cannot_be_taken_out_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    links = [Raw("a/link", b"../b/problem.yaml", LINK), Raw("c/gone", b"nothing", LINK), Raw("l.zip", b"b.zip", LINK)]
    files = {**below("a", LEGACY), **below("b", LEGACY), **below("c", LEGACY)}
    assert taken_out(zipped(files, links), tmp_path) == {
        "a": "a/link: is a link that leads out of the package",
        "b": "b icpc",
        "c": "gone: is a link to nothing",
        "l.zip": "l.zip: is a link: pack the file itself",
    }


def test_all_packages_together_stay_within_the_bounds_of_one(tmp_path: Path) -> None:
    caps = Caps(total_bytes=200_000)
    files = {**below("a", LEGACY), **below("b", LEGACY)}
    data = with_claimed_size(zipped({**files, "b/long": "0" * 300_000}), 1)
    found = taken_out(data, tmp_path, caps)
    assert found["a"] == "a icpc"
    assert found["b"].startswith("b/long: is damaged in the archive")
    honest = zipped({**files, "a/long": "0" * 150_000, "b/long": "0" * 150_000})
    with pytest.raises(PackageErrors, match="would unpack to more than"):
        next(members_of(io.BytesIO(honest), found_in(honest, tmp_path), tmp_path, caps))


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (
            {"init.yml": "", "sub/problem.yaml": ""},
            "has no problem.yaml at its top, but in sub: pack that folder alone",
        ),
        ({"notes.pdf": "", "more/x.txt": ""}, "is no problem that Tally can read"),
    ],
)
def test_what_holds_no_problem_beside_others_is_no_set(tmp_path: Path, files: dict[str, str], why: str) -> None:
    with (
        pytest.raises(PackageErrors, match=why) as caught,
        staged_package(io.BytesIO(zipped(files)), staging_root=tmp_path),
    ):
        pass
    assert not isinstance(caught.value.errors[0], PackageSet)


def test_zip_among_plain_tests_makes_no_set_of_them(tmp_path: Path) -> None:
    data = zipped({**TESTS, "legacy.zip": "x"})
    with staged_package(io.BytesIO(data), staging_root=tmp_path, name="sums.zip") as staged:
        assert staged.origin == "plain"
