"""The real jail from the inside: what a program finds there, and what it may not do."""

import errno
import os
import re
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, JailSpec, Mount
from tests.sandbox.jailed import LIMITS, PYTHON, output, python

ROOT = Path(__file__).parents[3]
FILES = (("placed", "/files/one"),)


def test_nothing_is_carried_from_one_run_to_the_next(jail: OpenJail, folder: Path) -> None:
    code = "import os; print(sorted(os.listdir('.')), sorted(os.listdir('/tmp')), sorted(os.listdir('/dev/shm')))"
    code += "; [open(f'{place}/left', 'w').write('x') for place in ('.', '/tmp', '/dev/shm')]"
    assert output(jail, code, folder) == "[] [] []\n" == output(jail, code, folder)


def test_process_numbers_begin_anew_with_each_run(jail: OpenJail, folder: Path) -> None:
    code = "import os; print(os.getpid(), flush=True)\nif os.fork() == 0: print(os.getpid())\nelse: os.wait()"
    assert output(jail, code, folder) == "3\n4\n" == output(jail, code, folder)


def test_the_fresh_folders_are_three(jail: OpenJail, folder: Path) -> None:
    code = "import os; open('/box/one', 'w'); open('/tmp/two', 'w'); open('/dev/shm/three', 'w')"
    code += "; print(*(os.listdir(place) for place in ('.', '/tmp', '/dev/shm')), os.path.expanduser('~'))"
    assert output(jail, code, folder) == "['one'] ['two'] ['three'] /tmp\n"


def test_the_fresh_folders_do_not_tell_when_the_run_before_ended(jail: OpenJail, folder: Path) -> None:
    code = "import os; print(*(os.stat(place).st_ctime for place in ('/scratch', '/box', '/tmp', '/dev/shm')))"
    output(jail, code, folder)
    time.sleep(0.2)
    asked = time.time()
    coarse_s = 0.02  # the clock of files moves in ticks
    assert all(float(made) > asked - coarse_s for made in output(jail, code, folder).split())


def test_a_device_is_used_but_not_touched(jail: OpenJail) -> None:
    assert python(jail, "open('/dev/null', 'w').write('x'); open('/dev/zero', 'rb').read(9)").exit_code == 0
    assert python(jail, "import os; os.utime('/dev/null')").exit_code == 1


def test_standard_streams_can_be_opened_by_name(jail: OpenJail, folder: Path) -> None:
    (folder / "in").write_text("5")
    (folder / "in").chmod(0o644)
    code = "text = open('/dev/stdin').read()\nfor n in ('out', 'err'): open(f'/dev/std{n}', 'w').write(text + n)"
    command = Command(
        argv=(*PYTHON, code), stdin=folder / "in", stdout=folder / "by-name", stderr=folder / "by-name.err"
    )
    assert jail.run(command, LIMITS).exit_code == 0
    assert [(folder / name).read_text() for name in ("by-name", "by-name.err")] == ["5out", "5err"]


def test_the_input_tells_no_path(jail: OpenJail, folder: Path) -> None:
    (folder / "03-tricky.in").write_text("5")
    code = "import os; print(os.readlink('/proc/self/fd/0'), os.read(0, 9))"
    command = Command(argv=(*PYTHON, code), stdin=folder / "03-tricky.in", stdout=folder / "path")
    jail.run(command, LIMITS)
    assert re.fullmatch(r"/jail-[^/]+/stdin \(deleted\) b'5'\n", (folder / "path").read_text())
    assert not list(folder.parent.glob("jail-*/stdin"))


def test_who_reads_the_input_leaves_no_mark_on_it(jail: OpenJail, folder: Path) -> None:
    (folder / "in").write_text("5")
    (folder / "in").chmod(0o666)
    os.utime(folder / "in", (1, 2))
    code = "import os; os.read(0, 9); open('/dev/stdin').read(); print(int(os.fstat(0).st_atime))"
    code += "\ntry: open('/dev/stdin', 'w')\nexcept OSError as error: print(error.errno)"
    assert jail.run(Command(argv=(*PYTHON, code), stdin=folder / "in", stdout=folder / "out"), LIMITS).exit_code == 0
    assert (folder / "out").read_text() == f"1\n{errno.EROFS}\n"
    assert (folder / "in").stat().st_atime == 1


