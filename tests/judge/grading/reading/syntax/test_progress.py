"""Which loops are certain to end, by their text: for only these is a slower machine or algorithm the only reading."""

import pytest

from judge.grading.languages import CPP, PYTHON, RUST, Language
from judge.grading.reading.places import Deed
from tests.judge.grading.reading.syntax.test_code import code_of

ENDS = [
    (CPP, "for (int i = 0; i < n; i++) s += i;"),
    (CPP, "for (int i = n - 1; i >= 0; i--) s += i;"),
    (CPP, "for (int i = 0, j = 5; i < n && j; i += 2) { if (i) continue; s += i; }"),
    (CPP, "for (long long i = 2; i * i <= n; i++) s += i;"),
    (CPP, "for (int i = 2; 1LL * i * i <= n; ++i) s += i;"),
    (CPP, "for (auto x : v) s += x;"),
    (CPP, "for (auto it = v.begin(); it != v.end(); ++it) s += *it;"),
    (CPP, "while (t--) s++;"),
    (CPP, "while (std::cin >> x) s += x;"),
    (CPP, 'while (scanf("%d", &x) == 1) s += x;'),
    (CPP, "while (n > 0) { s += n % 10; n /= 10; }"),
    (CPP, "while (n) n >>= 1;"),
    (CPP, 'for (int i = 0; i < n; i++) { std::cin >> a[i]; scanf("%d", &b[i]); }'),
    (CPP, "while (!q.empty()) { s += q.top(); q.pop(); }"),
    (CPP, "while (l < r) { int mid = (l + r) / 2; if (f(mid)) r = mid; else l = mid + 1; }"),
    (CPP, "while (r - l > 1) { int mid = l + (r - l) / 2; if (f(mid)) r = mid; else l = mid; }"),
    (CPP, "for (int i = 0; i < (int)v.size(); i++) s += v[i];"),
    (PYTHON, "for i in range(n): s += i"),
    (PYTHON, "for a, b in zip(x, y): s += a"),
    (PYTHON, "while i < n:\n  s += i\n  i += 1"),
    (PYTHON, "while n:\n  n //= 2"),
    (PYTHON, "while q:\n  s += q.pop()"),
    (PYTHON, "while d * d <= n:\n  d = d + 1"),
    (PYTHON, "while low < high:\n  mid = (low + high) // 2\n  if f(mid):\n    low = mid + 1\n  else:\n    high = mid"),
    (RUST, "for i in 0..n { s += i; }"),
    (RUST, "while i < n { s += i; i += 1; }"),
    (RUST, "while let Some(x) = stack.pop() { s += x; }"),
    (RUST, "while i >= 0 { s += i; i -= 1; }"),
]
MAY_NOT_END = [
    (CPP, "unsigned i = n; for (; i >= 0; i--) s += i;"),
    (CPP, "for (size_t i = n; i >= 0; --i) s += i;"),
    (CPP, "for (int i = 0; i < n; i--) s += i;"),
    (CPP, "for (int i = 0; i < n; i++) { if (s) i = 0; }"),
    (CPP, "for (int i = 0; i < n; i++) n++;"),
    (CPP, "for (int i = 0; i < n; i += k) s++;"),
    (CPP, "for (int i = 0; i != n; i += 2) s++;"),
    (CPP, "for (int i = 2; i * i <= n; i++) s += i;"),
    (CPP, "for (int i = 0; i < v.size(); i++) v.push_back(i);"),
    (CPP, "int i = 0; while (i < n) { if (s) continue; i++; }"),
    (CPP, "int i = 0; while (i < n) { if (s) i++; }"),
    (CPP, "int i = 0; while (i < n) { i++; std::cin >> i; }"),
    (CPP, "while (!std::cin.eof()) { std::cin >> x; }"),
    (CPP, 'while (scanf("%d", &x) != EOF) s += x;'),
    (CPP, "while (!q.empty()) { q.pop(); if (s) q.push(1); }"),
    (CPP, "while (l < r) { int mid = (l + r) / 2; if (f(mid)) r = mid; else l = mid; }"),
    (CPP, "while (l <= r) { int mid = (l + r) / 2; if (f(mid)) r = mid; else l = mid + 1; }"),
    (CPP, "for (;;) if (f(s)) break;"),
    (CPP, "void g(int &x); int i = 0; while (i < n) { i++; g(i); }"),
    (PYTHON, "while True:\n  if f(s): break"),
    (PYTHON, "import itertools\nfor i in itertools.count(): s += i"),
    (PYTHON, "for x in a: a.append(x)"),
    (PYTHON, "while x != 1.0: x += 0.1"),
    (PYTHON, "while n:\n  n //= 1"),
    (PYTHON, "while i < n:\n  i *= 2"),  # of 0
    (PYTHON, "while low < high:\n  mid = (low + high) // 2\n  if f(mid):\n    low = mid\n  else:\n    high = mid"),
    (RUST, "loop { if f(s) { break; } }"),
    (RUST, "for i in 0.. { s += i; }"),
    (RUST, "let mut i: usize = n; while i >= 0 { i -= 1; }"),
    (RUST, "while i < n { g(&mut i); i += 1; }"),
]
_AROUND = {CPP: "int main() { %s }", PYTHON: "%s", RUST: "fn main() { %s }"}


def _open_loops(language: Language, source: str) -> int:
    return len(code_of(_AROUND[language] % source, language).find(Deed.OPEN))


@pytest.mark.parametrize(("language", "source"), ENDS)
def test_a_loop_that_comes_nearer_to_its_end_each_time_is_known_to_end(language: Language, source: str) -> None:
    assert _open_loops(language, source) == 0


@pytest.mark.parametrize(("language", "source"), MAY_NOT_END)
def test_a_loop_that_may_not_end_is_not_known_to(language: Language, source: str) -> None:
    assert _open_loops(language, source) == 1
