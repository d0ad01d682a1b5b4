"""The sandbox's input and output types: plain frozen values without behaviour.

Units are in the names: limits in `_ms` and `_bytes`, measurements in `_us` and `_bytes`. Nothing here raises.
"""

import signal
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sandbox.errors import MeterProblem

MIB = 1024 * 1024
ENVIRONMENT = {  # of every program, to which a command may add
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/tmp",  # noqa: S108 - the jail's own
    "TMPDIR": "/tmp",  # noqa: S108
}


class Ending(Enum):
    """The ending of a run, decided from facts in the order of `sandbox.jail.classify.decide_ending`."""

    EXITED = "exited"  # by itself: Outcome.exit_code says how
    SIGNALLED = "signalled"  # Outcome.signal says by which
    MEMORY_LIMIT = "memory_limit"
    CPU_LIMIT = "cpu_limit"
    WALL_LIMIT = "wall_limit"
    OUTPUT_LIMIT = "output_limit"


class Destination(Enum):
    """The kind of a program's stdout. It decides how a runtime buffers: whole blocks, or line by line on a terminal."""

    FILE = "file"  # a file on the host that the program cannot name
    PIPE = "pipe"  # read by the host as fast as it comes
    TERMINAL = "terminal"  # a pseudo-terminal in raw mode: the bytes stay as they are


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Limits of one run, over all its processes and threads together."""

    cpu_time_ms: int = 1_000
    # Not counted: time without a core (Usage.queued_time_us), up to once the limit, and the lateness of its watcher
    wall_time_ms: int = 3_000
    memory_bytes: int = 256 * MIB
    output_bytes: int = 8 * MIB  # of stdout; over it the run is stopped, when the file may hold up to file_bytes
    stderr_bytes: int = 16 * MIB  # of stderr, likewise
    processes: int = 64  # processes and threads
    open_files: int = 256
    scratch_bytes: int = 16 * MIB  # the writable tmpfs (/box, /tmp and /dev/shm); what it holds counts as memory
    scratch_inodes: int = 4_096
    file_bytes: int = 32 * MIB  # the largest single file the program may write; at least 64 KiB over the two outputs
    stack_bytes: int = 0  # of the first thread, unless it asks for more; 0: as much as memory_bytes
    overrun_percent: int = 20  # a run over its CPU limit goes on this much longer, so that a real time can be shown


@dataclass(frozen=True, kw_only=True, slots=True)
class Collect:
    """A regular file to collect from the working folder after the run (never through a symbolic link)."""

    name: str  # relative to the working folder
    target: Path  # host path to create
    max_bytes: int  # a larger one is left behind


class Frames(Enum):
    """The source of the call chains of samples of CPU time."""

    NATIVE = "native"  # after the run, from the sample's registers and stack: `sandbox.unwinding`
    PYTHON = "python"  # at once, from the interpreter's memory


@dataclass(frozen=True, kw_only=True, slots=True)
class CpuSampling:
    """Have it noted where the run is, each time that its processes have used so much CPU time together on a core.

    `target`: the host file to create. Of NATIVE it has the samples as `sandbox.unwinding.records` lays them out, of
    PYTHON the call chains in JSON as `sandbox.unwinding` prints them; of these only the frames in `file` are named.
    """

    period_us: int
    frames: Frames
    file: str  # a path in the jail
    target: Path


@dataclass(frozen=True, kw_only=True, slots=True)
class StateSearch:
    """Have the run stopped and looked at: whether it comes back to the same whole state (`sandbox.meter.states`).

    Then it is ended, and so it is when nothing was seen. `target`: the host file to create, with the record of where it
    was, as `sandbox.unwinding.records` lays it out.
    """

    after_ms: int  # of wall time; so long it also runs between two tries
    most_ms: int  # of each try
    file: str  # the program's, a path in the jail
    target: Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """One program to run in a jail. It works in `/box`; HOME and TMPDIR are `/tmp`. Both are fresh folders per run."""

    argv: tuple[str, ...]  # argv[0] is an absolute path inside the jail
    environment: Mapping[str, str] = field(default_factory=dict)  # added to the minimal one; starts empty otherwise
    stdin: Path | None = None  # host path; None: /dev/null
    stdout: Path | None = None  # host path to create; None: thrown away (but counted and limited)
    destination: Destination = Destination.FILE  # what stdout is for the program; its bytes end in `stdout` either way
    stderr: Path | None = None
    drops_stderr: bool = False  # it is /dev/null for the program: neither kept nor counted nor limited
    # made in the working folder before the start, owned by the program; first the outer ones
    directories: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()  # to be found in the working folder, read-only: name, path in the jail
    collect: tuple[Collect, ...] = ()
    keeps_scratch: bool = False  # what it leaves in its folders is there for the jail's next run, if that goes on
    goes_on: bool = False  # in the folders of the run before, which kept them; nothing is made or placed anew
    coalesce_output: bool = False  # preload native/coalesce.so: small writes to stdout and stderr are gathered
    unbuffered_output: bool = False  # preload native/unbuffered.so: nothing of stdout stays in a buffer
    trace_writes: bool = False  # preload native/lines.so: it leaves the table that sandbox.unwinding.traces reads
    trace_end: bool = False  # preload native/ending.so: it leaves the table that sandbox.unwinding.traces reads
    sample_ms: int = 0  # look at CPU time and switches so often during the run, for `Outcome.timeline`; 0: do not
    cpu_sampling: CpuSampling | None = None  # None: do not
    state_search: StateSearch | None = None  # likewise
    # Asked again and again once the run has gone on for so long: True ends it, with GaveWay
    gives_way: Callable[[], bool] | None = field(default=None, compare=False)
    gives_way_after_ms: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class HostRuntime:
    """The sandbox's view of a runtime: what its run jails show, and how to read what its runs leave.

    Every run jail shows Python and the runtimes of C, C++ and Rust. `programs` and the libraries that these need, and
    `folders` with all that is in them, are shown besides, under their own paths; of these folders a jail with tools
    shows those that it lacks.

    `library_bytes`: pages of libraries that a process' mark holds and its group is not charged for, since they belong
    to whoever read them first; `most_library_bytes`: at most. `memory_exit_code`: the exit code by which the runtime
    says that its memory is full; None: it does not.
    """

    programs: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()
    library_bytes: int = 3 * MIB // 2  # in C 1 MiB, in Rust 2, in C++ 3
    most_library_bytes: int = 6 * MIB  # in Python 5 MiB
    memory_exit_code: int | None = None


class Image(Enum):
    """Which files of the host's /usr, /lib* and /bin a jail shows."""

    RUN = "run"  # what programs are run by, in memory (`sandbox.image.image`): no run can tell what another did with it
    TOOLS = "tools"  # all, from the disk: compilers, every tool; for programs that no hidden input reaches
    READER = "reader"  # our interpreter, binutils and JailSpec.packages, in memory: `sandbox.image.reading`


