"""The runtime of Python: CPython runs the source as it is."""

from pathlib import Path

from judge.grading.languages.runtime import Runtime, WriteTrace
from sandbox.types import MIB, Frames, HostRuntime, Image

# No preload takes away what CPython spends on its own side of each flush. So these lines first put streams in the place
# of stdout and stderr that write when they are full, before a fork and at the end, but not when they are told to.
_BUFFERING = """
def start():
    import atexit, io, os, sys

    class Buffer(io.BufferedWriter):
        flush = staticmethod(bool)  # the cheapest thing to call

    class Stream(io.TextIOWrapper):
        flush = staticmethod(bool)

        def close(self):
            write_out(self)
            io.TextIOWrapper.close(self)

    def put_stream(name):
        old = getattr(sys, name)
        raw = io.FileIO(old.fileno(), "wb", closefd=False)
        raw.name = old.name
        stream = Stream(Buffer(raw, 65536), encoding=old.encoding, errors=old.errors, newline="\\n")
        stream.mode = "w"
        setattr(sys, name, stream)
        setattr(sys, "__" + name + "__", stream)

    def write_out(stream):
        if isinstance(stream, Stream) and not stream.closed:
            io.TextIOWrapper.flush(stream)
            io.BufferedWriter.flush(stream.buffer)

    def write_all_out():
        write_out(sys.__stdout__)
        write_out(sys.__stderr__)

    def flush_from_now_on():
        write_all_out()
        del Buffer.flush, Stream.flush, Stream.close

    def leave(status):
        write_all_out()
        leave_at_once(status)

    if sys.stdout is not None and sys.stderr is not None and not os.path.sameopenfile(1, 2):
        put_stream("stdout")
        put_stream("stderr")
    leave_at_once, os._exit = os._exit, leave
    atexit.register(flush_from_now_on)
    os.register_at_fork(before=write_all_out)
    del sys.argv[0]
    sys.path[0] = os.path.dirname(sys.argv[0])
    main = sys.modules["__main__"].__dict__
    del main["start"]
    main["__file__"], main["__cached__"] = sys.argv[0], None
    with open(sys.argv[0], "rb") as file:
        code = compile(file.read(), sys.argv[0], "exec", dont_inherit=True)
    exec(code, main)


start()
"""


CPYTHON = Runtime(
    name="cpython",
    product=None,
    compile_argv=lambda interpreter, flags, sources: (interpreter, *flags, *sources),
    run_argv=lambda start, _memory_bytes: (start.tool, *start.flags, start.source),
    starts_product=False,
    memory_headroom_bytes=0,
    process_headroom=0,
    # endless recursion through C code searches all it has on the stack: 256 MiB took 9 s, a time limit,
    # 64 took 1 s, 32 take 0.3 and hold 50,000 levels of a cached function; plain functions need none of it (3.11)
    stack_bytes=32 * MIB,
    frames_bytes=16_384,  # DATA_STACK_CHUNK_SIZE of CPython 3.11, Python/pystate.c
    image=Image.RUN,
    host=HostRuntime(),
    buffered_flags=("-c", _BUFFERING),
    unbuffered_flags=("-u",),
    line_costs=WriteTrace(runner=Path(__file__).parents[1] / "reruns" / "line_runner.py"),
    line_times=Frames.PYTHON,
    locates_crashes=False,
)
