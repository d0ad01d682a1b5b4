"""Python lists that become a deque, or get a set beside them; what is changed is run, too."""

import pytest

from tests.judge.grading.reading.rewriting.pychanging import changed

MERGE_SORT = """\
def sort(a):
    if len(a) < 2:
        return a
    m = len(a) // 2
    left = sort(a[:m])
    right = sort(a[m:])
    merged = []
    while left and right:
        merged.append(left.pop(0) if left[0] < right[0] else right.pop(0))
    {end}
data = [3, 1, 2, 5]
print(sort(data), data)
"""
MERGED = """\
def sort(a):
    if len(a) < 2:
        return a
    m = len(a) // 2
    {call}
def merge(p, q):
    out = []
    while len(p) > 0 and q:
        out.append(p.pop(0) if p[0] < q[0] else q.pop(0))
    out += p
    out.extend(q)
    return out
print(sort([3, 1, 2, 5]))
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("q = [1]\nwhile q:\n    x = q.pop(0)\n    if x < 9: q.append(x * 2)\nprint(x)\n", "q = deque([1])\n"),
        ("q = []\nfor i in range(3):\n    q.insert(0, i)\nprint(*q)\n", "q = deque()\n"),
        (
            "q = list('abc')\nfor i in range(3): q.insert(0, str(i))\nprint(''.join(q), len(q), q[-1])\n",
            "appendleft(str(i))",
        ),
        ("q = '3 4'.split()\nfor i in range(2):\n    if not q: break\n    print(q.pop(0), 3 in q)\n", "q.popleft()"),
        (
            "q = [1]\nr = [0]\nfor i in range(1): q.insert(0, i)\nprint(r + q)\nfor x in q: print(x)\n",
            "print(r + list(q))",
        ),
        (MERGE_SORT.format(end="return merged + left + right"), "    left = deque(sort(a[:m]))\n"),
        (MERGE_SORT.format(end="merged += left\n    merged.extend(right)\n    return merged"), "merged += left"),
        (
            MERGED.format(call="return merge(sort(a[:m]), sort(a[m:]))"),
            "    p = deque(p)\n    q = deque(q)\n    out = []\n",
        ),
        (MERGED.format(call="x = sort(a[:m])\n    y = sort(a[m:])\n    return merge(x, y)"), "    p = deque(p)\n"),
        (
            "def f(n):\n    q = []\n    for i in range(n): q.insert(0, i)\n    return q\nprint(f(3))\n",
            "    return list(q)\n",
        ),
        (
            "p = [1, 2]\nq = [p.pop(0)]\nfor i in range(1): q.insert(0, p.pop(0))\nprint(*q, len(p))\n",
            "q = deque([p.popleft()])\nfor i in range(1): q.appendleft(p.popleft())\n",
        ),
        ("def f(a):\n    return 1, a[1:]\nx, q = f([1, 2])\nwhile q: q.pop(0)\nprint(x, len(q))\n", "q = deque(q)\n"),
    ],
)
def test_a_list_that_moves_becomes_a_deque(before: str, after: str) -> None:
    changes = changed(before, "deque-for-list")
    assert changes.startswith("from collections import deque\n")
    assert after in changes
    assert "pop(0)" not in changes


@pytest.mark.parametrize(
    "source",
    [
        "q = [1, 2]\nfor i in range(2): q.pop(0)\nprint(q)\n",
        "q = [1, 2, 3]\nfor i in range(2): q.pop(0)\nprint(q[:1])\n",
        "q = [1, 2, 3]\nfor i in range(2): q.pop(0)\nprint(q == [3])\n",
        "q = [1, 2, 3]\nr = q\nfor i in range(2): q.pop(0)\nprint(r)\n",
        "r = [1, 2, 3]\nq = r\nfor i in range(2): q.pop(0)\nprint(r)\n",
        "rows = [[1, 2]]\nq = rows[0]\nfor i in range(2): q.pop(0)\nprint(rows)\n",
        "def f(q): q.sort()\nq = [1, 2]\nfor i in range(1): q.pop(0)\nf(q)\n",
        "q = [2, 1]\nfor i in range(1): q.pop(0)\nq.sort()\nprint(*q)\n",
        "q = [1, 2, 3]\nfor i in range(1): q.pop(0)\ndel q[0]\nprint(*q)\n",
        "q = [1, 2, 3]\nfor x in q: print(q.pop(0))\n",
        "q = [1, 2, 3]\nq.pop(1)\nq.pop(-1)\nprint(*q)\n",
        "def f(q):\n    while q: print(q.pop(0))\na = [1, 2]\nf(a)\nprint(a)\n",
        "def f(a):\n    return a\nb = [1, 2]\nq = f(b)\nwhile q: q.pop(0)\nprint(b)\n",
        "keep = []\ndef f(a):\n    keep.append(a)\n    return a\nq = f([1, 2])\nwhile q: q.pop(0)\nprint(keep)\n",
        "class Q:\n    def pop(self, n): return n\n    def split(self): return self\n"
        "q = Q().split()\nfor i in range(2): print(q.pop(0))\n",
        "deque = 1\nq = [1, 2]\nwhile q: print(q.pop(0))\n",
        "q = [1, 2]\ndef f():\n    global q\n    q = [3]\nf()\nwhile q: print(q.pop(0))\n",
        "a = [[1, 2], [3]]\nfor q in a:\n    while q: q.pop(0)\nprint(a)\n",
        "q = [1, 2]\nfor i in range(1): q.pop(0)\nprint(q.index(2), q * 2)\n",
    ],
)
def test_a_list_that_is_more_than_a_queue_stays(source: str) -> None:
    assert changed(source, "deque-for-list") == source


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "seen = []\nfor w in 'a b a'.split():\n    if w not in seen:\n        seen.append(w)\nprint(*seen)\n",
            "seen = []\nseen_set = set()\nfor w in 'a b a'.split():\n    if w not in seen_set:\n"
            "        seen.append(w)\n        seen_set.add(w)\nprint(*seen)\n",
        ),
        (
            "s = [0]\nfor x in map(int, '1 2'.split()):\n    if x in s: print(s.index(x))\n    else: s.append(x)\n",
            "s = [0]\ns_set = set(s)\nfor x in map(int, '1 2'.split()):\n    if x in s_set: print(s.index(x))\n"
            "    else: s.append(x); s_set.add(x)\n",
        ),
        ("a = list(map(int, '1 2'.split()))\nfor x in range(3): print(x in a)\n", None),
        (
            "a = [int(x) for x in '1 2']\nb = []\nfor x in a:\n    if (x, 1) not in b: b.append((x, 1))\nprint(b)\n",
            None,
        ),
        (
            "import sys\ninput = sys.stdin.readline\ns = []\nfor i in range(3):\n"
            "    x = input()\n    if x not in s: s.append(x)\n",
            None,
        ),
        ("a = input().split()\nfor i, x in enumerate(a): print(x + 'b' in a, len(a), a[0])\n", None),
        (
            "def f(n):\n    s = []\n    for i in range(n):\n        if i % 3 in s: continue\n        s.append(i % 3)\n"
            "    return sorted(s)\nprint(f(5))\n",
            None,
        ),
    ],
)
def test_a_list_that_is_searched_gets_a_set(before: str, after: str | None) -> None:
    changes = changed(before, "set-beside-list")
    assert "_set" in changes
    assert after is None or changes == after


@pytest.mark.parametrize(
    "source",
    [
        "s = []\nfor x in [[1], [2]]:\n    if x not in s: s.append(x)\nprint(s)\n",
        "s = []\nfor x in range(3):\n    if x not in s: s.append(x)\n    s.pop()\nprint(s)\n",
        "s = [1, 2]\nfor x in range(3):\n    s[0] = x\n    print(x in s)\n",
        "s = [1, 2]\nr = s\nfor x in range(3):\n    r.append(x)\n    print(x in s)\n",
        "s = [1, 2]\nfor x in range(3):\n    s += [x]\n    print(x in s)\n",
        "s = [1, 2]\nfor x in range(3):\n    del s[0:1]\n    print(x in s)\n",
        "def f(s): s.append(5)\ns = [1]\nfor x in range(3):\n    f(s)\n    print(5 in s)\n",
        "def f(x):\n    s = []\n    s.append(x)\n    return [x in s for i in range(2)]\nprint(f([1]))\n",
        "s = 'abc'\nfor x in 'abd': print(x in s)\n",
        "s = {}\nfor x in range(3):\n    if x not in s: s[x] = 1\nprint(s)\n",
        "s = [1]\nfor x in [1, [2]]: print(x in s)\n",
        "s = []\nfor x in range(3):\n    s.append(next(iter([x])))\n    print(x in s)\n",
        "s = [5]\nfor x in range(3):\n    s.append(s[-1] - x)\n    print(x in s)\n",
        "s = [5]\nfor x in range(3):\n    s.append(len(s))\n    print(x in s)\n",
        "s = [5]\nfor x in range(3):\n    s.append(len(t) if (t := 'a') else x)\n    print(x in s)\n",
        "s = [5, 1, 2]\nfor x in range(3):\n    del (s[0])\n    print(x in s)\n",
        "s = [5, 1, 2]\nfor x in range(3):\n    (s[0]) = x\n    print(x in s)\n",
        "s = [5, 1, 2]\nfor x in range(3):\n    (s[0], t) = x, 1\n    print(x in s)\n",
        "s = [5, 1, 2]\nfor x in range(3):\n    del x, s[0]\n    print(5 in s)\n",
        "s = [1, 2]\nprint(1 in s)\n",
        "a = [[1]]\na.append([2])\nfor x in a: print(x in a)\n",
        "s = []\nint = lambda x: [x]\nfor x in map(int, 'ab'):\n    if x not in s: s.append(x)\nprint(s)\n",
        "class A: pass\ns = []\nfor x in 'aba':\n    if x not in s: s.append(x)\nprint(s)\n",
    ],
)
def test_a_list_whose_set_could_differ_stays(source: str) -> None:
    assert changed(source, "set-beside-list") == source
