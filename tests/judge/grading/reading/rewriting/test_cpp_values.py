"""C++ values and containers: what is changed compiles, and what could mean something else stays."""

import subprocess
from pathlib import Path

import pytest

from judge.grading.reading.rewriting import cpp
from judge.grading.reading.rewriting.__main__ import rewritten

HEAD = "#include <bits/stdc++.h>\nusing namespace std;\n"


@pytest.fixture(scope="module")
def compiled_head(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the library's headers, compiled once for all of these tests."""
    folder = tmp_path_factory.mktemp("head")
    (folder / "head.h").write_text(HEAD)
    command: list[str | Path] = [
        "g++",
        "-std=gnu++20",
        "-x",
        "c++-header",
        folder / "head.h",
        "-o",
        folder / "head.h.gch",
    ]
    subprocess.run(command, check=True, timeout=120)
    return folder


def changed(source: str, code: str, folder: Path) -> str:
    """The source after this fix, without its head; what comes of it compiles."""
    after = rewritten((HEAD + source).encode(), cpp, [code])[0].decode()
    if after != HEAD + source:
        (folder / "changed.cpp").write_text(after.replace(HEAD, '#include "head.h"\n'))
        command: list[str | Path] = ["g++", "-std=gnu++20", "-fsyntax-only", "-Winvalid-pch", folder / "changed.cpp"]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, after + done.stderr.decode()
    return after.removeprefix(HEAD)


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("int f(vector<int> a, int i) { return a[i] + (int)a.size(); }", "vector<int> v(3); f(v, 0);"),
        ("long long f(int k, string a) { long long t = k; for (char c : a) t += c; return t; }",
         'string v = "x"; f(1, v);'),
        ("int f(std::vector<int> a, int i) { return i ? f(a, i - 1) : a.back(); }", "vector<int> v = {1}; f(v, 3);"),
        ("int f(set<int> a) { auto b = a; b.insert(2); return b.size() + a.count(1); }", "set<int> v; f(v);"),
        ("bool f(string a) { return a.substr(1) == a; }", 'string v; cin >> v; f(v); f("abc"); f(v.substr(2));'),
        ("int f(vector<vector<int>> a) { for (auto& row : {1}) (void)row; return a[0][0]; }",
         "vector<vector<int>> v; f(v);"),
        ("int f(vector<int> a) { auto it = max_element(a.begin(), a.end()); return *it; }",
         "vector<vector<int>> v; f(v[0]);"),
    ],
)  # fmt: skip
def test_parameters_that_are_only_read_become_references(head: str, call: str, compiled_head: Path) -> None:
    source = f"{head}\nint main() {{ {call} }}\n"
    kind = next(kind for kind in ("vector<vector<int>> a", "vector<int> a", "set<int> a", "string a") if kind in head)
    prefix = "std::" if "std::" in head else ""
    expected = source.replace(f"{prefix}{kind}", f"const {prefix}{kind[:-2]}& a", 1)
    assert changed(source, "reference-parameters", compiled_head) == expected


def test_a_prototype_changes_with_its_function(compiled_head: Path) -> None:
    source = (
        "int f(const vector<int> a);\nint main() { vector<int> v(2); f(v); }\n"
        "int f(const vector<int> b) { return b[0]; }\n"
    )
    expected = source.replace("const vector<int> ", "const vector<int>& ")
    assert changed(source, "reference-parameters", compiled_head) == expected


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("int f(vector<int> a) { a[0] = 1; return a[0]; }", "vector<int> v(3); f(v);"),
        ("int f(vector<int> a) { a.push_back(1); return a[0]; }", "vector<int> v(3); f(v);"),
        ("int f(vector<int> a) { sort(a.begin(), a.end()); return a[0]; }", "vector<int> v(3); f(v);"),
        ("int f(vector<int> a) { for (int& x : a) x++; return a[0]; }", "vector<int> v(3); f(v);"),
        ("int f(vector<int> a) { cin >> a[0]; return a[0]; }", "vector<int> v(3); f(v);"),
        ("void g(vector<int>& a) { a[0]++; }\nint f(vector<int> a) { g(a); return a[0]; }", "vector<int> v(3); f(v);"),
        ("vector<int> v;\nint f(vector<int> a) { v.push_back(2); return a[0]; }", "f(v);"),
        ("int f(vector<int> a, vector<int>& b) { b[0] = 2; return a[0]; }", "vector<int> v(3); f(v, v);"),
        ("vector<int>* p;\nint f(vector<int> a) { (*p)[0] = 2; return a[0]; }", "vector<int> v(3); p = &v; f(v);"),
        ("function<void()> g;\nint f(vector<int> a) { g(); return a[0]; }",
         "vector<int> v(3); g = [&] { v[0]++; }; f(v);"),
        ("vector<int> w;\nint f(vector<int> a) { w[0] = 2; return a[0]; }", "vector<int>& v = w; f(v);"),
        ("int f(vector<int> a) { return a[0]; }", "vector<int> v(3); auto g = f; g(v);"),
        ("int f(vector<int> a) { int* p = &a[0]; *p = 2; return a[0]; }", "vector<int> v(3); f(v);"),
        ("int f(int a) { return a; }", "f(2);"),
        ("int f(vector<int>& a) { return a[0]; }", "vector<int> v(3); f(v);"),
        ("struct A { int f(vector<int> a) { return a[0]; } };", "A a; vector<int> v(2); a.f(v);"),
    ],
)  # fmt: skip
def test_a_parameter_stays_a_copy_where_it_or_the_original_changes(head: str, call: str, compiled_head: Path) -> None:
    source = f"{head}\nint main() {{ {call} }}\n"
    assert changed(source, "reference-parameters", compiled_head) == source


