"""Fixes of C++ sources: what they change, and what they leave alone."""

import pytest

from judge.grading.fixes import FIXES
from judge.grading.reading.rewriting import cpp
from judge.grading.reading.rewriting.__main__ import rewritten

HEAD = "#include <bits/stdc++.h>\nusing namespace std;\n"
UNSYNCED = "    ios::sync_with_stdio(false);\n    cin.tie(nullptr);\n"


def changed(source: str, *codes: str) -> str:
    """The source after these fixes."""
    return rewritten(source.encode(), cpp, codes)[0].decode()


def main(body: str, before: str = "") -> str:
    """A program with this body."""
    return f"{HEAD}{before}int main() {{\n    int n;\n    cin >> n;\n{body}}}\n"


def test_each_fix_of_the_catalogue_has_its_rewriter() -> None:
    assert {fix.code for fix in FIXES["cpp"]} == set(cpp.REWRITERS)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cout << n << endl;", "cout << n << '\\n';"),
        ("cout << n << std::endl << 1;", "cout << n << '\\n' << 1;"),
        ("(cout << n) << endl;", "(cout << n) << '\\n';"),
        ("endl(cout << n), cout << endl;", "endl(cout << n), cout << '\\n';"),
        ("endl(cout);", "cout << '\\n';"),
        ('cout << "endl" << /* << endl */ endl; // << endl', "cout << \"endl\" << /* << endl */ '\\n'; // << endl"),
        ('cout << R"(a << endl)" << endl;', "cout << R\"(a << endl)\" << '\\n';"),
    ],
)
def test_endl_becomes_a_newline(before: str, after: str) -> None:
    source = main(f"    while (n--) {before}\n")
    assert changed(source, "newline-for-endl") == source.replace(before, after)


@pytest.mark.parametrize(
    "macro",
    [
        "#define out(x) cout << (x) << {}",
        "#define nl {}",
        '#define show(x) cout << "endl \\" endl" << (x) << {} // << endl',
        "#define all(x) do {{ cout << (x); \\\n  cout << std::flush << {}; }} while (0)",
    ],
)
def test_endl_in_a_macro_becomes_one_too(macro: str) -> None:
    name = macro.split()[1].partition("(")[0]
    use = f"{name}(n);" if "(" in macro else f"cout << n << {name};"
    source = macro.format("endl") + "\n" + main(f"    while (n--) {use}\n")
    expected = macro.format("'\\n'") + "\n" + main(f"    while (n--) {use}\n")
    assert changed(source, "newline-for-endl") == expected


@pytest.mark.parametrize(
    "source",
    [
        main("    while (n--) cout << n << endl;\n", before="#define endl '\\n'\n"),
        main(
            "    while (n--) cout << n << fast::endl;\n", "namespace fast { ostream& endl(ostream& o) { return o; } }\n"
        ),
        main('    string endl = "\\n";\n    while (n--) cout << n << endl;\n'),
        main("    ostringstream words;\n    while (n--) words << n << endl;\n    cout << words.str();\n"),
        main('    ofstream file("x");\n    while (n--) file << n << endl;\n'),
        main("    while (n--) cout << n << endl, fork();\n"),
        main("    while (n--) cout << n << endl;\n    _exit(0);\n"),
        main('    ios::sync_with_stdio(false);\n    while (n--) { cout << n << endl; printf("x"); }\n'),
        main('    while (n--) { cout << n << endl; write(1, "x", 1); }\n'),
        main("    thread other([] { cout << 1 << endl; });\n    while (n--) cout << n << endl;\n"),
        main("    while (n--) cerr << n << endl;\n"),
        main("", before="[[maybe_unused]] static void unused() { for (;;) cout << 1 << endl; }\n"),
    ],
)
def test_endl_stays_where_it_is_another_or_where_its_flush_matters(source: str) -> None:
    assert changed(source, "newline-for-endl") == source


