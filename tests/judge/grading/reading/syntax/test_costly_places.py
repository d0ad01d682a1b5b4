"""What in a source costs more than it looks, and which loops nothing can end: by its grammar."""

import pytest

from judge.grading.languages import CPP, PYTHON, RUST, Language
from judge.grading.reading.places import Deed
from tests.judge.grading.reading.syntax.test_code import code_of

COSTLY = (Deed.SEARCH, Deed.SHIFT, Deed.COPY)


@pytest.mark.parametrize(
    ("language", "source", "names"),
    [
        (PYTHON, "a = []\nwhile x:\n  a.pop(0)\n  a.insert(0, 1)\n  del a[0]", ["pop(0)", "insert(0)", "del"]),
        (PYTHON, "a = []\nwhile x:\n  a.pop()\n  a.insert(i, 1)\n  a.append(2)", []),
        (PYTHON, "a = list(b)\nfor x in y:\n  if x not in a or a.index(x): pass", ["in", "index()"]),
        (PYTHON, "a = set(b)\nfor x in y:\n  if x not in a: pass", []),
        (PYTHON, "a = []\na = set()\nfor x in y:\n  if x in a: pass", []),  # two kinds: nobody knows which
        (PYTHON, "def f(a):\n  a = [1]\n  for x in y:\n    if x in a: pass\nf(z)", []),
        (PYTHON, "s = ''\nfor x in y:\n  s = s + x", ["+"]),
        (PYTHON, "s = ''\nfor x in y:\n  s += x", ["+="]),
        (PYTHON, "def f():\n  s = ''\n  for x in y:\n    s += x\n    s = s + x\nf()", []),  # in place
        (PYTHON, "def f():\n  s = ''\n  for x in y:\n    s = x + s\nf()", ["+"]),
        (PYTHON, "a = []\nfor x in y: a = a + [x]", ["+"]),
        (PYTHON, "s = ''\nfor x in y: s = x + s if x else s + x", ["+"]),
        (PYTHON, "a = list(b)\nfor i in y:\n  if x in a[i:]: pass", ["in"]),
        (PYTHON, "_, *a = b.split()\nc = {x: a.count(x) for x in set(a)}", ["count()"]),
        (PYTHON, "n = 0\nfor x in y: n = n + x", []),
        (PYTHON, "a = [1]\nwhile a: a = a[1:]", ["+"]),
        (CPP, "int main() { vector<int> v; for (;;) v.erase(v.begin()); }", ["erase()"]),
        (CPP, "int main() { deque<int> v; for (;;) v.erase(v.begin()); }", []),
        (CPP, "int main() { vector<int> v(n); for (;;) if (find(v.begin(), v.end(), x) != e) y(); }", ["find()"]),
        (CPP, "int main() { set<int> v; for (;;) if (v.find(x) != e) y(); }", []),
        (CPP, "int main() { string s; for (;;) s = s + x; }", ["+"]),
        (CPP, "int main() { string s; for (;;) s += x; }", []),
        (CPP, "int main() { int s; for (;;) s = s + x; }", []),
        (CPP, "int f(vector<int> a) { return a[0]; } int main() { for (;;) f(v); }", ["parameter"]),
        (CPP, "int f(const vector<int>& a) { return a[0]; } int main() { for (;;) f(v); }", []),
        (
            RUST,
            "fn main() { let mut v: Vec<u8> = a(); loop { v.remove(0); v.insert(0, x); } }",
            ["remove()", "insert()"],
        ),
        (RUST, "fn main() { let mut v = VecDeque::new(); loop { v.remove(0); } }", []),
        (RUST, "fn f(v: &[u8]) { loop { v.contains(&1); } } fn main() { f(&a); }", ["contains()"]),
        (RUST, "fn main() { let v = HashSet::new(); loop { v.contains(&1); } }", []),
        (RUST, "fn main() { let s = String::new(); loop { s.chars().nth(i); } }", ["nth()"]),
        (RUST, 'fn main() { let mut s = String::new(); loop { s = format!("{}{}", s, x); } }', ["format!"]),
        (RUST, "fn main() { let v = vec![1]; loop { let w = v.clone(); } }", ["clone()"]),
    ],
)  # fmt: skip
def test_what_costs_more_than_it_looks(language: Language, source: str, names: list[str]) -> None:
    assert [place.name for place in code_of(source, language).find(*COSTLY, repeated=True)] == names


