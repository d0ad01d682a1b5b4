"""The real jail: endings, measures, and that nothing is carried from one run to the next or left behind."""

import errno
import os
import re
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.errors import CommandError, JailError, LimitsError, WorkdirError
from sandbox.jail import OpenJail, cores_of
from sandbox.leftovers import remove_leftovers
from sandbox.nsjail import NsjailSandbox
from sandbox.types import MIB, Collect, Command, Ending, JailSpec, Limits, Mount, Outcome

PYTHON = ("/usr/bin/python3", "-I", "-c")
LIMITS = Limits(cpu_time_ms=2_000, wall_time_ms=5_000, memory_bytes=128 * MIB)


def python(jail: OpenJail, code: str, limits: Limits = LIMITS) -> Outcome:
    return jail.run(Command(argv=(*PYTHON, code)), limits)


def output(jail: OpenJail, code: str, folder: Path) -> str:
    target = folder / f"out-{time.monotonic_ns()}"
    jail.run(Command(argv=(*PYTHON, code), stdout=target, stderr=target.with_suffix(".err")), LIMITS)
    return target.read_text() + target.with_suffix(".err").read_text()


def test_a_program_reads_its_input_and_its_output_lands_in_the_file(jail: OpenJail, folder: Path) -> None:
    (folder / "in").write_text("41\n")
    command = Command(argv=(*PYTHON, "print(int(input()) + 1)"), stdin=folder / "in", stdout=folder / "out")
    outcome = jail.run(command, LIMITS)
    assert (outcome.ending, outcome.exit_code, outcome.stdout_bytes) == (Ending.EXITED, 0, 3)
    assert (folder / "out").read_text() == "42\n"


def test_the_exit_code_is_the_programs(jail: OpenJail) -> None:
    assert python(jail, "import sys; sys.exit(137)").exit_code == 137


def test_abort_is_sigabrt_and_not_a_segmentation_fault(jail: OpenJail) -> None:
    outcome = python(jail, "import os; os.abort()")
    assert (outcome.ending, outcome.signal) == (Ending.SIGNALLED, signal.SIGABRT)


def test_a_program_that_hides_its_books_is_not_our_failure(jail: OpenJail) -> None:
    # kernels differ in whether the init may then still read them
    prctl = "import ctypes; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); print(1)"
    script = "import os; f = os.memfd_create(''); os.sendfile(f, os.open('/usr/bin/true', 0), 0, 1 << 24)"
    for code in (prctl, script + "; os.fchmod(f, 0o111); os.execve(f, ['true'], {})"):
        outcome = python(jail, code)
        assert outcome.ending is Ending.SIGNALLED or outcome.io.read_calls > 0
        assert python(jail, "pass").exit_code == 0


def test_spinning_hits_the_cpu_limit_and_shows_a_real_time(jail: OpenJail) -> None:
    outcome = python(jail, "while True: pass", Limits(cpu_time_ms=200, wall_time_ms=5_000))
    assert outcome.ending is Ending.CPU_LIMIT
    assert outcome.usage.cpu_time_us > 200_000


def test_cpu_time_of_children_counts(jail: OpenJail) -> None:
    code = "import os\nfor _ in range(3):\n    os.fork()\nwhile True: pass"
    assert python(jail, code, Limits(cpu_time_ms=300, wall_time_ms=9_000)).ending is Ending.CPU_LIMIT


def test_cpu_time_of_a_child_that_nobody_waits_for_counts(jail: OpenJail) -> None:
    code = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if os.fork() == 0:
    while time.process_time() < 0.3: pass
    os._exit(0)