def test_endl_of_a_stream_that_is_synced_becomes_a_newline_beside_printf() -> None:
    source = main('    while (n--) { cout << n << endl; printf("x"); }\n')
    assert changed(source, "newline-for-endl") == source.replace("endl", "'\\n'")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    while (n--) cout << n << '\\n' << flush;\n", "    while (n--) cout << n << '\\n';\n"),
        ("    while (n--) { cout << n; cout.flush(); }\n", "    while (n--) { cout << n; }\n"),
        (
            "    while (n--) {\n        cout << n;\n        cout << flush;\n    }\n",
            "    while (n--) {\n        cout << n;\n    }\n",
        ),
        ("    while (n--) if (n % 2) cout << flush;\n", "    while (n--) if (n % 2) ;\n"),
        ('    while (n--) printf("%d", n), fflush(stdout);\n', '    while (n--) printf("%d", n), 0;\n'),
        ('    while (n--) {\n        puts("");\n        fflush(NULL);  // now\n    }\n', None),
        (
            "    while (n--) { cout << n; std::cout.flush(); cerr.flush(); }\n",
            "    while (n--) { cout << n; cerr.flush(); }\n",
        ),
    ],
)
def test_flushes_are_left_out(before: str, after: str | None) -> None:
    expected = before.replace("fflush(NULL);", "") if after is None else after
    assert changed(main(before), "no-flush").split() == main(expected).split()


@pytest.mark.parametrize(
    "statement", ["fflush(stderr);", "fflush(file);", "own.flush();", "flush();", 'puts("cout.flush()");']
)
def test_other_flushes_stay(statement: str) -> None:
    source = main(
        f"    while (n--) {{ cout << n; {statement} }}\n", before="FILE* file; struct { void flush() {} } own;\n"
    )
    assert changed(source, "no-flush") == source


def test_what_takes_the_buffer_away_is_left_out() -> None:
    source = main(
        "    setvbuf(stdout, nullptr, _IONBF, 0);\n    setbuf(stdin, 0);\n    setvbuf(stdout, buffer, _IOFBF, 99);\n"
        "    cout << unitbuf;\n    cout << 1 << std::unitbuf << 2;\n    while (n--) cout << n;\n"
    )
    expected = main("    setvbuf(stdout, buffer, _IOFBF, 99);\n    cout << 1 << 2;\n    while (n--) cout << n;\n")
    assert changed(source, "keep-buffer") == expected


def test_streams_are_unsynced_at_the_start_of_main() -> None:
    source = main("    while (n--) cout << n;\n")
    assert changed(source, "unsync") == source.replace("main() {\n", "main() {\n" + UNSYNCED)


def test_streams_are_unsynced_in_a_main_of_one_line_without_using_namespace() -> None:
    source = "#include <iostream>\nint main() { int n; std::cin >> n; std::cout << n; }\n"
    inserted = "{ std::ios::sync_with_stdio(false); std::cin.tie(nullptr); int n;"
    assert changed(source, "unsync") == source.replace("{ int n;", inserted)


def test_only_what_is_missing_is_added_and_lines_end_as_before() -> None:
    source = main("    ios_base::sync_with_stdio(0);\n    while (n--) cout << n;\n").replace("\n", "\r\n")
    assert changed(source, "unsync") == source.replace("main() {\r\n", "main() {\r\n    cin.tie(nullptr);\r\n")
    both = source.replace("n--", "cin.tie(0), n--")
    assert changed(both, "unsync") == both


def test_a_file_in_the_place_of_stdin_and_error_output_by_stdio_do_not_matter() -> None:
    source = main('    freopen("in.txt", "r", stdin);\n    fprintf(stderr, "x");\n    while (n--) cout << n;\n')
    assert UNSYNCED in changed(source, "unsync")
    printed = main('    while (n--) printf("%d", n);\n')  # the input alone is cin's
    assert UNSYNCED in changed(printed, "unsync")