@dataclass(frozen=True, kw_only=True, slots=True)
class Mount:
    """A host folder shown read-only inside the jail. Every folder above `source` must be searchable by everybody.

    A jail of Image.RUN or READER shows a copy in memory, made when it opens, unless the mount `is_live`.
    """

    source: Path  # no colon in it
    target: str  # absolute path in the jail, likewise
    is_live: bool = False  # what changes in it is seen; for programs of strangers it must lie in `resident_folder`


@dataclass(frozen=True, kw_only=True, slots=True)
class JailSpec:
    """The contents of a jail. A bare /dev and /proc are always there."""

    mounts: tuple[Mount, ...] = ()
    image: Image = Image.RUN
    runtime: HostRuntime = HostRuntime()  # whose programs are compiled or run
    packages: tuple[str, ...] = ()  # of Image.READER: names of Python packages, shown with all that is below them
    cpu: int | None = None  # pin every run to this core; None: any
    cores: int = 1  # how many cores a run may use: `cpu` and so many more, as far as this host has them


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """The resources that a run used, over all its processes, as reported by the kernel."""

    user_time_us: int = 0
    system_time_us: int = 0
    wall_time_us: int = 0
    queued_time_us: int = 0  # of the wall time: ready to run, but the machine gave the first thread no core
    peak_memory_bytes: int = 0
    voluntary_switches: int = 0
    involuntary_switches: int = 0
    minor_faults: int = 0
    major_faults: int = 0

    @property
    def cpu_time_us(self) -> int:
        """User plus system time in microseconds."""
        return self.user_time_us + self.system_time_us

    @property
    def waiting_time_us(self) -> int:
        """Wall time in which the run wanted no core: it slept, or waited for a file, a lock or a child."""
        return max(0, self.wall_time_us - self.cpu_time_us - self.queued_time_us)


