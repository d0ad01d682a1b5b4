"""What run jails show: runtimes and programs, all of it in memory, and made anew when what is installed changes."""

import json
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.doctor.doctor import examine
from sandbox.errors import ImageError
from sandbox.image import image, resident, runtimes
from sandbox.image.image import ResidentImage
from sandbox.jail.leftovers import remove_leftovers
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, HostRuntime, Image, JailSpec, Limits, Mount
from sandbox.workdir import fresh_folder
from tests.sandbox.jail.bad_input.test_host import disk
from tests.sandbox.jailed import PYTHON, output

LIMITS = Limits(cpu_time_ms=10_000, wall_time_ms=30_000)
ZONES = "/usr/share/zoneinfo/"
LOOK = """
import json, os, stat
found = []
for folder, below, names in os.walk("/"):
    below[:] = [name for name in below if f"{folder}{name}" not in ("/proc", "/dev")]
    for name in names:
        path = os.path.join(folder, name)
        is_ = os.lstat(path)
        if stat.S_ISREG(is_.st_mode):
            found.append([path, os.major(is_.st_dev), is_.st_size, is_.st_blocks * 512])
print(json.dumps(found))
"""
ASK = """
import os, sys
file = os.open("/program/blob", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
if len(sys.argv) > 1:
    for page in range(0, 1024, 2):
        os.pread(file, 1, page * 4096)
else:
    room = bytearray(1)
    for page in range(1024):
        try:
            print(os.preadv(file, [room], page * 4096, os.RWF_NOWAIT))
        except OSError as error:
            print(error.errno)
"""


MAP = """
import ctypes, os, resource, sys
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
huge = 2 << 20
file = os.open(os.path.realpath("/usr/bin/python3"), os.O_RDONLY)
room = libc.mmap(None, 2 * huge, 0, 0x22, -1, 0)  # private, anonymous
place = (room + huge - 1) // huge * huge
libc.mmap(place, huge, 1, 0x11, file, 0)  # to read, shared, at this place
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for page in range(0, huge, 4096):
    ctypes.string_at(place + page, 1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
for advice in map(int, sys.argv[1:]):
    libc.madvise(place, huge, advice)
"""


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for images that is this test's alone."""
    folder = Path(f"/dev/shm/tally-test-{secrets.token_hex(4)}")
    monkeypatch.setattr(resident, "RESIDENT", folder)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def part(tmp_path: Path) -> Path:
    """A part of our own, so that the image is nobody else's."""
    part = tmp_path / "part.so"
    shutil.copy(Path(image.__file__).parents[1] / "native" / "build" / "lines.so", part)
    return part


def test_a_run_jail_shows_runtimes_alone_and_all_of_it_in_memory(sandbox: NsjailSandbox, folder: Path) -> None:
    (folder / "program").mkdir(mode=0o755)
    (folder / "program" / "main.py").write_text(LOOK)
    spec = JailSpec(mounts=(Mount(source=folder / "program", target="/program"),))
    with sandbox.open_jail(spec) as jail:
        found = json.loads(output(jail, LOOK, folder))
    paths = {path for path, *_ in found}
    assert {"/program/main.py", "/tally/lines.so", "/etc/ld.so.cache", "/usr/bin/true"} <= paths
    assert not [path for path in paths if path.endswith((".a", ".h", ".o", ".gz"))]
    assert not [path for path in paths if path.startswith(("/usr/include", "/etc/alternatives"))]
    assert not [path for path in paths if path.startswith("/usr/share") and not path.startswith(ZONES)]
    assert not {"/usr/bin/sh", "/bin/sh", "/usr/bin/bash", "/usr/bin/gcc"} & paths
    assert not [path for path, major, *_ in found if major != 0]  # what has no device of its own is no disk
    assert not [path for path, _, size, blocks in found if blocks < size]  # no holes


def test_a_jail_with_tools_shows_the_hosts_own(sandbox: NsjailSandbox) -> None:
    with sandbox.open_jail(JailSpec(image=Image.TOOLS)) as jail:
        assert jail.run(Command(argv=("/bin/sh", "-c", "test -d /usr/share")), LIMITS).exit_code == 0


def test_the_runtimes_work_as_the_hosts_do(sandbox: NsjailSandbox, folder: Path) -> None:
    code = """
import asyncio, bz2, concurrent.futures, ctypes, decimal, fractions, hashlib, heapq, json, locale, lzma, math
import multiprocessing, numbers, random, re, sqlite3, ssl, statistics, string, sysconfig, threading, typing
import unittest, uuid, zlib, zoneinfo
print(locale.setlocale(locale.LC_ALL, ""), hashlib.sha256(b"").hexdigest()[:4], sysconfig.get_config_var("EXE") == "")
"""
    with sandbox.open_jail(JailSpec()) as jail:
        assert output(jail, code, folder) == "C.UTF-8 e3b0 True\n"


