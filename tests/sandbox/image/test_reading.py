"""The bounded reader: a module of ours in a jail, which sees nothing of the host and keeps its limits."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.image.reading import LIMITS, CannotBeRead, Reader, Reading
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Mount
from tests.sandbox.metered import SLOWNESS

MODULES = {
    "__init__": "",
    "echo": "import json, sys\njson.dump([sys.argv[1:], sys.stdin.read()], sys.stdout)",
    "look": """
import json, os, socket, sys
def tried(act):
    try:
        return bool(act())
    except OSError:
        return False
answer = {
    "users": [os.getuid(), os.geteuid()],
    "writes": tried(lambda: open("/packages/probe/new", "w")) or tried(lambda: open("/usr/new", "w")),
    "connects": tried(lambda: socket.create_connection(("127.0.0.1", 9), 1)) or tried(lambda: socket.socket()),
    "reads": [path for path in sys.argv[1:] if tried(lambda: open(path).read())],
    "packages": sorted(os.listdir("/packages")),
    "environment": sorted(os.environ),
    "processes": [name for name in os.listdir("/proc") if name.isdigit() and name != str(os.getpid())],
}
json.dump(answer, sys.stdout)
""",
    "spin": "while True: pass",
    "wait": "import time\ntime.sleep(3600)",
    "grow": "kept = []\nwhile True: kept.append(bytearray(1 << 24))",
    "shout": "import sys\nwhile True: sys.stdout.write('[' * 65536)",
    "complain": "import sys\nwhile True: sys.stderr.write('x' * 65536)",
    "fail": "raise ValueError('what is read is odd')",
    "leave": "import sys\nprint('[1]')\nsys.exit(3)",
    "nothing": "",
    "words": "print('no JSON')",
    "nested": "print('[' * 100_000 + ']' * 100_000)",
}
SHORT = replace(LIMITS, cpu_time_ms=200 * SLOWNESS, wall_time_ms=1_500 * SLOWNESS, output_bytes=MIB, stderr_bytes=MIB)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    """A package of readers, importable here, so that an image can show it."""
    folder = tmp_path_factory.mktemp("packages")
    (folder / "probe").mkdir()
    for name, source in MODULES.items():
        (folder / "probe" / f"{name}.py").write_text(source)
    sys.path.insert(0, str(folder))
    yield ("probe",)
    sys.path.remove(str(folder))
    sys.modules.pop("probe", None)


@pytest.fixture
def reader(sandbox: NsjailSandbox, folder: Path, packages: tuple[str, ...]) -> Reader:
    return Reader(sandbox=sandbox, work_root=folder, packages=packages)


def test_it_answers_what_it_was_given(reader: Reader, folder: Path) -> None:
    assert reader.read(Reading(module="probe.echo", arguments=("a", "b c"), stdin=b"text")) == [["a", "b c"], "text"]
    (folder / "given").write_text("a file")
    assert reader.read(Reading(module="probe.echo", stdin=folder / "given")) == [[], "a file"]


def test_it_may_answer_into_a_file_for_the_next_one(reader: Reader, folder: Path) -> None:
    reader.read_to(folder / "kept", Reading(module="probe.echo", stdin=b"first"))
    assert reader.read(Reading(module="probe.echo", stdin=folder / "kept")) == [[], '[[], "first"]']


def test_it_sees_nothing_of_the_host_but_what_it_is_shown(reader: Reader, folder: Path) -> None:
    (folder / "shown").mkdir(mode=0o755)
    (folder / "shown" / "program").write_text("x")
    hidden = [__file__, "/etc/passwd", "/etc/hostname", "/root/.bashrc", "/proc/1/environ", str(folder), sys.executable]
    mounts = (Mount(source=folder / "shown", target="/program"),)
    saw = reader.read(Reading(module="probe.look", arguments=[*hidden, "/program/program"], mounts=mounts))
    assert isinstance(saw, dict)
    assert 0 not in saw["users"]
    assert saw["reads"] == ["/program/program"]
    assert not saw["writes"]
    assert not saw["connects"]
    assert saw["packages"] == ["probe"]
    assert saw["processes"] == []
    assert set(saw["environment"]) <= {"PATH", "LANG", "HOME", "TMPDIR", "PYTHONPATH", "LC_CTYPE", "PWD", "SHLVL"}


@pytest.mark.each
@pytest.mark.parametrize("module", ["spin", "wait", "grow", "shout", "complain"])
def test_whatever_it_does_it_ends_within_its_limits(module: str, reader: Reader, folder: Path) -> None:
    with pytest.raises(CannotBeRead):
        reader.read(Reading(module=f"probe.{module}", limits=SHORT))
    assert list(folder.glob("reading-*")) == []


@pytest.mark.parametrize("module", ["fail", "leave", "nothing", "words", "nested", "no_such_module"])
def test_any_end_but_a_good_one_is_no_answer(module: str, reader: Reader) -> None:
    with pytest.raises(CannotBeRead):
        reader.read(Reading(module=f"probe.{module}", limits=SHORT))


def test_packages_that_are_not_there_are_no_answer(reader: Reader) -> None:
    with pytest.raises(CannotBeRead, match="no_such_package is not installed"):
        replace(reader, packages=("no_such_package",)).read(Reading(module="probe.echo"))


def test_a_changed_module_is_read_anew(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.image.image._COMPARE_EVERY_S", 0)
    place = Path(sys.path[0], "probe", "echo.py")
    before = place.read_text()
    try:
        place.write_text("print('[\"new\"]')")
        os.utime(place, ns=(1, 1))
        assert reader.read(Reading(module="probe.echo")) == ["new"]
    finally:
        place.write_text(before)
    assert reader.read(Reading(module="probe.echo")) == [[], ""]
