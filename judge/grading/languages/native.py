"""The native runtime: a program for this machine, which the kernel starts and the dynamic linker loads."""

from judge.grading.languages.runtime import BOX, PROGRAM_FOLDER, Product, Runtime, Start, WriteTrace
from sandbox.types import Frames, HostRuntime, Image

_PROGRAM = Product(name="main", magic=b"\x7fELF")


def _compile_argv(compiler: str, flags: tuple[str, ...], sources: tuple[str, ...]) -> tuple[str, ...]:
    return (compiler, *flags, "-o", f"{BOX}/{_PROGRAM.name}", *sources)


def _run_argv(_start: Start, _memory_bytes: int) -> tuple[str, ...]:
    return (f"{PROGRAM_FOLDER}/{_PROGRAM.name}",)


NATIVE = Runtime(
    name="native",
    product=_PROGRAM,
    compile_argv=_compile_argv,
    run_argv=_run_argv,
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