time.sleep(1.2)
"""
    assert python(jail, code).usage.cpu_time_us > 290_000


def test_sleeping_hits_the_wall_limit_with_hardly_any_cpu_time(jail: OpenJail) -> None:
    outcome = python(jail, "import time; time.sleep(60)", Limits(cpu_time_ms=1_000, wall_time_ms=1_000))
    assert outcome.ending is Ending.WALL_LIMIT
    assert outcome.usage.cpu_time_us < outcome.usage.wall_time_us / 2
    assert "wall" in outcome.detail


def test_a_program_that_stops_itself_is_killed(jail: OpenJail) -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"
    assert python(jail, code, Limits(cpu_time_ms=500, wall_time_ms=500)).ending is Ending.WALL_LIMIT


def test_memory_over_the_limit_is_a_memory_ending(jail: OpenJail) -> None:
    assert python(jail, "x = b'x' * (300 << 20)").ending is Ending.MEMORY_LIMIT


def test_reserved_address_space_is_not_memory(jail: OpenJail) -> None:
    outcome = python(jail, "import mmap; mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | 0x4000)")
    assert outcome.exit_code == 0
    assert outcome.usage.peak_memory_bytes < 64 * MIB


def test_peak_memory_is_what_the_program_touched(jail: OpenJail) -> None:
    nothing = python(jail, "pass").usage.peak_memory_bytes
    touched = python(jail, "x = bytearray(64 << 20)").usage.peak_memory_bytes
    assert abs(touched - nothing - 64 * MIB) < 0.02 * 64 * MIB + MIB


def test_output_adds_nothing_to_memory(jail: OpenJail, folder: Path) -> None:
    code = "import sys\nfor _ in range(64): sys.stdout.buffer.write(bytes(1 << 20))"
    limits = Limits(cpu_time_ms=5_000, wall_time_ms=15_000, output_bytes=65 * MIB, memory_bytes=64 * MIB)
    outcome = jail.run(Command(argv=(*PYTHON, code), stdout=folder / "out"), limits)
    assert (outcome.ending, outcome.stdout_bytes) == (Ending.EXITED, 64 * MIB)
    assert outcome.usage.peak_memory_bytes < 24 * MIB


def test_output_over_the_limit_names_the_stream(jail: OpenJail) -> None:
    code = "import sys\nwhile True: sys.{}.write('x' * 100000)"
    limits = Limits(cpu_time_ms=4_000, wall_time_ms=9_000, output_bytes=MIB, stderr_bytes=MIB)
    assert python(jail, code.format("stdout"), limits).detail.endswith("on stdout")
    assert python(jail, code.format("stderr"), limits).detail.endswith("on stderr")


def test_processes_are_limited(jail: OpenJail) -> None:
    spawn = "import os, time\nfor _ in range(99):\n    if os.fork() == 0:\n        time.sleep(30)\n        os._exit(0)"
    outcome = python(jail, spawn)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 1)


def test_what_a_program_leaves_behind_is_killed_and_changes_nothing(jail: OpenJail) -> None:
    outcome = python(jail, "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)")
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
    assert python(jail, "import os; os._exit(len([p for p in os.listdir('/proc') if p.isdigit()]))").exit_code == 1


def test_nothing_is_carried_from_one_run_to_the_next(jail: OpenJail, folder: Path) -> None:
    code = "import os; print(sorted(os.listdir('.')), sorted(os.listdir('/tmp')), sorted(os.listdir('/dev/shm')))"
    code += "; [open(f'{place}/left', 'w').write('x') for place in ('.', '/tmp', '/dev/shm')]"
    assert output(jail, code, folder) == "[] [] []\n" == output(jail, code, folder)


def test_process_numbers_begin_anew_with_each_run(jail: OpenJail, folder: Path) -> None:
    code = "import os; print(os.getpid(), flush=True)\nif os.fork() == 0: print(os.getpid())\nelse: os.wait()"
    assert output(jail, code, folder) == "2\n3\n" == output(jail, code, folder)


def test_the_fresh_folders_are_three(jail: OpenJail, folder: Path) -> None:
    code = "import os; open('/box/one', 'w'); open('/tmp/two', 'w'); open('/dev/shm/three', 'w')"
    code += "; print(*(os.listdir(place) for place in ('.', '/tmp', '/dev/shm')), os.path.expanduser('~'))"
    assert output(jail, code, folder) == "['one'] ['two'] ['three'] /tmp\n"


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
    assert re.fullmatch(r"/.*/jail-[^/]+/stdin \(deleted\) b'5'\n", (folder / "path").read_text())
    assert not list(folder.parent.glob("jail-*/stdin"))


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
        ("294, 0", "EPERM"),  # inotify_init1
        ("190, 1, b'user.x', b'x', 1, 0", "ENOTSUP"),  # fsetxattr(stdout)
        ("285, 1, 1, 0, 1 << 20", "ENOTSUP"),  # fallocate(stdout, FALLOC_FL_KEEP_SIZE)
    ],
)
def test_dangerous_calls_are_refused(jail: OpenJail, folder: Path, call: str, error: str) -> None:
    code = f"import ctypes, errno; c = ctypes.CDLL(None, use_errno=True); c.syscall({call})"
    code += "; print(errno.errorcode.get(ctypes.get_errno()))"
    assert output(jail, code, folder).strip() == error


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


def test_only_regular_files_are_carried_out_and_no_link_is_followed(jail: OpenJail, folder: Path) -> None:
    code = """
