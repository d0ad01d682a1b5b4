"""Costly constructs in sources: found where they are repeated, and not where they work on what is short."""

from importlib import import_module

import pytest

from judge.grading.explain.evidence.constructs import CONSTRUCTS, ORDER
from judge.grading.reading.places import Deed


def noted(language: str, source: str) -> list[tuple[str, int]]:
    """The names of the constructs with their lines."""
    places = import_module(f"judge.grading.reading.syntax.{language}").read(source.encode())
    return [(place.name, place.line) for place in places if place.deed is Deed.COSTLY and place.is_repeated]


def in_python(body: str) -> list[str]:
    """The constructs in a loop after some names were given values."""
    head = "a = list(map(int, input().split()))\ntext = input()\nseen = {}\nqueue = deque()\nrows = make()\n"
    head += "tree = Tree()\ngiven, k = make()\n"
    return [name for name, _ in noted("python", f"{head}for i in range(n):\n    {body}\n")]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("a.pop(0)", ["pop(0)"]),
        ("rows[i].pop(0)", ["pop(0)?"]),
        ("tree.insert(i, i)", []),
        ("given.insert(i, i)", ["insert()?"]),
        ("given.insert(0, i)", ["insert(0)?"]),
        ("given.index(i)", ["index()?"]),
        ("given.count(i)", ["count()?"]),
        ("tree.count(i)", []),
        ("a.pop()", []),
        ("seen.pop(0)", []),
        ("a.insert(0, i)", ["insert(0)"]),
        ("insort(a, i)", ["insort()"]),
        ("bisect.insort(a, i)", ["insort()"]),
        ("del a[0]", ["del"]),
        ("del a[-1]", []),
        ("del seen[i]", []),
        ("i in a", ["in"]),
        ("i in seen", []),
        ("'x' in text", ["in text"]),
        ("i in 'aeiou'", []),
        ("a.index(i)", ["index()"]),
        ("a.index(i, k)", []),
        ("text.count('x')", ["count()"]),
        ("text.find('x')", ["find()"]),
        ("text.find('x', i)", []),
        ("','.join(a)", ["join()"]),
        ("os.path.join(a)", []),
        ("seen.remove(i)", []),
        ("best = max(best, sum(a[i:]))", ["sum()", "slice"]),
        ("best = max(best, i)", []),
        ("best = max(a)", ["max()"]),
        ("best = max(rows[i])", []),
        ("any(x == i for x in a)", ["any()"]),
        ("text = text[i:]", ["slice"]),
        ("a[i:i + 1] == [1]", []),
        ("head = text[:3]", []),
        ("text = text + 'x'", ["+"]),
        ("text += 'x'", ["+="]),
        ("b = sorted(a)", ["sorted()"]),
        ("b = [i]\n    sum(b)", []),
        ("b = input().split()\n    b.pop(0)", []),
        ("grid = copy.deepcopy(a)", ["deepcopy()"]),
    ],
)
def test_python(body: str, names: list[str]) -> None:
    assert in_python(body) == names
    assert set(names) <= CONSTRUCTS["python"].keys()


def test_what_is_not_repeated_is_not_named() -> None:
    assert noted("python", "a = [1, 2]\na.pop(0)\nprint(sum(a))\n") == []


