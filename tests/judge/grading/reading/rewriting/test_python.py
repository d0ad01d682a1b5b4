"""Fixes of Python sources: what they change, and what they leave alone. What is changed is run, too."""

import pytest

from judge.grading.fixes import FIXES
from judge.grading.reading.rewriting import python
from judge.grading.reading.rewriting.__main__ import rewritten
from tests.judge.grading.reading.rewriting.pychanging import changed


def test_each_fix_of_the_catalogue_has_its_rewriter() -> None:
    assert {fix.code for fix in FIXES["python"]} == set(python.REWRITERS)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for i in range(3):\n    print(i, flush=True)\n", "for i in range(3):\n    print(i)\n"),
        ("for i in range(3): print(flush=True, end='x')\n", "for i in range(3): print(end='x')\n"),
        ("for i in range(3): print(flush=True)\n", "for i in range(3): print()\n"),
        ("for i in range(3): print('flush=True', i, sep='-', flush = True, end='x')\n", None),
        (
            "import functools as f\nsay = f.partial(print, end='!', flush=True)\nfor i in range(3): say(i)\n",
            "import functools as f\nsay = f.partial(print, end='!')\nfor i in range(3): say(i)\n",
        ),
        (
            "import sys as s\nout = s.stdout\nfor i in range(3):\n    out.write('x')\n    out.flush()  # now\n",
            "import sys as s\nout = s.stdout\nfor i in range(3):\n    out.write('x')\n    # now\n",
        ),
        (
            "from sys import stdout\ndef go():\n    stdout.flush()\nfor i in range(3):\n    go()\n    print(i)\n",
            "from sys import stdout\ndef go():\n    pass\nfor i in range(3):\n    go()\n    print(i)\n",
        ),
        (
            "import sys\nfor i in range(3): sys.stdout.write('x'); sys.stdout.flush()\n",
            "import sys\nfor i in range(3): sys.stdout.write('x'); pass\n",
        ),
        ("import sys\nsys.stdout.reconfigure(line_buffering=True)\nprint(1)\n", "import sys\nprint(1)\n"),
        ("out = open(1, 'wb', buffering=0)\nout.write(b'x')\n", "out = open(1, 'wb')\nout.write(b'x')\n"),
    ],
)
def test_flushes_are_left_out(before: str, after: str | None) -> None:
    assert changed(before, "no-flush") == (before.replace(", flush = True", "") if after is None else after)


@pytest.mark.parametrize(
    "source",
    [
        "import io\nout = io.StringIO()\nfor i in range(3): print(i, file=out, flush=True)\nprint(out.getvalue())\n",
        "def print(*a, flush): pass\nfor i in range(3): print(i, flush=True)\n",
        "import os\nfor i in range(3): print(i, flush=True)\nos._exit(0)\n",
        "import os\nprint(1, flush=True)\nif os.fork(): os.wait()\n",
        "import sys, io\nsys.stdout = io.StringIO()\nfor i in range(3): print(i, flush=True)\n",
        "for i in range(3): print(i, flush=bool(i))\n",
        "import subprocess\nfor i in range(3): print(i, flush=True)\n",
        "text = 'print(i, flush=True)'  # print(i, flush=True)\nfor i in range(3): print(text, flush=False)\n",
        "import sys\nsys.stdout.flush()\n",
    ],
)
def test_flushes_stay_where_they_matter_or_cost_nothing(source: str) -> None:
    assert changed(source, "no-flush") == source


@pytest.mark.parametrize(
    "uses",
    [
        "n = int(input())\nfor _ in range(n): print(int(input()))\n",
        "for _ in range(2): print(input().split())\n",
        "for _ in range(2): a, = map(int, input().split()); print(a)\n",
        "for _ in range(2): print(input().strip(), float(input()))\n",
    ],
)
def test_input_becomes_readline_where_the_end_of_the_line_does_not_matter(uses: str) -> None:
    assert changed(uses, "fast-input") == f"import sys\ninput = sys.stdin.readline\n{uses}"
    commented = f'#!/usr/bin/python3\n"""Text."""\n\nimport sys, os\n{uses}'
    expected = f'#!/usr/bin/python3\n"""Text."""\n\nimport sys, os\ninput = sys.stdin.readline\n{uses}'
    assert changed(commented, "fast-input") == expected


@pytest.mark.parametrize(
    "uses",
    [
        "for _ in range(2): print([input()])\n",
        "for _ in range(2): print(input().split(' '))\n",
        "for _ in range(2): print(len(input()))\n",
        "print(list(iter(input, '3')))\nfor _ in range(1): print(input())\n",
        "read = input\nfor _ in range(2): print(read(), int(input()))\n",
        "try:\n    while True: print(int(input()))\nexcept EOFError: pass\n",
        "def lines():\n    try:\n        while True: yield input()\n    except: pass\nprint(list(lines()))\n",
    ],
)
def test_input_becomes_a_function_that_does_the_same_elsewhere(uses: str) -> None:
    after = changed(uses, "fast-input")
    assert "def input():" in after
    assert after.endswith(uses)