@pytest.mark.parametrize(
    ("language", "source", "names"),
    [
        (CPP, "int main() { map<int, int> m; for (;;) m[x]++; }", ["map"]),
        (CPP, "int main() { std::unordered_map<long long, T> m; for (;;) y(m.find(x)); }", ["unordered_map"]),
        (CPP, "void f(const map<uint32_t, int>& m) { for (;;) y(m.at(x)); } int main() { f(z); }", ["map"]),
        (CPP, "int main() { map<string, int> m; for (;;) m[x]++; }", []),
        (CPP, "int main() { map<pair<int, int>, int> m; for (;;) m[x]++; }", []),
        (CPP, "int main() { map<int, int> m; m[x]++; }", []),
        (CPP, "int main() { map<int, int> m; for (auto [k, v] : m) y(v); }", []),
        (CPP, "void f(vector<int> m) { for (;;) m[x]++; } int main() { map<int, int> m; f(z); }", []),  # which one?
        (RUST, "fn main() { let mut m: HashMap<u32, u8> = HashMap::new(); loop { m.insert(x, 1); } }", ["HashMap"]),
        (RUST, "fn main() { let m = BTreeMap::<i64, u8>::new(); loop { y(m[&x]); } }", ["BTreeMap"]),
        (RUST, "fn f(m: &mut BTreeMap<usize, u8>) { loop { m.get(&x); } } fn main() { f(&mut z); }", ["BTreeMap"]),
        (RUST, "fn main() { let m: HashMap<String, u8> = HashMap::new(); loop { m.get(&x); } }", []),
        (RUST, "fn main() { let m = HashMap::new(); loop { m.get(&x); } }", []),  # of keys that it does not name
    ],
)
def test_lookups_in_maps_with_integer_keys(language: Language, source: str, names: list[str]) -> None:
    assert [place.name for place in code_of(source, language).find(Deed.LOOKUP, repeated=True)] == names


@pytest.mark.parametrize(
    ("language", "source", "is_endless"),
    [
        (PYTHON, "while i < n:\n  total += i", True),
        (PYTHON, "while i < n:\n  i += 1", False),
        (PYTHON, "while True:\n  x += 1", True),
        (PYTHON, "while True:\n  x += 1\n  if x > 3: break", False),
        (PYTHON, "while True:\n  x = int(input())", False),  # the end of the input raises
        (PYTHON, "while True:\n  print(step(x))", False),
        (PYTHON, "while queue:\n  queue.pop()", False),
        (PYTHON, "while i < len(a):\n  x += 1", False),  # a call: its value may change
        (PYTHON, "while i < n:\n  for i in range(3): pass", False),
        (CPP, "int main() { for (int j = 0; j < n; i++) x += j; }", True),
        (CPP, "int main() { for (int j = 0; j < n; j++) x += j; }", False),
        (CPP, "int main() { while (n--) x++; }", False),
        (CPP, "int main() { while (cin >> n) x++; }", False),
        (CPP, "int main() { while (i < n) cin >> i; }", False),
        (CPP, "int main() { while (i < n) f(x); }", False),
        (CPP, "int main() { for (;;) x++; }", True),
        (CPP, "int main() { for (;;) { x++; if (x > 9) return 0; } }", False),
        (CPP, "int main() { while (i < n) scanf(\"%d\", &i); }", False),
        (RUST, "fn main() { while i < n { x += a[i]; } }", True),
        (RUST, "fn main() { while i < n { i += 1; } }", False),
        (RUST, "fn main() { loop { x += 1; } }", True),
        (RUST, "fn main() { loop { x += 1; if x > 3 { break; } } }", False),
        (RUST, "fn main() { while i < n { change(&mut i); } }", False),
    ],
)  # fmt: skip
def test_loops_that_nothing_in_them_can_end(language: Language, source: str, is_endless: bool) -> None:
    assert code_of(source, language).has(Deed.ENDLESS) is is_endless


@pytest.mark.parametrize(
    ("language", "source", "branches"),
    [
        (PYTHON, "def f(n):\n  return f(n - 1) + f(n - 2)\nf(9)", True),
        (PYTHON, "@cache\ndef f(n):\n  return f(n - 1) + f(n - 2)\nf(9)", False),
        (PYTHON, "def f(n):\n  m[n] = f(n - 1) + f(n - 2)\n  return m[n]\nf(9)", False),
        (PYTHON, "def f(n):\n  return f(n - 1)\nf(9)", False),
        (CPP, "int f(int n) { return f(n - 1) + f(n - 2); } int main() { f(9); }", True),
        (CPP, "int f(int n) { return memo[n] = f(n - 1) + f(n - 2); } int main() { f(9); }", False),
        (RUST, "fn f(n: u8) -> u8 { f(n - 1) + f(n - 2) } fn main() { f(9); }", True),
    ],
)
def test_functions_that_call_themselves_twice(language: Language, source: str, branches: bool) -> None:
    code = code_of(source, language)
    assert code.has(Deed.BRANCH) is branches
    assert code.has(Deed.RECURSE)
