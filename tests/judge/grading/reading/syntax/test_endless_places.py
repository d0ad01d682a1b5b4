"""Loops with a known mistake because of which they may never end, and reads that fail for ever."""

import pytest

from judge.grading.languages import CPP, PYTHON, RUST, Language
from judge.grading.reading.places import Deed, Stuck
from tests.judge.grading.reading.syntax.test_code import code_of

_AROUND = {CPP: "int main() { %s }", PYTHON: "%s", RUST: "fn main() { %s }"}


@pytest.mark.parametrize(
    ("language", "source", "kind"),
    [
        (CPP, "for (unsigned i = n; i >= 0; i--) s += i;", Stuck.UNSIGNED),
        (CPP, "for (size_t i = n; i >= 0; --i) s += i;", Stuck.UNSIGNED),
        (CPP, "for (unsigned i = n; i >= 1; i--) s += i;", None),
        (CPP, "for (unsigned i = n; i >= 0; i--) if (s) break;", None),
        (RUST, "let mut i: usize = n; while i >= 0 { i -= 1; }", Stuck.UNSIGNED),
        (RUST, "let mut i: i64 = n; while i >= 0 { i -= 1; }", None),
        (CPP, "int l, r; while (l < r) { int m = (l + r) / 2; if (f(m)) l = m; else r = m - 1; }", Stuck.SEARCH),
        (CPP, "int l, r; while (l < r) { int m = (l + r + 1) / 2; if (f(m)) l = m; else r = m - 1; }", None),
        (CPP, "int l, r; while (l <= r) { int m = l + (r - l) / 2; if (f(m)) r = m; else l = m + 1; }", Stuck.SEARCH),
        (CPP, "double l, r; while (l < r) { double m = (l + r) / 2; if (f(m)) l = m; else r = m; }", None),
        (PYTHON, "while l < r:\n  m = (l + r) // 2\n  if f(m): l = m\n  else: r = m", Stuck.SEARCH),
        (PYTHON, "while l < r:\n  m = (l + r) / 2\n  if f(m): l = m\n  else: r = m", None),
        (PYTHON, "while r - l > 1:\n  m = (l + r) // 2\n  if f(m): l = m\n  else: r = m", None),
        (RUST, "while l < r { let m = (l + r) / 2; if f(m) { l = m; } else { r = m; } }", Stuck.SEARCH),
        (CPP, "int i; for (i = 0; i < n; i++) { for (i = 0; i < 3; i++) s++; }", Stuck.COUNTER),
        (CPP, "for (int i = 0; i < n; i++) { s++; i = 0; }", Stuck.COUNTER),
        (CPP, "for (int i = 0; i < n; i++) { if (a[i] > a[i + 1]) i = 0; }", None),  # begins again, and may end
        (CPP, "for (int i = 0; i < n; i++) { for (int i = 0; i < 3; i++) s++; }", None),
        (CPP, "for (int i = 0; i < n; i--) s++;", Stuck.DIRECTION),
        (CPP, "for (int i = n; i > 0; i++) s++;", Stuck.DIRECTION),
        (CPP, "for (int i = 0; i < n; i--) n -= 2;", None),
        (PYTHON, "while x < n:\n  x -= 1", Stuck.DIRECTION),
        (PYTHON, "while x < n:\n  x -= 1\n  x += 2", None),
        (CPP, "for (int i = 2; i * i <= n; i++) s += i;", Stuck.SQUARE),
        (CPP, "for (long long i = 2; i * i <= n; i++) s += i;", None),
        (RUST, "let mut i: i32 = 2; while i * i <= n { i += 1; }", Stuck.SQUARE),
        (PYTHON, "while i * i <= n: i += 1", None),
        (PYTHON, "while x != 1.0: x += 0.1", Stuck.FRACTION),
        (PYTHON, "while x != 1.0: x += 0.25", None),
        (CPP, "double x = 0; while (x != n) x += 0.1;", Stuck.FRACTION),
        (CPP, f"double x = 0; while (x != n) x += {'9' * 400}.1;", None),
        (CPP, "int x = 0; while (x != n) x += 0.1;", None),
        (PYTHON, "while t != a + b:\n  if b > 0:\n    t += 0", Stuck.NOTHING),
        (PYTHON, "while t != a + b:\n  t += b", None),
    ],
)
def test_loops_with_a_mistake_are_found_by_it(language: Language, source: str, kind: Stuck | None) -> None:
    places = code_of(_AROUND[language] % source, language).find(Deed.STUCK)
    assert [place.name for place in places] == ([kind.value] if kind else [])


@pytest.mark.parametrize(
    ("language", "source", "name"),
    [
        (CPP, "while (!std::cin.eof()) { std::cin >> a; s += a; }", "cin"),
        (CPP, "while (cin.eof() == false) { cin >> a; s += a; }", "cin"),
        (CPP, "while (!cin.eof()) { cin >> a; if (cin.fail()) break; s += a; }", None),
        (CPP, "while (!cin.eof()) { if (cin >> a) s += a; }", None),
        (CPP, "while (true) { cin >> x; if (x == 0) break; s += x; }", "cin"),
        (CPP, "while (x != 0) { cin >> x; s += x; }", "cin"),
        (CPP, "while (cin >> x) s += x;", None),
        (CPP, "for (int i = 0; i < n; i++) { cin >> x; s += x; }", None),
        (CPP, "while (true) { if (!(cin >> x)) break; s += x; }", None),
        (CPP, "while (true) { cin >> x; if (!cin) break; s += x; }", None),
        (CPP, 'while (x) { scanf("%d", &x); s += x; }', "scanf"),
        (CPP, 'while (!feof(stdin)) { scanf("%d", &x); s += x; }', "scanf"),
        (CPP, 'while (scanf("%d", &x) == 1) s += x;', None),
        (CPP, 'for (;;) { if (scanf("%d", &x) != 1) break; s += x; }', None),
        (CPP, 'while (line != "end") { getline(cin, line); }', "getline"),
        (PYTHON, "while True:\n  try:\n    s += int(input())\n  except EOFError:\n    pass", "input()"),
        (PYTHON, "while True:\n  try:\n    s += int(input())\n  except:\n    continue", "input()"),
        (PYTHON, "while True:\n  try:\n    s += int(input())\n  except EOFError:\n    break", None),
        (PYTHON, "while True:\n  try:\n    s += int(input())\n  except ValueError:\n    pass", None),
        (PYTHON, "while x != 'end':\n  x = sys.stdin.readline().strip()", "readline()"),
        (PYTHON, "while True:\n  x = sys.stdin.readline()\n  if not x: break", None),
        (RUST, 'loop { s.clear(); stdin().read_line(&mut s).unwrap(); if s.trim() == "0" { break; } }', "read_line()"),
        (RUST, "loop { if stdin().read_line(&mut s).unwrap() == 0 { break; } }", None),
        (RUST, "loop { let k = stdin().read_line(&mut s).unwrap(); if k == 0 { break; } }", None),
        (RUST, "loop { stdin().read_line(&mut s).unwrap(); if s.is_empty() { break; } }", None),
    ],
)
def test_loops_that_do_not_ask_whether_a_read_failed(language: Language, source: str, name: str | None) -> None:
    places = code_of(_AROUND[language] % source, language).find(Deed.RETRY)
    assert [place.name for place in places] == ([name] if name else [])