@pytest.mark.parametrize(
    "source",
    [
        main('    while (n--) { cout << n; printf("x"); }\n'),
        main('    int m;\n    scanf("%d", &m);\n    cout << m;\n'),
        main("    while (n--) { cout << n; putchar('x'); }\n"),
        main("    cout << show(n);\n", before='#define show(x) printf("%d", x)\n'),
        main('    while (n--) { cout << n; fputs("x", stdout); }\n'),
        main('    while (n--) { cout << n; write(1, "x", 1); }\n'),
        main("    cout.rdbuf(nullptr);\n    cout << n;\n"),
        "struct Reader { Reader& operator>>(int& n); };\nReader cin;\nint main() { int n; cin >> n; }\n",
        "#include <iostream>\nvoid solve() { int n; std::cin >> n; }\n",
        '#include <cstdio>\nint main() { int n; scanf("%d", &n); }\n',
    ],
)
def test_streams_that_are_shared_with_stdio_stay_synced(source: str) -> None:
    assert changed(source, "unsync") == source


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('    while (n--) {\n        cerr << "n=" << n << endl;\n    }\n', "    while (n--) {\n    }\n"),
        ("    while (n--) if (n) cerr << n;\n", "    while (n--) if (n) ;\n"),
        ('    while (n--) { fprintf(stderr, "%d", n + 1); cout << n; }\n', "    while (n--) { cout << n; }\n"),
        ("    while (n--) { clog << v.size() << s.c_str() << a[n]; }\n", "    while (n--) { }\n"),
    ],
)
def test_debugging_output_is_left_out(before: str, after: str) -> None:
    assert changed(main(before), "no-debugging") == main(after)


@pytest.mark.parametrize(
    "statement",
    [
        "cerr << n++;",
        "cerr << next();",
        "cerr << (n = 3);",
        "n = (cerr << 1, 2);",
        "cerr << counts[n];",
        'fprintf(stderr, "%d", n--);',
        "if (cerr << n) n--;",
    ],
)
def test_debugging_output_that_does_more_stays_and_can_be_silenced(statement: str) -> None:
    source = main(f"    while (n--) {{ {statement} }}\n", before="map<int, int> counts;\nint next();\n")
    assert changed(source, "no-debugging") == source
    silenced = "setvbuf(stderr" if "stderr" in statement else "std::cerr.setstate(std::ios::failbit);"
    assert silenced in changed(source, "quiet-stderr")


def test_a_debugging_macro_is_emptied_unless_a_use_does_something() -> None:
    macro = "#define DEBUG(...) fprintf(stderr, __VA_ARGS__)\n"
    quiet = macro + main('    while (n--) DEBUG("%d", n);\n')
    assert changed(quiet, "no-debugging") == quiet.replace("fprintf(stderr, __VA_ARGS__)", "((void)0)")
    busy = macro + main('    while (n--) DEBUG("%d", n--);\n')
    assert changed(busy, "no-debugging") == busy


def test_system_calls_become_buffered_ones_where_nothing_else_uses_the_stream() -> None:
    source = "#include <unistd.h>\nint main() { char c; while (read(0, &c, 1) == 1) write(STDOUT_FILENO, &c, 1); }\n"
    expected = "#include <cstdio>\n" + source.replace("read(0, &c, 1)", "(ssize_t)fread(&c, 1, 1, stdin)").replace(
        "write(STDOUT_FILENO, &c, 1)", "(ssize_t)fwrite(&c, 1, 1, stdout)"
    )
    assert changed(source, "buffered-calls") == expected
    shared = main('    while (n--) { write(1, "x", 1); cout << n; }\n')
    assert changed(shared, "buffered-calls") == shared
    file = "#include <unistd.h>\nint main() { char c; write(3, &c, 1); own.write(1, 2, 3); }\n"
    assert changed(file, "buffered-calls") == file


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("s = s + 'x';", "s += 'x';"),
        ('s = s + a + "b";', 's += a;\n        s += "b";'),
        ("s = s + f(s);", "s += f(s);"),
        ("s = s + a + s;", "s = s + a + s;"),
        ("s = a + s;", "s = a + s;"),
        ("n = n + 1;", "n = n + 1;"),
        ("t = (s = s + a);", "t = (s = s + a);"),
    ],
)
def test_a_string_grows_in_place(before: str, after: str) -> None:
    source = main(f"    string s, a, t;\n    while (n--) {{\n        {before}\n    }}\n")
    assert changed(source, "append-in-place") == source.replace(before, after)


def test_a_source_that_is_no_program_stays() -> None:
    for source in ("", "}}}} cout << end", "int main( {", "#define endl", "\\" * 1000, "(" * 20_000):
        for code in cpp.REWRITERS:
            assert changed(source, code) == source


def test_a_statement_beside_errors_is_changed() -> None:
    assert changed("}}}} cout << endl", "newline-for-endl") == "}}}} cout << '\\n'"