import os
open('good', 'w').write('yes')
open('big', 'w').write('x' * 1000)
os.symlink('/usr/bin/env', 'link'); os.mkfifo('pipe'); os.mkdir('dir'); os.symlink('.', 'around')
"""
    names = ("good", "big", "link", "pipe", "dir", "around/good", "../usr/bin/env", "missing")
    wanted = tuple(Collect(name=name, target=folder / str(number), max_bytes=100) for number, name in enumerate(names))
    outcome = jail.run(Command(argv=(*PYTHON, code), collect=wanted), LIMITS)
    assert outcome.collected == ("good",)
    assert (folder / "0").read_text() == "yes"
    assert not (folder / "1").exists()


def test_folders_are_made_for_the_program(jail: OpenJail) -> None:
    command = Command(argv=(*PYTHON, "open('feedback/note', 'w')"), directories=("feedback",))
    assert jail.run(command, LIMITS).exit_code == 0


def test_a_mount_is_read_only(sandbox: NsjailSandbox, folder: Path) -> None:
    (folder / "file").write_text("x")
    with sandbox.open_jail(JailSpec(mounts=(Mount(source=folder, target="/program"),))) as jail:
        outcome = python(jail, "open('/program/file').read(); open('/program/file', 'w')")
    assert outcome.exit_code == 1
    assert (folder / "file").read_text() == "x"


def test_a_mount_that_the_jails_user_cannot_reach_is_refused_by_name(sandbox: NsjailSandbox, folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    with (
        pytest.raises(WorkdirError, match="searched by everybody"),
        sandbox.open_jail(JailSpec(mounts=(Mount(source=closed, target="/program"),))),
    ):
        pass


def test_a_pinned_program_sees_one_core(sandbox: NsjailSandbox, folder: Path) -> None:
    with sandbox.open_jail(JailSpec(cpu=0)) as jail:
        code = "import os; os.sched_setaffinity(0, range(64)); print(sorted(os.sched_getaffinity(0)))"
        assert output(jail, code, folder) == "[0]\n"


@pytest.mark.parametrize("cores", [2, 3, 10_000])
def test_a_program_that_may_use_several_cores_sees_as_many_as_there_are(
    sandbox: NsjailSandbox, folder: Path, cores: int
) -> None:
    here = sorted(os.sched_getaffinity(0))
    spec = JailSpec(cpu=here[-1], cores=cores)
    with sandbox.open_jail(spec) as jail:
        seen = output(jail, "import os; print(sorted(os.sched_getaffinity(0)))", folder)
        assert seen == f"{sorted(cores_of(spec))}\n"
    assert len(cores_of(spec)) == min(cores, len(here))
    assert here[-1] in cores_of(spec)


def test_files_of_the_hosts_choice_lie_in_the_working_folder_and_cannot_be_changed(
    sandbox: NsjailSandbox, folder: Path
) -> None:
    (folder / "0").write_text("contents")
    code = """
import errno, os
assert os.listdir() == ["a b"], os.listdir()
assert open("a b").read() == "contents"
for change in (lambda: open("a b", "w"), lambda: os.unlink("a b"), lambda: os.rename("a b", "c")):
    try:
        change()
    except OSError as error:
        assert error.errno in (errno.EROFS, errno.EBUSY, errno.EACCES), error
    else:
        raise AssertionError
