"""A Python program that is started so that it does not flush does all else as before."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from judge.grading.compiling.compilation import Executable
from judge.grading.languages import PYTHON
from judge.grading.languages.cpython import CPYTHON
from judge.grading.languages.runtime import NATIVE, Start
from sandbox.types import Mount

PROGRAMS = {
    "prints": """
        import sys
        for i in range(3000): print(i, flush=True)
        print("done", file=sys.stderr)""",
    "knows itself": """
        import sys
        print(__name__, __file__ == sys.argv[0], sys.argv[1:], sys.path[0], sorted(globals()))""",
    "is the main module": """
        import pickle
        class A: pass
        print(pickle.loads(pickle.dumps(A())).__class__)""",
    "imports what lies beside": """
        import beside
        print(beside.WORD)""",
    "reads": """
        import sys
        print("prompt", flush=True)
        print(input("?"), sys.stdin.read())""",
    "forks": """
        import os
        print("once", flush=True)
        if os.fork() == 0:
            print("child")
            raise SystemExit
        os.wait()
        print("parent")""",
    "leaves at once": """
        import os, sys
        print("out", flush=True)
        print("err", file=sys.stderr)
        os._exit(3)""",
    "exits": """
        import sys
        print("out")
        sys.exit("a message")""",
    "says goodbye": """
        import atexit
        atexit.register(print, "bye")
        print("first")""",
    "threads": """
        import threading
        for i in range(4):
            thread = threading.Thread(target=print, args=(i,), kwargs={"flush": True})
            thread.start()
            thread.join()""",
    "names its streams": """
        import sys
        for stream in (sys.stdout, sys.stderr, sys.__stdout__):
            print(stream.name, stream.mode, stream.encoding, stream.errors, stream.fileno(), stream.isatty())""",
    "writes bytes": """
        import sys
        for i in range(3000):
            sys.stdout.buffer.write(b"%d\\n" % i)
            sys.stdout.buffer.flush()""",
    "closes": """
        import sys
        print("x")
        sys.stdout.close()""",
    "puts another in its place": """
        import io, sys
        sys.stdout = io.StringIO()
        print("nowhere")
        print(sys.stdout.getvalue(), file=sys.__stdout__)""",
    "reconfigures": """
        import sys
        sys.stdout.reconfigure(line_buffering=True)
        for i in range(3000): print(i)""",
    "logs": """
        import logging
        for i in range(3000): logging.warning("at %d", i)""",
    "writes in latin": """
        # coding: latin-1
        print("\xe9")""",
}


def outcome(argv: tuple[str, ...], program: Path) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [*argv, "one", "two"], input=b"line\nrest\n", capture_output=True, cwd=program.parent, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("way", PROGRAMS)
def test_the_program_does_the_same(way: str, tmp_path: Path) -> None:
    program = tmp_path / "main.py"
    program.write_bytes(textwrap.dedent(PROGRAMS[way]).lstrip().encode("latin-1"))
    (tmp_path / "beside.py").write_text("WORD = 'beside'\n")
    start = Start(tool=sys.executable, flags=PYTHON.run_flags, source=str(program))
    executable = Executable(runtime=CPYTHON, start=start, mount=Mount(source=tmp_path, target="/program"))
    as_it_is = outcome(executable.argv(0), program)
    assert outcome(executable.with_flags(*CPYTHON.buffered_flags or ()).argv(0), program) == as_it_is
    assert as_it_is[1] or as_it_is[2]


def test_a_native_program_is_started_as_it_is() -> None:
    start = Start(tool="/usr/bin/g++", flags=(), source="/program/main.cpp")
    executable = Executable(runtime=NATIVE, start=start, mount=Mount(source=Path("/srv"), target="/program"))
    assert executable.with_flags(*NATIVE.buffered_flags or ()).argv(0) == ("/program/main",)