@dataclass(frozen=True, kw_only=True, slots=True)
class IoProfile:
    """Read and write calls of a run, over all its processes, from the kernel's own accounts, at no cost.

    Calls are the families `read pread64 readv preadv preadv2` and `write pwrite64 writev pwritev pwritev2`; sendfile
    and copy_file_range count in both. Not in the books: splice, tee, vmsplice, send and receive calls, calls that never
    reached an open file, and children of a program that told the kernel to forget them (SIGCHLD ignored). A child that
    executes another program adds the kernel's own reads of that file, about five each time. In them is also a call that
    a kill cut short.
    """

    read_calls: int = 0
    write_calls: int = 0
    read_bytes: int = 0
    write_bytes: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Watch:
    """Delays of the watch over a run: on a healthy machine all values are 0 except for a few ms of lateness."""

    late_us: int = 0  # by how much the init's looks came later than planned, together; no limit counts that
    longest_late_us: int = 0
    gap_us: int = 0  # of late_us: such looks as no full machine explains. Usage.wall_time_us does not have it
    stopped_us: int = 0  # the program was stopped (SIGSTOP) while the init looked, by itself or from outside
    suspended_us: int = 0  # the machine slept; in no wall time
    host_gap_us: int = 0  # so long this process, which waits for the init, stood still

    @property
    def is_disturbed(self) -> bool:
        """Return whether anything but the program may have changed how the run went."""
        return self.gap_us + self.stopped_us + self.suspended_us + self.host_gap_us > 0

    def __add__(self, other: "Watch") -> "Watch":
        """Return the sum over two runs that belong together."""
        return Watch(
            late_us=self.late_us + other.late_us,
            longest_late_us=max(self.longest_late_us, other.longest_late_us),
            gap_us=self.gap_us + other.gap_us,
            stopped_us=self.stopped_us + other.stopped_us,
            suspended_us=self.suspended_us + other.suspended_us,
            host_gap_us=self.host_gap_us + other.host_gap_us,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class TimelinePoint:
    """A run's counters at one moment, over all its processes and threads, each since its start."""

    at_us: int  # wall time
    cpu_time_us: int
    voluntary_switches: int
    involuntary_switches: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CpuSamples:
    """The samples of a run, in the file `CpuSampling.target`."""

    lost: int  # samples, or news of mappings, that came faster than they were read, or were too many to keep
    period_us: int


class StatesUnknown(StrEnum):
    """Why nothing can be told of a run's states."""

    ENDED = "ended"  # it came to its end
    TIME = "time"  # it did not come back to a state as long as it was looked at
    CALLS = "calls"  # it made system calls whose answers can differ
    CLOCK = "clock"  # it read a clock or a random number
    TIMER = "timer"  # it had set a timer
    SIGNAL = "signal"  # it got a signal
    PROCESSES = "processes"  # it was not alone: processes, threads
    SHARED = "shared"  # it could write memory that others see
    CODE = "code"  # it could write its own code
    MEMORY = "memory"  # more than is compared, or not to be read
    REFUSED = "refused"  # the kernel does not allow to trace it
    MACHINE = "machine"  # a processor or kernel that is not understood
    RIGHTS = "rights"
    LOST = "lost"


@dataclass(frozen=True, kw_only=True, slots=True)
class StateRepeated:
    """The whole state of a run repeated, so that it never ends. The place is in the file `StateSearch.target`."""

    visits: int  # of the same instruction from one to the other, at least 1
    reads: int  # between them, each at the end of a file
    writes: int  # between them, all of them whole


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The result of one run, as the sandbox saw it."""

    ending: Ending
    exit_code: int | None = None
    signal: int | None = None
    usage: Usage = Usage()
    io: IoProfile = IoProfile()
    watch: Watch = Watch()
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    collected: tuple[str, ...] = ()  # names of `Command.collect` that were there and were copied
    limit: int = 0  # the one that ended it: of time in ms, else in bytes
    stream: str = ""  # "stdout" or "stderr", where more went than the output limit
    timeline: tuple[TimelinePoint, ...] = ()  # from the start to the end; none unless `Command.sample_ms` is set
    cpu_samples: CpuSamples | None = None  # None unless `Command.cpu_sampling` is set
    states: StateRepeated | StatesUnknown | None = None  # None unless `Command.state_search` is set

    @property
    def detail(self) -> str:
        """The limit, the signal or the exit code in English, for the command line and for logs."""
        match self.ending:
            case Ending.MEMORY_LIMIT:
                return f"memory limit of {self.limit / MIB:g} MiB"
            case Ending.CPU_LIMIT:
                return f"CPU time limit of {self.limit / 1_000:g} s"
            case Ending.WALL_LIMIT:
                return f"wall time limit of {self.limit / 1_000:g} s"
            case Ending.OUTPUT_LIMIT:
                return f"output limit of {self.limit / MIB:g} MiB on {self.stream}"
        if self.signal is not None:
            return f"killed by {signal_name(self.signal)}"
        return f"exit code {self.exit_code}" if self.exit_code else ""


def signal_name(number: int) -> str:
    """Return the name of a signal, e.g. "SIGSEGV (segmentation fault)"."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    words = signal.strsignal(number)
    return f"{name} ({words.lower()})" if words else name


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamUse:
    """Calls and bytes on one stream: the read and write families and vmsplice, including failed calls.

    sendfile, copy_file_range, splice and tee count at both of their ends. What a descriptor is decides, not its number.
    Send and receive calls count by name only, stores into mapped output not at all.
    """

    calls: int = 0
    bytes: int = 0


STREAMS = ("stdin", "stdout", "stderr", "files")


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """The profile pass: every system call of the run by name, and the use of each stream (keys: STREAMS)."""

    syscalls: Mapping[str, int]
    streams: Mapping[str, StreamUse]
    # of wall time, though the run's own limit is later; 0: it was not stopped for that, and JSON does not have it
    stopped_after_ms: int = field(default=0, metadata={"is_sparse": True})


class Jail(Protocol):
    """One open jail: runs one program at a time and carries nothing from one run to the next."""

    def run(self, command: Command, limits: Limits) -> Outcome:
        """Run and measure; never traced. Raises SandboxError when the sandbox, not the program, failed."""

    def profile(self, command: Command, limits: Limits) -> tuple[Outcome, Profile]:
        """Run again under the kernel meter. Raises MeterUnavailable when this host cannot count."""


class Sandbox(Protocol):
    """Opens jails."""

    def open_jail(self, spec: JailSpec) -> AbstractContextManager[Jail]:
        """Open a jail for one submission; the end of the `with` closes it and all in it. Raises SandboxError."""

    def meter_problem(self) -> "MeterProblem | None":
        """Return why this host cannot count system calls by name; None when it can."""
