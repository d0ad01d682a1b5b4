"""The native runtime: a program for this machine, which the kernel starts and the dynamic linker loads."""

from judge.grading.languages.runtime import BOX, PROGRAM_FOLDER, Product, Runtime, WriteTrace
from sandbox.types import Frames, HostRuntime, Image

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
    line_costs=WriteTrace(runner=None),
    line_times=Frames.NATIVE,
    locates_crashes=True,
)
