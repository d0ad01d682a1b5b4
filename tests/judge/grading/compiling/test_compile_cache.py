"""Compile results are kept by content: whole or not at all, within bounds, whoever else keeps and removes meanwhile."""

import os
import re
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.compiling import compile_cache
from judge.grading.compiling.compile_cache import KeptResult, keep, key_of, look_up
from judge.grading.languages import CPP, RUST, Language
from sandbox.types import Limits

PROGRAM = KeptResult(is_ok=True, message="a warning", program=b"\x7fELF\n\0\xff" * 1000)
REFUSAL = KeptResult(is_ok=False, message="main.cpp:1:1: error: é\n")
LIMITS = Limits()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("result", [PROGRAM, REFUSAL])
def test_what_was_kept_is_found_again(tmp_path: Path, result: KeptResult) -> None:
    cache = tmp_path / "cache"
    assert look_up(cache, "key") is None
    keep(cache, "key", result, tmp_path)
    assert look_up(cache, "key") == result
    assert look_up(cache, "another") is None
    assert names(tmp_path) == ["cache"]


def test_only_root_can_read_it(tmp_path: Path) -> None:
    keep(tmp_path / "cache", "key", PROGRAM, tmp_path)
    room = tmp_path / "cache" / "compiled"
    assert [path.stat().st_mode & 0o777 for path in (room, room / "key")] == [0o700, 0o600]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: b"",
        lambda content: content.replace(b"warning", b"morning"),
        lambda content: content[:100] + b"\0" * (len(content) - 100),
    ],
)
def test_a_damaged_entry_counts_as_absent_and_goes(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    keep(tmp_path / "cache", "key", PROGRAM, tmp_path)
    entry = tmp_path / "cache" / "compiled" / "key"
    entry.write_bytes(damage(entry.read_bytes()))
    assert look_up(tmp_path / "cache", "key") is None
    assert not entry.exists()


def test_another_entry_s_content_counts_as_absent(tmp_path: Path) -> None:
    keep(tmp_path / "cache", "key", PROGRAM, tmp_path)
    entry = tmp_path / "cache" / "compiled" / "key"
    entry.with_name("another").write_bytes(entry.read_bytes())
    assert look_up(tmp_path / "cache", "another") is None
    assert look_up(tmp_path / "cache", "key") == PROGRAM


def test_a_writer_that_is_killed_leaves_no_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "grade-1"
    keep(cache, "first", REFUSAL, tmp_path)
    folder.mkdir()
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(Path, "replace", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        keep(cache, "second", PROGRAM, folder)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    assert names(cache / "compiled") == ["first"]
    assert names(folder) == ["kept"]  # in the writer's own folder, which is cleared away with it


def test_the_longest_unused_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_cache, "MOST_ENTRIES", 3)
    cache = tmp_path / "cache"
    for position, name in enumerate("abc"):
        keep(cache, name, REFUSAL, tmp_path)
        os.utime(cache / "compiled" / name, (position, position))
    assert look_up(cache, "a") == REFUSAL
    keep(cache, "d", REFUSAL, tmp_path)
    assert names(cache / "compiled") == ["a", "c", "d"]


def test_the_bytes_are_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_cache, "MOST_BYTES", 3 * len(PROGRAM.program))
    for name in "abcdef":
        keep(tmp_path / "cache", name, PROGRAM, tmp_path)
    assert len(names(tmp_path / "cache" / "compiled")) == 2  # an entry is a little larger than its program


def test_a_program_of_unusual_size_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_cache, "_MOST_PROGRAM_BYTES", len(PROGRAM.program) - 1)
    keep(tmp_path / "cache", "key", PROGRAM, tmp_path)
    assert look_up(tmp_path / "cache", "key") is None


def test_workers_that_keep_use_and_remove_at_once_do_not_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_cache, "MOST_ENTRIES", 5)
    cache = tmp_path / "cache"

    def work(worker: int) -> set[KeptResult | None]:
        folder = tmp_path / f"grade-{worker}"
        folder.mkdir()
        found = set()
        for number in range(200):
            keep(cache, f"{(worker + number) % 10}", PROGRAM, folder)
            found.add(look_up(cache, f"{number % 10}"))
        return found

    with ThreadPoolExecutor(4) as pool:
        assert set().union(*pool.map(work, range(4))) <= {PROGRAM, None}
    assert len(names(cache / "compiled")) <= 5 + 4


def test_where_nothing_can_be_kept_nothing_fails(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = tmp_path / "cache"
    cache.write_text("not a folder")
    keep(cache, "key", PROGRAM, tmp_path)
    assert "could not be kept" in caplog.text
    assert names(tmp_path) == ["cache"]


def test_the_key_changes_with_all_that_the_result_depends_on(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"main.cpp": b"int main() {}", "rules.h": b""}

    def key(language: Language = CPP, units: tuple[str, ...] = ("main.cpp",), limits: Limits = LIMITS) -> str:
        return key_of(language, files, units, limits)

    keys = [key(), key(RUST), key(units=("main.cpp", "rules.h")), key(limits=replace(LIMITS, cpu_time_ms=1))]
    keys.append(key_of(CPP, files, ("main.cpp",), LIMITS, author=1))
    keys.append(key(replace(CPP, compile_flags=(*CPP.compile_flags, "-g"))))
    for changed in ({"rules.h": b"1"}, {"rules.h": b"", "main.cpp": b"int main() {} "}, {"other.h": b""}):
        files |= changed
        keys.append(key())
    monkeypatch.setattr(Language, "fingerprint", lambda language: "a newer compiler")
    keys.append(key())
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch("[0-9a-f]{64}", key) for key in keys)
    assert key() == keys[-1]