def test_a_program_of_the_disk_is_shown_from_memory_and_stays_as_it_was(sandbox: NsjailSandbox, folder: Path) -> None:
    shown, live = folder / "shown", folder / "live"
    for place in (shown, live):
        place.mkdir(mode=0o755)
        (place / "hole").touch()
        os.truncate(place / "hole", 1 << 20)
    mounts = (Mount(source=shown, target="/program"), Mount(source=live, target="/live", is_live=True))
    with sandbox.open_jail(JailSpec(mounts=mounts)) as jail:
        for place in (shown, live):
            (place / "later").touch()
        code = "import os; print(os.listdir('/program'), os.listdir('/live'), os.stat('/program/hole').st_blocks)"
        assert output(jail, code, folder) == f"['hole'] {[path.name for path in live.iterdir()]} 2048\n"
        before = set(resident.RESIDENT.glob("shown-*"))
        assert before
    assert set(resident.RESIDENT.glob("shown-*")) < before


def test_a_program_cannot_leave_a_message_in_its_own_files(sandbox: NsjailSandbox, folder: Path) -> None:
    program = folder / "program"
    program.mkdir(mode=0o755)
    blob = program / "blob"
    blob.write_bytes(os.urandom(1024 * 4096))
    with blob.open("rb") as file:  # as after a while, when memory was short
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    with sandbox.open_jail(JailSpec(mounts=(Mount(source=program, target="/program"),))) as jail:
        assert jail.run(Command(argv=(*PYTHON, ASK, "send")), LIMITS).exit_code == 0
        told = output(jail, ASK, folder).split()
    assert len(told) == 1024
    assert len(set(told)) == 1


def test_a_program_cannot_have_the_runtimes_lie_differently_in_memory(sandbox: NsjailSandbox, folder: Path) -> None:
    """MADV_COLLAPSE makes one large page of 512: one fault in later runs instead of 32. The filter refuses it."""
    with sandbox.open_jail(JailSpec()) as jail:
        before = int(output(jail, MAP, folder))
        advised = (*PYTHON, MAP, "14", "25", "21", "20")  # MADV_HUGEPAGE, MADV_COLLAPSE, MADV_PAGEOUT, MADV_COLD
        assert jail.run(Command(argv=advised), LIMITS).exit_code == 0
    with sandbox.open_jail(JailSpec()) as jail:
        assert abs(int(output(jail, MAP, folder)) - before) < 8
        assert before > 16


def test_names_that_are_not_there_are_not_remembered(sandbox: NsjailSandbox) -> None:
    asked = 100_000
    code = f"""
import os
for number in range({asked // 4}):
    for folder in ("/", "/usr/lib/", "/program/", "/tally/"):
        os.path.exists(f"{{folder}}nothing-{secrets.token_hex(8)}-{{number}}")
"""
    folder = resident.resident_folder("program-")
    with folder as program:
        program.chmod(0o755)
        with sandbox.open_jail(JailSpec(mounts=(Mount(source=program, target="/program"),))) as jail:
            before = dentries()
            assert jail.run(Command(argv=(*PYTHON, code)), LIMITS).exit_code == 0
            assert dentries() - before < asked // 4


def dentries() -> int:
    """How many names the kernel remembers. Source: /proc/sys/fs/dentry-state in proc_sys_fs(5)."""
    return int(Path("/proc/sys/fs/dentry-state").read_text().split()[0])


