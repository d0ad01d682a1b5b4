"""Lines of Python programs that are joined and printed in portions; what is changed is run, too."""

import pytest

from tests.judge.grading.reading.rewriting.pychanging import changed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for i in range(3):\n    print(i)", 'print_lines(map(str, range(3)), "\\n")'),
        ("for i in range(2500):\n    print(i * i)", 'print_lines((f"{i * i}" for i in range(2500)), "\\n")'),
        ("for a in values: print(a, end=' ')", 'print_lines(map(str, values), " ")'),
        ("for a in values: print(2, a, sep='')", 'print_lines((f"{2}{a}" for a in values), "\\n")'),
        ("for a, b in enumerate(values): print(b)", 'print_lines((f"{b}" for a, b in enumerate(values)), "\\n")'),
        (
            "for row in [values, []]:\n    for x in row:\n        if x > 1:\n            print(x)",
            'print_lines((f"{x}" for row in [values, []] for x in row if x > 1), "\\n")',
        ),
        (
            "for row in [values, []]:\n    print(*row)",
            'print_lines((" ".join(map(str, row)) for row in [values, []]), "\\n")',
        ),
        ("for c in 'abc':\n    print(f'{c:>3}')", "print_lines((f'{c:>3}' for c in 'abc'), \"\\n\")"),
        ("for x in values if n else []: print(x)", 'print_lines((f"{x}" for x in (values if n else [])), "\\n")'),
        ("for x in values:\n    sys.stdout.write(str(x) + '\\n')", 'print_lines((str(x) for x in values), "\\n")'),
        ("for x in values:\n    sys.stdout.write(f'{x}\\n')", "print_lines((f'{x}' for x in values), \"\\n\")"),
        ("for x in []:\n    print(x)", 'print_lines(map(str, []), "\\n")'),
        ("for x in values:\n    # each\n    print(x)", '# each\nprint_lines(map(str, values), "\\n")'),
        ("for i in range(3): print(i)\nfor i in values: print(i)", None),
        ("print(*values, sep='-')", 'print_joined(map(str, values), "-", "\\n")'),
        ("print(*[])", 'print_joined(map(str, []), " ", "\\n")'),
        ("print(' '.join(str(x) for x in range(2500)))", 'print_joined((str(x) for x in range(2500)), " ", "\\n")'),
        ("print(''.join([str(x) for x in values]), end='!')", 'print_joined((str(x) for x in values), "", "!")'),
    ],
)
def test_lines_are_joined_in_portions(before: str, after: str | None) -> None:
    head = "import sys\nvalues, n = [1, 2, 3], int(input())\n"
    code = changed(f"{head}{before}\n", "joined-portions")
    assert code.startswith("import sys\nfrom itertools import islice\n\n\ndef print_")
    if after is not None:
        assert code.endswith(f"\n{after}\n")


@pytest.mark.parametrize(
    "source",
    [
        "for i in range(3): print(i)\nprint(i)\n",
        "for i in range(3):\n    print(i)\n    print(i)\n",
        "for i in range(3):\n    print(i)\nelse: print(4)\n",
        "for i in range(3):\n    if i: print(i)\n    else: print(0)\n",
        "for i in range(3):\n    x = i\n    print(x)\n",
        "def f(x):\n    print('f')\n    return x\nfor i in range(3): print(f(i))\n",
        "def f():\n    for i in range(3):\n        print('f')\n        yield i\nfor i in f(): print(i)\n",
        "for i in map(lambda x: print(x), range(3)): print(i)\n",
        "for i in range(3): print(input('? '))\n",
        "for i in range(3): print(i, print)\n",
        "def main():\n    for i in range(3):\n        print((yield i))\nlist(main())\n",
        "for i in range(3): print(x := i)\n",
        "class A:\n    n = 2\n    for i in range(3): print(i * n)\n",
        "values = [0] * 3\nfor values[1] in range(3): print(values)\n",
        "str = repr\nfor i in 'abc': print(i)\n",
        "islice = 3\nfor i in range(3): print(i + islice)\n",
        "import os\nfor i in range(3): print(i)\nos._exit(0)\n",
        "i = 9\ndef f():\n    global i\n    for i in range(3): print(i)\nf()\nprint(i)\n",
        "import sys, io\nsys.stdout = io.StringIO()\nfor i in range(3): print(i)\n",
        "print(' '.join(values) if (values := ['a']) else 0)\n",
        "def f(x): return str(x)\nprint(' '.join(f(x) for x in range(3)))\n",
        "values = ['a', 'b']\nprint(' '.join(values))\n",
        "print(*[1], *[2])\n",
    ],
)
def test_what_does_more_than_print_stays(source: str) -> None:
    assert changed(source, "joined-portions") == source


def test_a_function_that_only_computes_may_be_called() -> None:
    source = "def f(x):\n    if x == 2: raise SystemExit\n    return x\nfor i in range(4): print(f(i))\n"
    assert "print_lines((" in changed(source, "joined-portions")  # and what was printed before the end is there


def test_flushes_are_left_out_first() -> None:
    source = "n = int(input())\nfor i in range(n):\n    print(i, flush=True)\n"
    assert changed(source, "joined-portions") == source
    assert "print_lines(map(str, range(n))" in changed(source, "no-flush", "joined-portions")


def test_what_prints_portions_stays_as_it_is() -> None:
    source = "print(*range(3), sep='-')\n"
    assert changed(source, "joined-portions", "direct-writes") == changed(source, "joined-portions")
