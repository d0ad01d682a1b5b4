"""Texts of Python programs that grow piece by piece; what is changed is run, too."""

import pytest

from tests.judge.grading.reading.rewriting.pychanging import changed


@pytest.mark.parametrize("growth", ["s += str(i) + 'x'", "s = s + str(i) + 'x'", "s += f'{i}'"])
def test_the_pieces_of_a_text_that_grows_are_collected(growth: str) -> None:
    source = f"s = 'a'\nfor i in range(3):\n    if i:\n        {growth}\nprint(s)\n"
    after = changed(source, "joined-pieces")
    assert "from io import StringIO\ns = 'a'\ns_pieces = StringIO()\ns_pieces.write(s)\nfor i in range(3):\n" in after
    assert "s = s_pieces.getvalue()\nprint(s)\n" in after


def test_pieces_at_the_front_go_into_a_deque() -> None:
    source = (
        "s = 'a'\nfor c in 'bcd':\n    if c > 'b':\n        s = c + '-' + s\n    else:\n        s = s + c\nprint(s)\n"
    )
    after = changed(source, "joined-pieces")
    assert "s_pieces.appendleft(c + '-')\n    else:\n        s_pieces.append(c)\ns = \"\".join(s_pieces)\n" in after


def test_a_text_that_begins_anew_in_a_loop_grows_in_the_inner_one() -> None:
    source = "for k in range(2):\n    s = ''\n    for i in range(3):\n        s += str(i)\n    print(s)\n"
    assert "    for i in range(3):\n        s_pieces.write(str(i))\n" in changed(source, "joined-pieces")


def test_a_text_grows_in_a_function() -> None:
    source = "def f(n):\n    s = ''\n    while n:\n        s += str(n)\n        n -= 1\n    return s\nprint(f(3))\n"
    assert "    while n:\n        s_pieces.write(str(n))\n" in changed(source, "joined-pieces")


_STAYS = [
    "s = 'a'\nfor i in range(3):\n    s += 'x'\n    if len(s) > 2: break\nprint(s)\n",
    "s = 0\nfor i in range(3):\n    s += i\nprint(s)\n",
    "s = b'a'\nfor i in range(3):\n    s += b'x'\nprint(s)\n",
    "s = 'a'\nfor i in range(3):\n    s = 'x' + s + 'y'\nprint(s)\n",
    "def f(s):\n    for i in range(3):\n        s += 'x'\n    return s\nprint(f('a'))\n",
    "s = 'a'\nfor i in range(3):\n    s += s\nprint(s)\n",
    "s = 'a'\nfor i in range(3):\n    s += 'x'\n    s = ''\nprint(s)\n",
    "s = 'a'\nfor i in range(3):\n    s += f'{s}'\nprint(s)\n",
    "def now():\n    return str(len(s))\ns = 'a'\nfor i in range(3):\n    s += now()\nprint(s)\n",
    "s = ''\ntry:\n    s = 'a'\n    for i in (1, 0):\n        s += str(1 // i)\nexcept: print(s)\n",
    "StringIO = deque = 1\ns = 'a'\nfor i in range(3):\n    s += 'x'\nprint(s)\n",
]


@pytest.mark.parametrize("source", _STAYS)
def test_a_text_that_is_used_while_it_grows_stays(source: str) -> None:
    assert changed(source, "joined-pieces") == source


@pytest.mark.parametrize(
    ("printed", "after"),
    [("print(s, end='')\n", ""), ("print(s)\n", "print()\n"), ("print(s, end='!')\n", 'print(end="!")\n')],
)
def test_a_text_that_is_only_printed_is_printed_in_the_loop(printed: str, after: str) -> None:
    head = "s = ''\nfor i in range(3):\n    "
    changes = changed(f"{head}s = s + str(i) + '\\n'\n{printed}", "printed-at-once")
    assert changes == f"import sys\n{head}sys.stdout.write(str(i) + '\\n')\n{after}"


@pytest.mark.parametrize(
    "source",
    [
        *_STAYS,
        "s = 'a'\nfor i in range(3):\n    s += 'x'\nprint(s)\n",
        "s = ''\nfor i in range(3):\n    s += 'x'\nprint(s[1:])\n",
        "s = ''\nfor i in range(3):\n    s += 'x'\nprint(s)\nprint(s)\n",
        "s = ''\nfor i in range(3):\n    s += 'x'\nprint(0)\nprint(s)\n",
        "s = ''\nfor i in range(3):\n    s += 'x'\n    print(i)\nprint(s)\n",
        "s = ''\nfor i in range(3):\n    s = 'x' + s\nprint(s)\n",
        "def f():\n    print(1)\n    return 'x'\ns = ''\nfor i in range(3):\n    s += f()\nprint(s)\n",
    ],
)
def test_a_text_that_is_more_than_printed_is_not_printed_in_the_loop(source: str) -> None:
    assert changed(source, "printed-at-once") == source
