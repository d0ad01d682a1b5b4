"""How a program is started so that its output is buffered, whatever it does to flush it.

Writes are gathered by the preload of `sandbox/native/coalesce.c` in every language. CPython spends as much time again
on its own side of each flush, which no preload can take away: there the program is run by a few lines that first put
streams in the place of stdout and stderr that write when they are full, before a fork and at the end, but not when they
are told to. What is still different then shows in the comparison: a mixture of ways to write, for one, or what an
object prints when it is destroyed after the end.
"""

from judge.languages import Language

_PYTHON = """
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


def buffered_argv(language: Language, argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command line that starts a program so that it does not flush; `argv`, without arguments, as it is."""
    return (*argv[:-1], "-c", _PYTHON, argv[-1]) if language.id == "python" else argv