@pytest.mark.parametrize(
    "source",
    [
        "import sys\ninput = sys.stdin.readline\nfor _ in range(2): print(int(input()))\n",
        "def input(): return '1'\nfor _ in range(2): print(int(input()))\n",
        "for _ in range(2): print(int(input('n? ')))\n",
        "sys = 3\nfor _ in range(2): print(int(input()), sys)\n",
        "n = int(input())\nprint(n)\n",
        "import os\nfor _ in range(2): print(int(input()))\nos._exit(0)\n",
        "# input()\ntext = 'input()'\nfor _ in range(2): print(text)\n",
        "from sys import stdin\ninput = stdin.readline\nfor _ in range(2): print(int(input()))\n",
    ],
)
def test_input_stays_where_it_is_another_or_prints_or_is_called_once(source: str) -> None:
    assert changed(source, "fast-input") == source


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print(i)", 'write(f"{i}\\n")'),
        ("print()", 'write("\\n")'),
        ("print(i, 2 * i)", 'write(f"{i} {2 * i}\\n")'),
        ("print(i, i, sep=', ', end='')", 'write(f"{i}, {i}")'),
        ("print(i, end='\\n\\n')", 'write(f"{i}\\n\\n")'),
        ("print('a', i)", "write(\"%s %s\\n\" % ('a', i))"),
        ("print((i, i))", 'write("%s\\n" % ((i, i),))'),
        ("print('%d' % i if i else None)", "write(\"%s\\n\" % ('%d' % i if i else None,))"),
        ("print(f'{i:03}')", "write(\"%s\\n\" % (f'{i:03}',))"),
        ("print(values[i])", 'write(f"{values[i]}\\n")'),
        ("print(str(i).upper())", 'write(f"{str(i).upper()}\\n")'),
        ("print(*values)", 'write(" ".join(map(str, values)) + "\\n")'),
        ("print(*values, sep='', end='')", 'write("".join(map(str, values)))'),
    ],
)
def test_print_in_a_loop_becomes_a_write(before: str, after: str) -> None:
    source = f"values = [1, 2, 3]\nfor i in range(3):\n    {before}\n"
    expected = "import sys\nwrite = sys.stdout.write\n" + source.replace(before, after)
    assert changed(source, "direct-writes") == expected


@pytest.mark.parametrize(
    "line",
    [
        "print(i, *values)",
        "print(i, sep=sep)",
        "print(i, end='%s')",
        "print(i, end='{}')",
        "print(i, file=None)",
        "x = print(i)",
        "print(i) or print(i)",
        "[print(x) for x in values]",
        "print(i, end='''\n''')",
        "builtins.print(i)",
    ],
)
def test_a_print_that_is_more_stays(line: str) -> None:
    source = f"import builtins\nvalues, sep = [1, 2], '-'\nfor i in range(3):\n    {line}\n"
    assert changed(source, "direct-writes") == source


@pytest.mark.parametrize(
    "source",
    [
        "def print(x): pass\nfor i in range(3): print(i)\n",
        "from builtins import print as say\nfor i in range(3): say(i)\n",
        "import sys, io\nsys.stdout = io.StringIO()\nfor i in range(3): print(i)\n",
        "from contextlib import redirect_stdout\nimport io\nwith redirect_stdout(io.StringIO()):\n"
        "    for i in range(3): print(i)\n",
        "print(1)\n",
        "class A:\n    def __format__(self, spec): return 'f'\n    def __str__(self): return 's'\n"
        "for i in range(3): print(A())\n",
        "write = write_out = 0\nfor i in range(3): print(i)\n",
    ],
)
def test_print_stays_where_it_is_another_or_prints_elsewhere(source: str) -> None:
    assert changed(source, "direct-writes") == source


def test_the_name_of_the_writer_is_free() -> None:
    after = changed("import sys\nfor i in range(3):\n    print(i)\n    sys.stdout.write('x')\n", "direct-writes")
    assert "write_out = sys.stdout.write\n" in after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    print(i, file=sys.stderr)\n    print(i)\n", "    print(i)\n"),
        ("    sys.stderr.write(f'{i} {len(values)}')\n", "    pass\n"),
        ("    if i: print(i, file=sys.stderr)\n", "    if i: pass\n"),
        ("    print(values[i - 1], end='', file=sys.stderr); print(i)\n", "    pass; print(i)\n"),
    ],
)
def test_debugging_output_is_left_out(before: str, after: str) -> None:
    head = "import sys\nvalues = [1, 2, 3]\nfor i in range(3):\n"
    assert changed(head + before, "no-debugging") == head + after


@pytest.mark.parametrize(
    "line",
    [
        "print(next(it), file=sys.stderr)",
        "print(values.pop(), file=sys.stderr)",
        "print((x := i), file=sys.stderr)",
        "x = sys.stderr.write('x')",
        "print(counts[i], file=sys.stderr)",
        "print(i, file=out)",
        "print('file=sys.stderr')",
    ],
)
def test_debugging_output_that_does_more_stays(line: str) -> None:
    source = (
        "import sys, io\nfrom collections import defaultdict\nvalues, it, out = [1, 2, 3], iter('abc'), io.StringIO()\n"
        f"counts = defaultdict(int)\nfor i in range(3):\n    {line}\n"
    )
    assert changed(source, "no-debugging") == source


def test_system_calls_and_raw_streams_become_buffered_ones() -> None:
    source = "import os\nfor i in range(3): os.write(1, b'%d' % i)\nwhile os.read(0, 1): pass\n"
    expected = "import os\nimport sys\nfor i in range(3): sys.stdout.buffer.write(b'%d' % i)\n"
    assert changed(source, "buffered-calls") == expected + "while sys.stdin.buffer.read(1): pass\n"
    raw = "import sys\nread = sys.stdin.buffer.raw\nwhile read.read(1): pass\n"
    assert changed(raw, "buffered-calls") == raw.replace(".raw", "")
    for shared in ("import os\nfor i in range(3): os.write(1, b'x'); print(i)\n", "import os\nos.write(2, b'x')\n"):
        assert changed(shared, "buffered-calls") == shared


def test_a_source_that_is_no_program_stays() -> None:
    for source in ("", "print(1, flush=True", "    x\n  y", "for", "(" * 20_000):
        for code in python.REWRITERS:
            assert rewritten(source.encode(), python, [code]) == (source.encode(), [])