def test_a_sieve_is_one_only_where_marks_are_asked_before() -> None:
    sieve = "s = [True] * n\nfor i in range(2, n):\n  if s[i]:\n    for j in range(i * i, n, i):\n      s[j] = False\n"
    assert noted("python", sieve) == [("list-sieve", 4), ("list-sieve", 5)]
    assert noted("python", sieve.replace("if s[i]:", "if i % 2:")) == []
    assert noted("python", sieve.replace("[True] * n", "bytearray(n)")) == []


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("a.erase(a.begin());", ["erase(begin())"]),
        ("a.insert(a.begin(), i);", ["insert(begin())"]),
        ("a.insert(a.end(), i);", []),
        ("a.erase(unique(a.begin(), a.end()), a.end());", []),
        ("text.insert(0, 1, 'x');", ["insert(0)"]),
        ("seen.erase(i);", []),
        ("seen.erase(seen.begin());", []),
        ("find(a.begin(), a.end(), i);", ["find()"]),
        ("vector<int> b(3); find(b.begin(), b.end(), i);", []),
        ("sort(a.begin(), a.end());", ["sort()"]),
        ("text = text + 'x';", ["+"]),
        ("text += 'x';", []),
        ("text.substr(i);", ["substr()"]),
        ("text.substr(i, 1);", []),
        ("text.substr(i, 10);", []),
        ("text.substr(i, n);", ["substr()"]),
        ("text.find('x');", ["find() in text"]),
        ("text.find('x', i);", []),
        ("find(text.begin(), text.end(), 'x');", ["find() in text"]),
        ("for (size_t k = 0; k < strlen(line); k++) g();", ["strlen()"]),
        ("int length = strlen(line);", []),
        ("for (auto w : words) g(w);", ["for by value"]),
        ("for (auto& w : words) g(w);", []),
        ("for (auto x : a) g(x);", []),
        ("for (auto& w : words) if (w == text) { k = i; break; }", ["search loop"]),
        ("for (int k = 2; k < i; k++) if (i % k == 0) break;", []),
        ("for (int k = 0; k < n; k++) if (a[k] == i) break;", ["search loop"]),
        ("total += count_from(a, i);", ["by value"]),
        ("total += count_of(a, i);", []),
        ("total += count_at(at, i);", []),
        ("each(done, i);", []),
    ],
)
def test_cpp(body: str, names: list[str]) -> None:
    source = (
        "long count_from(vector<int> v, int i) { return v[i]; }\n"
        "long count_of(const vector<int>& v, int i) { return v[i]; }\n"
        "long count_at(vector<int>::iterator v, int i) { return v[i]; }\n"
        "void each(function<void(vector<int>&)> f, int i) {}\n"
        "char line[9];\nint main() { vector<int> a; string text; set<int> seen; vector<string> words; int n = 9;\n"
        f"for (int i = 0; i < n; i++) {{ {body} }} }}\n"
    )
    assert [name for name, _ in noted("cpp", source)] == names
    assert set(names) <= CONSTRUCTS["cpp"].keys()


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("a.remove(0);", ["remove(0)"]),
        ("a.insert(0, i);", ["insert(0)"]),
        ("a.push(i);", []),
        ("seen.remove(&i);", []),
        ("a.contains(&i);", ["contains()"]),
        ("text.chars().nth(i);", ["nth()"]),
        ("text.chars().nth(0);", []),
        ("f(a.clone());", ["clone()"]),
        ("f(&a);", []),
        ("let b: Vec<i32> = vec![i]; b.contains(&i);", []),
        ('text = format!("{}{}", text, i);', ["format!"]),
        ("let m = a.iter().max();", ["max()"]),
        ("let m = text.chars().count();", ["count()"]),
        ("let m = a.iter().count();", []),
        ("let m = a.iter().last();", []),
    ],
)
def test_rust(body: str, names: list[str]) -> None:
    source = (
        "fn main() { let mut a: Vec<i32> = Vec::new(); let mut text = String::new();\n"
        f"let mut seen = std::collections::HashSet::new(); for i in 0..n {{ {body} }} }}\n"
    )
    assert [name for name, _ in noted("rust", source)] == names
    assert set(names) <= CONSTRUCTS["rust"].keys()


@pytest.mark.parametrize("language", CONSTRUCTS)
def test_each_construct_has_whole_sentences_for_a_finding(language: str) -> None:
    for construct in CONSTRUCTS[language].values():
        assert construct.finding in ORDER
        assert construct.does.endswith(".")
        assert construct.advice.endswith(".")