def _loop(loop: str, declared: str = "vector<pair<string, int>> t(3);") -> str:
    return f"int g(string& s) {{ s += 'x'; return 1; }}\nint main() {{ {declared} int n = 0; {loop} cout << n; }}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for (auto p : t) n += p.second;", "for (const auto& p : t) n += p.second;"),
        (
            "for (const auto p : t) n += p.first == to_string(n);",
            "for (const auto& p : t) n += p.first == to_string(n);",
        ),
        ("for (auto p : t) { cout << p.first.size(); }", "for (const auto& p : t) { cout << p.first.size(); }"),
    ],
)
def test_loops_take_large_elements_by_reference(before: str, after: str, compiled_head: Path) -> None:
    assert changed(_loop(before), "reference-elements", compiled_head) == _loop(after)
    words = "map<int, vector<string>> t;"
    assert changed(_loop("for (string p : t[1]) n += p[0];", words), "reference-elements", compiled_head) == _loop(
        "for (const string& p : t[1]) n += p[0];", words
    )


def test_elements_of_a_parameter_are_taken_by_reference_before_it_becomes_one(compiled_head: Path) -> None:
    source = "bool f(vector<string> a) { for (auto s : a) if (s == a[0]) return 1; return 0; }\n"
    source = source.replace("a[0]", '"x"') + "int main() { vector<string> a; return f(a); }\n"
    after = source.replace("(auto s", "(const auto& s").replace("f(vector<string> a", "f(const vector<string>& a")
    assert changed(changed(source, "reference-elements", compiled_head), "reference-parameters", compiled_head) == after


@pytest.mark.parametrize(
    ("loop", "declared"),
    [
        ("for (auto p : t) n += p.second++;", "vector<pair<string, int>> t(3);"),
        ("for (auto p : t) { t[0].second = 4; n += p.second; }", "vector<pair<string, int>> t(3);"),
        ("for (auto p : t) g(p.first);", "vector<pair<string, int>> t(3);"),
        ("for (auto p : t) { p.first = n; }", "vector<pair<string, int>> t(3);"),
        ("for (auto& p : t) n += p.second;", "vector<pair<string, int>> t(3);"),
        ("for (auto p : t) n += p;", "vector<int> t(3);"),
        ("for (auto p : t) { r[0].second++; n += p.second; }", "vector<pair<string, int>> t(3); auto& r = t;"),
        (
            "for (auto p : t) { f(); n += p.second; }",
            "vector<pair<string, int>> t(3); auto f = [&] { t[0].second++; };",
        ),
    ],
)
def test_elements_that_may_change_stay_copies(loop: str, declared: str, compiled_head: Path) -> None:
    assert changed(_loop(loop, declared), "reference-elements", compiled_head) == _loop(loop, declared)