def test_one_image_serves_all_until_something_is_installed(
    place: Path, part: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "installed"
    installed.touch()

    def find(contents: runtimes.Contents) -> runtimes.Runtimes:
        found = runtimes.find_runtimes(contents)
        return replace(found, watched=(*found.watched, installed))

    monkeypatch.setattr(image, "find_runtimes", find)
    monkeypatch.setattr(image, "_COMPARE_EVERY_S", 0)
    one, other = (ResidentImage(runtimes.of_runs((part,), HostRuntime())) for _ in range(2))
    with one.held() as first, other.held() as second:
        assert first == second
        installed.write_text("another version")
        with one.held() as third:
            assert third != first
            assert (first / "usr").is_dir()  # a jail shows it still
    with other.held() as fourth:
        assert fourth == third
    installed.write_text("yet another one")
    with one.held() as fifth, other.held():
        assert [folder.name for folder in place.glob("image-*")] == [fifth.parent.name]


def test_the_folders_of_a_runtime_are_shown_whole(place: Path, part: Path, tmp_path: Path) -> None:
    machine, settings = tmp_path / "machine", tmp_path / "settings"
    (machine / "lib").mkdir(parents=True)
    (machine / "lib" / "modules").write_text("modules")
    settings.write_text("settings")
    (machine / "settings").symlink_to(settings)
    made = ResidentImage(runtimes.of_runs((part,), HostRuntime(folders=(machine, Path("/etc/ld.so.conf.d")))))
    with made.held() as root:
        there = root.joinpath(*machine.parts[1:])
        assert [(there / name).read_text() for name in ("lib/modules", "settings")] == ["modules", "settings"]
        assert [*(root / "etc" / "ld.so.conf.d").iterdir()]
    with ResidentImage(runtimes.of_runs((part,), HostRuntime())).held() as root:
        assert not root.joinpath(*machine.parts[1:]).exists()


def test_a_jail_with_tools_shows_the_folders_of_a_runtime_that_it_lacks(sandbox: NsjailSandbox) -> None:
    command = Command(argv=("/bin/ls", "/etc/ld.so.conf.d"))
    exit_codes = []
    for folders in ((), (Path("/etc/ld.so.conf.d"),)):
        spec = JailSpec(image=Image.TOOLS, runtime=HostRuntime(folders=folders))
        with sandbox.open_jail(spec) as jail:
            exit_codes.append(jail.run(command, Limits()).exit_code)
    assert exit_codes == [2, 0]


def test_an_image_that_somebody_removed_is_made_again(place: Path, part: Path) -> None:
    made = ResidentImage(runtimes.of_runs((part,), HostRuntime()))
    for _ in range(2):
        with made.held() as root:
            assert (root / "usr" / "bin" / "true").is_file()
        shutil.rmtree(place)


def test_what_a_killed_builder_left_is_removed(place: Path, part: Path) -> None:
    place.mkdir()
    (place / "build-abcdefgh").mkdir()
    (place / "image-of-another-version").mkdir()
    with ResidentImage(runtimes.of_runs((part,), HostRuntime())).held() as root:
        assert {path.name for path in place.iterdir()} == {".lock", root.parent.name}


def test_what_a_killed_worker_showed_is_removed(sandbox: NsjailSandbox, folder: Path) -> None:
    dead = resident.RESIDENT / f"shown-{secrets.token_hex(4)}"
    dead.mkdir()
    os.utime(dead, (time.time() - 60,) * 2)
    with fresh_folder(resident.RESIDENT, "shown-") as living:
        os.utime(living, (time.time() - 60,) * 2)
        assert dead.name in remove_leftovers(folder)
        assert living.is_dir()
    assert not dead.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (None, "is not on a tmpfs"),
        ("size=300m,noexec", "mounted noexec"),
        ("size=64m", "on a tmpfs of 64 MiB; it must have 256 MiB"),
    ],
)
def test_a_place_that_will_not_do_is_named_with_the_remedy(
    options: str | None, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    if options is None:
        monkeypatch.setattr(resident, "RESIDENT", folder / "here")  # `tmp_path` may be on a tmpfs
        refused(words, folder)
        return
    with disk(tmp_path / "memory", options) as mounted:
        monkeypatch.setattr(resident, "RESIDENT", mounted / "tally")
        refused(words, folder)


def test_a_tmpfs_with_the_options_of_a_container_will_do(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    with disk(folder / "memory", "size=300m,nosuid,nodev") as mounted:
        monkeypatch.setattr(resident, "RESIDENT", mounted / "tally")
        (folder / "program").mkdir(mode=0o755)
        shutil.copy("/usr/bin/true", folder / "program")
        shown = Mount(source=folder / "program", target="/program")
        with NsjailSandbox(folder).open_jail(JailSpec(mounts=(shown,))) as jail:
            for program in ("/usr/bin/true", "/program/true"):
                assert jail.run(Command(argv=(program,)), LIMITS).exit_code == 0


def refused(words: str, work_root: Path) -> None:
    with pytest.raises(ImageError, match=words):
        NsjailSandbox(work_root)
    (check,) = (check for check in examine(work_root) if not check.ok and check.needed)
    assert words in check.detail
    assert "--tmpfs /dev/shm:rw,nosuid,nodev,exec,size=1g,mode=1777" in check.remedy


def test_a_folder_of_somebody_else_is_not_taken(place: Path, tmp_path: Path) -> None:
    place.symlink_to(tmp_path)
    with pytest.raises(ImageError, match="not a folder of user 0"):
        resident.resident_root()
    place.unlink()
    place.mkdir()
    for owner, mode in ((12345, 0o755), (0, 0o777)):
        os.chown(place, owner, 0)
        place.chmod(mode)
        with pytest.raises(ImageError, match="not a folder of user 0"):
            resident.resident_root()
    os.chown(place, 0, 0)
    place.chmod(0o755)
    assert stat.S_IMODE(resident.resident_root().stat().st_mode) == 0o711