def test_nothing_tells_where_the_host_has_its_folders(sandbox: NsjailSandbox, folder: Path) -> None:
    code = """
import os
for name in ('mountinfo', 'mounts', 'mountstats', 'maps', 'environ', 'cmdline'):
    print(name, len(text := open('/proc/self/' + name).read()), text)
print([os.readlink(f'/proc/self/fd/{n}') for n in (0, 1, 2)])
"""
    (folder / "in").touch(0o644)
    command = Command(
        argv=(*PYTHON, code), stdin=folder / "in", stdout=folder / "told", stderr=folder / "errors", files=FILES
    )
    (folder / "files").mkdir()
    (folder / "files" / "one").touch()
    with sandbox.open_jail(JailSpec(mounts=(Mount(source=folder / "files", target="/files"),))) as jail:
        assert jail.run(command, LIMITS).exit_code == 0
    told = (folder / "told").read_text()
    assert told.startswith("mountinfo 0 \nmounts 0 \nmountstats 0 \nmaps ")
    assert str(folder.parent) not in told
    assert told.endswith(" (deleted)', '/memfd:stream (deleted)', '/memfd:stream (deleted)']\n")


def test_the_machine_has_no_name_but_ours(folder: Path) -> None:
    name = (
        "import ctypes; u = ctypes.create_string_buffer(390); ctypes.CDLL(None).uname(u); print(u.raw.split(bytes(1)))"
    )
    code = f"""
import ctypes, pathlib, sys
ctypes.CDLL(None).setdomainname(b"example.org", 11)
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, JailSpec, Limits
folder = pathlib.Path(sys.argv[1])
command = Command(argv=({PYTHON[0]!r}, "-c", {name!r}), stdout=folder / "named")
with NsjailSandbox(folder.parent).open_jail(JailSpec()) as jail:
    jail.run(command, Limits())
"""
    subprocess.run(["unshare", "--uts", sys.executable, "-c", code, folder], cwd=ROOT, timeout=60, check=True)
    words = (folder / "named").read_text()
    assert "b'tally'" in words
    assert "b'(none)'" in words
    assert "example" not in words


def test_the_environment_starts_empty(jail: OpenJail, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    assert output(jail, "import os; print(sorted(os.environ))", folder) == "['HOME', 'LANG', 'PATH', 'TMPDIR']\n"


def test_no_descriptor_but_the_three_reaches_the_program(jail: OpenJail, folder: Path) -> None:
    code = "import os; print([n for n in range(3, 500) if os.path.exists(f'/proc/self/fd/{n}')])"
    assert output(jail, code, folder) == "[]\n"


def test_the_program_is_nobody_and_alone(jail: OpenJail, folder: Path) -> None:
    code = """
import os
status = dict(line.split(':', 1) for line in open('/proc/self/status'))
print(os.getuid(), os.getgid(), os.getgroups())
print(*(status[key].strip() for key in ('CapInh', 'CapEff', 'CapBnd', 'NoNewPrivs')))
print(status['Seccomp'].strip(), open('/proc/self/cgroup').read().count('tally'), os.path.exists('/proc/1'))
"""
    assert output(jail, code, folder) == f"1000 1000 []\n{0:016} {0:016} {0:016} 1\n2 0 False\n"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("165, b'x', b'/box', b'tmpfs', 0, 0", "EPERM"),  # mount
        ("272, 0x10000000", "EPERM"),  # unshare
        ("101, 0", "EPERM"),  # ptrace
        ("250, 0", "EPERM"),  # keyctl
        ("321, 0", "EPERM"),  # bpf
        ("425, 1, 0", "ENOSYS"),  # io_uring_setup
        ("435, 0, 0", "ENOSYS"),  # clone3
        ("29, 1, 4096, 0o600", "ENOSYS"),  # shmget
        ("41, 17, 3, 0", "EAFNOSUPPORT"),  # socket(AF_PACKET)
        ("41, 2, 1, 0", "EAFNOSUPPORT"),  # socket(AF_INET)
        ("41, 10, 1, 0", "EAFNOSUPPORT"),  # socket(AF_INET6)
        ("53, 2, 1, 0, b'12345678'", "EAFNOSUPPORT"),  # socketpair(AF_INET)
        ("16, 0, 0x5412, b'x'", "ENOTTY"),  # ioctl(TIOCSTI)
        ("428, -100, b'/', 0", "ENOSYS"),  # open_tree
        ("437, -100, b'/', b'', 24", "ENOSYS"),  # openat2
        ("470, 0", "ENOSYS"),  # a call that no kernel had when the filter was written
        ("206, 1, b'x'", "ENOSYS"),  # io_setup
        ("157, 22, 2, b'x'", "EPERM"),  # prctl(PR_SET_SECCOMP)
        ("9, 0, 1 << 21, 3, 0x40022, -1, 0", "ENOMEM"),  # mmap(MAP_HUGETLB)
        ("72, 1, 4, 0x4000", "EINVAL"),  # fcntl(stdout, F_SETFL, O_DIRECT)
        ("257, -100, b'/dev/stdout', 0x1001", "EINVAL"),  # openat(O_WRONLY | O_DSYNC)
        ("56, 0x10000000, 0", "EPERM"),  # clone(CLONE_NEWUSER)
        ("73, 0, 2", "ENOLCK"),  # flock(stdin, LOCK_EX)
        ("72, 0, 5, 0", "ENOLCK"),  # fcntl(stdin, F_GETLK)
        ("72, 0, 1036, b'12345678'", "ENOLCK"),  # fcntl(stdin, F_SET_RW_HINT)
        ("28, 0, 0, 12", "EINVAL"),  # madvise(MADV_MERGEABLE)
        # with an upper half, which the kernel does not look at
        ("28, 0, 0, c_long(12 | 1 << 32)", "EINVAL"),
        ("72, 0, c_long(5 | 1 << 32), 0", "ENOLCK"),
        ("157, c_long(22 | 1 << 32), 2, b'x'", "EPERM"),
        ("41, c_long(2 | 1 << 32), 1, 0", "EAFNOSUPPORT"),
        ("16, 0, c_long(0x5412 | 1 << 32), b'x'", "ENOTTY"),
        ("157, 67, 1, 0, 0, 0", "EINVAL"),  # prctl(PR_SET_MEMORY_MERGE)
        ("332, -100, b'/', 0, 0x4000, b'x' * 256", "EINVAL"),  # statx(STATX_MNT_ID_UNIQUE)
        ("294, 0", "EPERM"),  # inotify_init1
        ("190, 1, b'user.x', b'x', 1, 0", "ENOTSUP"),  # fsetxattr(stdout)
        ("285, 1, 1, 0, 1 << 20", "ENOTSUP"),  # fallocate(stdout, FALLOC_FL_KEEP_SIZE)
    ],
)
@pytest.mark.each
def test_dangerous_calls_are_refused(jail: OpenJail, folder: Path, call: str, error: str) -> None:
    code = "import ctypes, errno; from ctypes import c_long; c = ctypes.CDLL(None, use_errno=True)"
    code += f"; c.syscall({call})"
    code += "; print(errno.errorcode.get(ctypes.get_errno()))"
    assert output(jail, code, folder).strip() == error