def test_strlen_goes_before_a_loop_that_leaves_the_text(compiled_head: Path) -> None:
    source = 'char s[99], o[99];\nint main() {{ int n; scanf("%d%s", &n, s);\n    {}{} o[i] = toupper(s[i]); }}\n'
    for loop in ("for (int i = 0; i < {}; i++)", "int i = 0;\n    while (i < {} && i < 9)"):
        before = source.format("", loop.format("strlen(s)"))
        named = "const size_t length_of_s = strlen(s);\n    "
        head, _, rest = loop.rpartition("\n    ")
        head = head and f"{head}\n    "
        after = source.format(head + named, rest.format("length_of_s"))
        assert changed(before, "strlen-before-loop", compiled_head) == after


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < strlen(s); i++) s[i] = 'a';",
        "for (int i = 0; i < strlen(s); i++) strcat(s, o);",
        'for (int i = 0; i < strlen(s); i++) scanf("%c", &s[i]);',
        "for (int i = 0; i < strlen(s); i++) own();",
        "for (int i = 0; i < strlen(s); i++) *p = 0;",
        "for (int i = 0; i < strlen(s + i); i++) n++;",
        "if (n) for (int i = 0; i < strlen(s); i++) n++;",
        "do n++; while (n < strlen(s));",
    ],
)
def test_strlen_stays_where_the_text_may_change(loop: str, compiled_head: Path) -> None:
    pointer = " char* p = s;" if "*p" in loop else ""
    source = (
        f"char s[99], o[99];\nvoid own() {{ s[0] = 0; }}\nint main() {{ int n = 0;{pointer} own();\n    {loop} }}\n"
    )
    assert changed(source, "strlen-before-loop", compiled_head) == source


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("vector<int> v; v.push_back(1); v.erase(v.begin());", "deque<int> v; v.push_back(1); v.pop_front();"),
        ("std::vector<int> v(3, 1); v.insert(v.begin(), 2);", "std::deque<int> v(3, 1); v.push_front(2);"),
        ("vector<int> v; v.insert(v.begin(), 1, 2); cout << v[0];", "deque<int> v; v.push_front(2); cout << v[0];"),
        ("string v; v.insert(0, 1, 'c'); cout << v << 1;",
         "deque<char> v; v.push_front('c'); cout << string(v.begin(), v.end()) << 1;"),
        ("string a, v, b; v.insert(v.begin(), 'c'); v.push_back('d'); cout << v.length();",
         "string a, b; deque<char> v; v.push_front('c'); v.push_back('d'); cout << v.size();"),
        ("string v; v.insert(0, 1, 'c'); v.erase(0, 1); v.erase(0, 1);",
         "deque<char> v; v.push_front('c'); (v.empty() ? void() : v.pop_front()); "
         "(v.empty() ? void() : v.pop_front());"),
        ("string v; v.insert(0, 1, '0' + v.length());", "deque<char> v; v.push_front('0' + v.size());"),
    ],
)  # fmt: skip
def test_what_changes_at_its_front_becomes_a_deque(before: str, after: str, compiled_head: Path) -> None:
    source = "int main() {{ {} }}\n"
    changes = changed(source.format(before), "deque-for-vector", compiled_head)
    assert changes.replace(";\ndeque", "; deque") == source.format(after)


@pytest.mark.parametrize(
    "body",
    [
        "vector<int> v; v.push_back(1); v.pop_back();",
        "vector<int> v(3); int* p = &v[0]; v.erase(v.begin()); cout << p;",
        "vector<int> v(3); int* p = &(v[0]); v.erase(v.begin()); cout << p;",
        "vector<int> v(3); int* p = &(v.front()); v.erase(v.begin()); cout << p;",
        "vector<int> v(3); int* p = &((v)[0]); v.erase(v.begin()); cout << p;",
        "vector<int> v(3); int* p = std::addressof(v[0]); v.erase(v.begin()); cout << p;",
        "vector<int> v(3); v.erase(v.begin() + 1);",
        "vector<int> v(3); cout << *v.erase(v.begin());",
        "vector<int> v(3), w; v.erase(v.begin());",
        "vector<int> v(3); v.insert(v.begin(), 2, 5);",
        "vector<int> v(3); v.insert(v.begin(), {1, 2});",
        'string v; v.insert(0, "ab"); cout << v;',
        "string v; v.insert(0, 1, 'c'); v += 'd'; cout << v;",
        "string v, w; v.insert(0, 1, 'c'); w = v; cout << w;",
        "string v = \"x\"; v.insert(0, 1, 'c'); cout << v;",
        "string v; v.insert(0, 1, 'c'); cin >> v;",
        "string v; v.insert(0, 1, 'c'); cout << v[v.size()];",
        "string v; v.insert(0, 1, 'c'); v.insert(0, 1, v[0]);",
    ],
)
def test_what_is_more_than_a_deque_stays(body: str, compiled_head: Path) -> None:
    source = f"int main() {{ {body} }}\n"
    assert changed(source, "deque-for-vector", compiled_head) == source


@pytest.mark.parametrize(
    "uses",
    [
        "m[2]++; cout << m.size() << m.count(3);",
        "if (m.find(2) != m.end()) cout << m.at(2);",
        "if (m.end() == m.find(2)) m.erase(3);",
        "",
    ],
)
def test_a_map_whose_order_does_not_matter_becomes_a_hash_table(uses: str, compiled_head: Path) -> None:
    for kind in ("map<int, string>", "std::map<string, int>"):
        key = "n" if kind.startswith("map") else "to_string(n)"
        rest = uses if key == "n" and "++" not in uses else ""
        source = f"int main() {{ int n = 1; {kind} m; cout << m[{key}]; {rest} }}\n"
        expected = source.replace("map<", "unordered_map<")
        assert changed(source, "unordered-for-map", compiled_head) == expected


@pytest.mark.parametrize(
    "uses",
    [
        "for (auto p : m) cout << p.first;",
        "cout << m.begin()->first;",
        "cout << m.lower_bound(2)->first;",
        "auto it = m.find(2); it++;",
        "m.erase(m.begin());",
        "map<int, int> w = m;",
        "if (m < m) cout << 1;",
        "auto& w = m; cout << w.begin()->first;",
    ],
)
def test_a_map_whose_order_may_matter_stays(uses: str, compiled_head: Path) -> None:
    source = f"int main() {{ map<int, int> m; m[2] = 1; {uses} }}\n"
    assert changed(source, "unordered-for-map", compiled_head) == source
