"""A runtime as one record: what runs the programs of a language, and everything that follows from that.

A language refers to one (`Language.runtime`); several languages may share it. No field has a default: a new runtime
answers each question. The host files that its jail shows besides the usual ones are in `host`.

Inside a jail, the sources or what the compiler made lie in /program (read-only); the compiler works in /box.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sandbox.types import Frames, HostRuntime, Image

PROGRAM_FOLDER = "/program"
BOX = "/box"


@dataclass(frozen=True, kw_only=True, slots=True)
class Product:
    """The one file that compiling leaves in /box, and the bytes that it begins with."""

    name: str
    magic: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """What starts a program: the language's tool with its flags, on the main source, by their paths in the jail."""

    tool: str
    flags: tuple[str, ...]
    source: str


@dataclass(frozen=True, kw_only=True, slots=True)
class WriteTrace:
    """How the calls that lead to each write are noted: by a runner, a file that lies beside the program and starts it,
    or by the preload `lines.c` (None).
    """

    runner: Path | None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)  # each is itself, and hashable whatever it holds
class Runtime:
    """One runtime. `product` is what compiling leaves; None: the source is run, and compiling only checks it.

    `compile_argv`: the command line of the compiler, of its path, its flags and the paths of the sources.
    `run_argv`: that of a run, of its start and the problem's memory limit in bytes, without headroom.
    """

    name: str
    product: Product | None
    compile_argv: Callable[[str, tuple[str, ...], tuple[str, ...]], tuple[str, ...]]
    run_argv: Callable[[Start, int], tuple[str, ...]]
    starts_product: bool  # the kernel executes the product: that it does not start is the program's fault, not ours
    memory_headroom_bytes: int  # what the runtime itself needs, beside the limit for the program
    process_headroom: int  # likewise: its own threads
    stack_bytes: int  # of a run; 0: as much as its memory limit
    frames_bytes: int  # of each piece of memory, by mmap, that keeps calls that have not returned; 0: the stack does
    image: Image
    host: HostRuntime

    # the reruns that it can serve; those that change the source follow from the language
    buffered_flags: tuple[str, ...] | None  # beside the preload, before the source; None: cannot be buffered
    unbuffered_flags: tuple[str, ...] | None  # likewise, of the unbuffered rerun
    line_costs: WriteTrace | None
    line_times: Frames | None
    locates_crashes: bool  # a preload notes the calls in which a signal ends it

    @property
    def is_interpreted(self) -> bool:
        """Whether an interpreter runs the source itself: a step takes far longer, and values are objects."""
        return self.product is None


# a program for this machine, which the kernel starts and the dynamic linker loads
_PROGRAM = Product(name="main", magic=b"\x7fELF")
NATIVE = Runtime(
    name="native",
    product=_PROGRAM,
    compile_argv=lambda compiler, flags, sources: (compiler, *flags, "-o", f"{BOX}/{_PROGRAM.name}", *sources),
    run_argv=lambda _start, _memory_bytes: (f"{PROGRAM_FOLDER}/{_PROGRAM.name}",),
    starts_product=True,
    memory_headroom_bytes=0,
    process_headroom=0,
    stack_bytes=0,
    frames_bytes=0,
    image=Image.RUN,
    host=HostRuntime(),
    buffered_flags=(),
    unbuffered_flags=(),
    line_costs=WriteTrace(runner=None),
    line_times=Frames.NATIVE,
    locates_crashes=True,
)