"""
    shown = Mount(source=folder, target="/files")
    with sandbox.open_jail(JailSpec(mounts=(shown,))) as jail:
        bare = Command(argv=("/bin/cat", "/files/0"))
        placed = Command(argv=("/bin/cat", "a b"), files=(("a b", "/files/0"),), stdout=folder / "out")
        outcome, without = jail.run(placed, LIMITS), jail.run(bare, LIMITS)
        assert (folder / "out").read_text() == "contents"
        assert outcome.io == without.io  # to place them is no doing of the program's
        checked = Command(argv=(*PYTHON, code), files=(("a b", "/files/0"),), stderr=folder / "err")
        assert jail.run(checked, LIMITS).exit_code == 0, (folder / "err").read_text()
        assert output(jail, "import os; print(os.listdir())", folder) == "[]\n"
        with pytest.raises(JailError, match="scratch folder could not be made: No such file"):
            jail.run(Command(argv=("/bin/true",), files=(("x", "/files/none"),)), LIMITS)
        assert jail.run(bare, LIMITS).exit_code == 0
    for name in ("", ".", "..", "a/b", "/a"):
        with sandbox.open_jail(JailSpec()) as jail, pytest.raises(LimitsError, match="file to place"):
            jail.run(Command(argv=("/bin/true",), files=((name, "/files/0"),)), LIMITS)


def test_only_a_run_that_is_to_go_on_finds_what_the_one_before_kept(jail: OpenJail, folder: Path) -> None:
    leaves = Command(argv=(*PYTHON, "open('x', 'a').write('1')"), directories=("made",), keeps_scratch=True)
    looks = Command(argv=(*PYTHON, "import os; print(sorted(os.listdir()), open('x').read())"), goes_on=True)

    def found() -> str:
        target = folder / f"out-{time.monotonic_ns()}"
        jail.run(replace(looks, stdout=target), LIMITS)
        return target.read_text()

    assert jail.run(leaves, LIMITS).exit_code == 0
    assert jail.run(replace(leaves, goes_on=True), LIMITS).exit_code == 0
    assert found() == "['made', 'x'] 11\n"
    with pytest.raises(JailError, match="scratch folder"):
        found()
    assert jail.run(leaves, LIMITS).exit_code == 0
    assert output(jail, "import os; print(os.listdir())", folder) == "[]\n"
    with pytest.raises(JailError, match="scratch folder"):
        found()


@pytest.mark.parametrize(
    ("program", "why"), [("/nowhere/x", "No such file"), ("/usr", "Permission"), ("/etc/ld.so.cache", "Permission")]
)
def test_a_command_that_cannot_be_started_says_why_and_the_next_one_runs(
    jail: OpenJail, program: str, why: str
) -> None:
    with pytest.raises(CommandError, match=why):
        jail.run(Command(argv=(program,)), LIMITS)
    assert python(jail, "pass").exit_code == 0


def test_senseless_limits_are_refused_and_the_next_run_works(jail: OpenJail) -> None:
    with pytest.raises(LimitsError, match="memory_bytes"):
        python(jail, "pass", Limits(memory_bytes=0))
    assert python(jail, "pass").exit_code == 0


def test_a_killed_init_is_our_error_and_leaves_nothing(sandbox: NsjailSandbox) -> None:
    with sandbox.open_jail(JailSpec()) as jail:
        os.kill(jail._init.pid, signal.SIGKILL)
        with pytest.raises(JailError):
            python(jail, "pass")
    assert sandbox._groups.names() == set()


def test_the_init_ends_with_its_host_and_the_next_worker_clears_up(sandbox: NsjailSandbox) -> None:
    root = sandbox._work_root
    child = os.fork()
    if child == 0:
        with sandbox.open_jail(JailSpec()) as jail:
            python(jail, "import time; time.sleep(60)", Limits(cpu_time_ms=1_000, wall_time_ms=50_000))
        os._exit(1)
    deadline = time.monotonic() + 10
    while not any(sandbox._groups._parents["memory"].glob("jail-*/run-*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    removed = remove_leftovers(root)
    assert len(removed) == 1
    assert sandbox._groups.names() == set()
    assert not list(root.glob("jail-*"))
    assert remove_leftovers(root) == []


def test_a_living_workers_jail_is_not_cleared(sandbox: NsjailSandbox) -> None:
    with sandbox.open_jail(JailSpec()) as jail:
        assert remove_leftovers(sandbox._work_root) == []
        assert python(jail, "pass").exit_code == 0


def test_threads_and_free_counts_are_exact(jail: OpenJail, folder: Path) -> None:
    code = """
import os, threading
def write(): [os.write(1, b'ab') for _ in range(500)]
threads = [threading.Thread(target=write) for _ in range(2)]
[t.start() for t in threads]; [t.join() for t in threads]
if os.fork() == 0: write(); os._exit(0)
os.wait()
"""
    outcome = jail.run(Command(argv=(*PYTHON, code), stdout=folder / "out"), LIMITS)
    assert (outcome.io.write_calls, outcome.io.write_bytes, outcome.stdout_bytes) == (1_500, 3_000, 3_000)


def test_time_without_a_core_is_the_machines_and_sleep_is_the_programs(sandbox: NsjailSandbox) -> None:
    spin = "import time\nwhile time.process_time() < 0.4: pass"
    with sandbox.open_jail(JailSpec(cpu=0)) as busy, sandbox.open_jail(JailSpec(cpu=0)) as jail:
        rival = threading.Thread(target=python, args=(busy, spin))
        rival.start()
        crowded = python(jail, spin).usage
        rival.join()
        asleep = python(jail, "import time; time.sleep(0.3)").usage
    assert crowded.queued_time_us > 0.2 * crowded.cpu_time_us
    assert crowded.waiting_time_us < crowded.queued_time_us
    assert asleep.waiting_time_us > 0.9 * 300_000