@pytest.mark.parametrize("root", ["linked", "work"])
def test_by_whatever_name_the_work_folder_is_given_the_program_learns_none_of_the_hosts(
    root: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "work").mkdir(mode=0o711)
    (folder / "linked").symlink_to("work")
    (folder / "work" / "in").write_text("5")
    monkeypatch.chdir(folder)
    given, names = Path(root) if root == "work" else folder / root, []
    code = "import os; print(*(os.readlink(f'/proc/self/fd/{n}') for n in (0, 1, 2)))"
    with ExitStack() as stack:
        stack.callback(ControlGroups(given).close)
        jail = stack.enter_context(NsjailSandbox(given).open_jail(JailSpec()))
        for number, where in enumerate([given, folder / "work", folder / "linked", Path("work")]):
            out = where / f"out-{number}"
            jail.run(
                Command(argv=(*PYTHON, code), stdin=where / "in", stdout=out, stderr=where / f"err-{number}"), LIMITS
            )
            names.append(re.sub(r"jail-\w+", "JAIL", out.read_text()))
    assert names == ["/JAIL/stdin (deleted) /memfd:stream (deleted) /memfd:stream (deleted)\n"] * 4


def test_sockets_between_its_own_processes_work(jail: OpenJail) -> None:
    code = "import os, socket\na, b = socket.socketpair()\na.send(b'x') if os.fork() == 0 else os._exit(b.recv(1)[0])"
    assert python(jail, code).exit_code == ord("x")


@pytest.mark.parametrize("call", ["306, -1", "221, -1, 0, 0, 4"])  # syncfs, fadvise64(POSIX_FADV_DONTNEED)
def test_what_the_whole_host_would_feel_is_only_pretended(jail: OpenJail, folder: Path, call: str) -> None:
    code = f"import ctypes; c = ctypes.CDLL(None, use_errno=True); print(c.syscall({call}), ctypes.get_errno())"
    assert output(jail, code, folder) == "0 0\n"  # both would complain of this descriptor


@pytest.mark.parametrize("name", ["clear_refs", "oom_score_adj", "comm", "mem", "task"])
def test_the_process_folder_cannot_be_written(jail: OpenJail, name: str) -> None:
    code = f"import os, errno\ntry: os.open('/proc/self/{name}', os.O_WRONLY)\nexcept OSError as e: os._exit(e.errno)"
    assert python(jail, code).exit_code in (errno.EROFS, errno.EISDIR)
