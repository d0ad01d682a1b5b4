"""Statements as pages: mathematics, the package format's own commands, and nothing hostile."""

import itertools
import re
from pathlib import Path

import pytest

from problems.diagnostics import Report
from problems.package import PackageError, Statement
from problems.statement.sanitising import sanitise
from problems.statement.statement import RenderedStatement, render_source, render_statement
from problems.statement.statement_files import MOST_LANGUAGES, find_statements, name_in_statement, plain_text
from tests.problems.statement.hostile_markup import PIECES

FORMATS = {"md": "markdown", "tex": "latex"}


def render(tmp_path: Path, kind: str, source: str) -> RenderedStatement:
    path = tmp_path / f"problem.en.{kind}"
    path.write_text(source)
    return render_statement(Statement(language="en", path=path, format=FORMATS[kind]))


def test_markdown_has_mathml_tables_and_code(tmp_path: Path) -> None:
    rendered = render(
        tmp_path,
        "md",
        "Given $1 \\le n \\le 10^9$.\n\n## Input\n\n$$\\sum_{i=1}^n a_i$$\n\n| a | b |\n|---|--:|\n| 1 | `x` |\n",
    )
    assert '<math display="inline">' in rendered.html
    assert "<msup><mn>10</mn><mn>9</mn></msup>" in rendered.html
    assert '<math display="block">' in rendered.html
    assert "<munderover>" in rendered.html
    assert '<h2 id="statement-input">Input</h2>' in rendered.html
    assert '<td align="right"><code>x</code></td>' in rendered.html
    assert "annotation" not in rendered.html
    assert rendered.warnings == ()


def test_title_in_markdown_does_not_become_a_second_page_title(tmp_path: Path) -> None:
    html = render(tmp_path, "md", "# Title\n\n## Input\n").html
    assert "<h1" not in html
    assert ">Title</h2>" in html
    assert ">Input</h3>" in html


def test_latex_has_the_commands_of_the_package_format(tmp_path: Path) -> None:
    rendered = render(
        tmp_path,
        "tex",
        "\\problemname{Sums}\nAdd $a_1$ to \\emph{it}.\n\\begin{Input}\nOne line.\n\\end{Input}\n"
        "\\begin{Output}\nThe ``sum''.\n\\end{Output}\n\\section*{Notes}\nNone\\vspace{1cm}.\n",
    )
    assert "Sums" not in rendered.html
    assert "<msub><mi>a</mi><mn>1</mn></msub>" in rendered.html
    assert re.findall(r"<h2[^>]*>(\w+)</h2>", rendered.html) == ["Input", "Output", "Notes"]
    assert "“sum”" in rendered.html
    assert rendered.warnings == ()


def test_latex_macros_of_the_statement_are_expanded(tmp_path: Path) -> None:
    html = render(tmp_path, "tex", "\\newcommand{\\most}{100\\,000}\nAt most $\\most$ or \\most.").html
    assert "\\most" not in html
    assert html.count("100") == 2


def test_what_cannot_be_rendered_is_a_warning_with_its_line(tmp_path: Path) -> None:
    warnings = render(tmp_path, "tex", "One\n\n\\frobnicate{x} $\\frobnicate$\n").warnings
    assert warnings[0] == "problem.en.tex: Skipped '\\frobnicate{x}' at line 3 column 15"
    assert warnings[1] == (
        "problem.en.tex: the formula \\frobnicate in line 3 cannot be converted (unexpected control sequence "
        "\\frobnicate): the page shows its source"
    )


def test_other_files_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("the canary")
    rendered = render(
        tmp_path, "tex", f"Text \\input{{secret}} \\input{{{tmp_path}/secret.tex}} \\include{{/etc/passwd}}"
    )
    assert "canary" not in rendered.html
    assert "root:" not in rendered.html
    assert any("Could not load include file" in warning for warning in rendered.warnings)


@pytest.mark.parametrize("kind", ["md", "tex"])
@pytest.mark.parametrize("hostile", PIECES.values(), ids=PIECES)
def test_hostile_markup_is_dropped(tmp_path: Path, kind: str, hostile: str) -> None:
    if kind == "tex":
        hostile = hostile.replace("#", "\\#").replace("&", "\\&")
    html = render(tmp_path, kind, f"before\n\n{hostile}\n").html
    assert "before" in html
    tags = re.findall(r"<[^>]*>", html)
    shown = " ".join(tags)
    assert not re.search(r"<(script|style|img|iframe|object|embed|svg|form|input|button|base|meta|link)", shown)
    assert not re.search(r"<(video|audio|source|picture|maction|annotation)", shown)
    assert not re.search(r"[\s\"'](on\w+|hx-[\w-]+|data-[\w:-]+|style|class|name|src|srcset|xlink:href)\s*=", shown)
    assert all(
        re.fullmatch(r"(https?://|mailto:|#statement-).*", link) for link in re.findall(r'href="([^"]*)"', shown)
    )
    assert all(name.startswith("statement-") for name in re.findall(r' id="([^"]*)"', shown))
    assert "ran=1" not in shown
    assert html == sanitise(html, lambda source: None), "a browser reads it as it was meant"


def test_good_links_stay_and_tell_nothing_to_their_target(tmp_path: Path) -> None:
    html = render(tmp_path, "md", "[a](https://example.org/x) [m](mailto:a@example.org) note[^1]\n\n[^1]: here\n").html
    assert '<a href="https://example.org/x" rel="noopener noreferrer">' in html
    assert 'href="mailto:a@example.org"' in html
    assert 'href="#statement-fn1" id="statement-fnref1"' in html
    assert '<li id="statement-fn1">' in html


def macro_bomb() -> str:
    macros = [f"\\{letter}" for letter in "abcdefghijkl"]
    steps = [f"\\newcommand{{{new}}}{{{old * 10}}}" for old, new in itertools.pairwise(macros)]
    return "\\newcommand{\\a}{xxxxxxxxxx}" + "".join(steps) + macros[-1]


def test_macro_bomb_ends_as_the_packages_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("problems.statement.pandoc._HEAP", "-M64m")
    monkeypatch.setattr("problems.statement.pandoc._CPU_S", 4)
    with pytest.raises(PackageError, match="takes too much time or memory"):
        render(tmp_path, "tex", macro_bomb())


def test_time_out_ends_as_the_packages_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("problems.statement.pandoc._WALL_S", 0.2)
    with pytest.raises(PackageError, match=r"could not be turned into a page within"):
        render(tmp_path, "tex", macro_bomb())


def test_page_without_end_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("problems.statement.pandoc._HTML_BYTES", 1_000)
    with pytest.raises(PackageError, match="takes too much time or memory"):
        render(tmp_path, "md", "word " * 1_000)


@pytest.mark.parametrize(("source", "why"), [("x" * 600_000, "more than 512 KiB"), ("\\begin{itemize}", "line 2")])
def test_unreadable_statement_is_the_packages_fault(tmp_path: Path, source: str, why: str) -> None:
    with pytest.raises(PackageError, match=why) as caught:
        render(tmp_path, "tex", source)
    assert caught.value.file == "problem.en.tex"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (
            "One\n\n\\begin{itemize}\n\\item a\n",
            "line 5: unexpected end of input, expecting \\end{itemize}; \\begin{itemize} in line 3 is not closed",
        ),
        (
            "\\begin{itemize}\n\\item a\n\\end{enumerate}\nx",
            "line 5: unexpected end of input, expecting \\end{itemize}; \\end{enumerate} in line 3 does not close "
            "\\begin{itemize} in line 1",
        ),
        ("One\n\n\\textbf{a % }\n\nmore\n", "line 5: { in line 3 is not closed"),
        ("a } \\} b\n", "line 1: unexpected }, expecting end of input; } in line 1 closes nothing"),
        ("$a$ \\$ $$b$$\nthe $\\frac{a}{b}\n\n$c$", "line 5: unexpected end of input; $ in line 2 is not closed"),
        ("\\end{center}", "line 1: unexpected \\end, expecting end of input; \\end{center} in line 1 closes nothing"),
        (
            "\\begin{verbatim}\n$ { \\begin{x}\n\\end{verbatim}\n\\begin{verbatim}\n}",
            "line 6: unexpected end of input, expecting \\end{verbatim}; \\begin{verbatim} in line 4 is not closed",
        ),
        (
            "\\newcommand{\\be}{\\begin{equation}}\n\\begin{center}\nx",
            "line 4: unexpected end of input, expecting \\end{center}",  # whoever defines such a command may use it
        ),
    ],
)
def test_latex_that_cannot_be_read_is_told_with_line_and_reason(tmp_path: Path, source: str, why: str) -> None:
    with pytest.raises(PackageError) as caught:
        render(tmp_path, "tex", source)
    assert str(caught.value) == f"problem.en.tex: cannot be read in {why}"


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("$\\frob$ twice\n\n$x$ $\\frobs$", "\\frob in line 1"),
        ("\\frobnicate\n\n\\[\n\\frobnicate\n\\]", "\\frobnicate in line 4"),
        ("\\newcommand{\\a}{\\frob}\n\n$\\a b$", "\\frob  b"),  # a macro's: it stands nowhere
    ],
)
def test_a_formula_that_cannot_be_converted_has_its_line(tmp_path: Path, source: str, where: str) -> None:
    warnings = render(tmp_path, "tex", source).warnings
    assert any(f"the formula {' '.join(where.split())} cannot be converted (unexpected" in why for why in warnings)


def test_a_formula_of_markdown_has_its_line(tmp_path: Path) -> None:
    (warning,) = render(tmp_path, "md", "{{nextsample}}\n\nThe $\\frob$.\n").warnings[:1]
    assert "the formula \\frob in line 3 cannot be converted (unexpected control sequence" in warning


def test_invalid_utf8_is_the_packages_fault(tmp_path: Path) -> None:
    path = tmp_path / "problem.en.md"
    path.write_bytes(b"caf\xe9")
    with pytest.raises(PackageError, match="is not UTF-8 text"):
        render_statement(Statement(language="en", path=path, format="markdown"))


# --- which statements there are, and the name inside


def test_english_comes_first_and_markdown_wins(tmp_path: Path) -> None:
    files = ["problem.de.tex", "problem.en.tex", "problem.en.md", "problem.pt-BR.md", "problem.zh.pdf", "notes.en.md"]
    found = find_statements({f"statement/{name}": tmp_path / name for name in files}, Report())
    assert [(s.language, s.path.name) for s in found] == [
        ("en", "problem.en.md"),
        ("de", "problem.de.tex"),
        ("pt-BR", "problem.pt-BR.md"),
        ("zh", "problem.zh.pdf"),
    ]


def test_statement_without_language_is_english(tmp_path: Path) -> None:
    found = find_statements({"problem_statement/problem.tex": tmp_path / "problem.tex"}, Report())
    assert [(s.language, s.format) for s in found] == [("en", "latex")]


def test_lack_of_a_statement_is_a_warning(tmp_path: Path) -> None:
    report = Report()
    assert find_statements({"statement/notes.md": tmp_path / "x"}, report) == ()
    assert len(report.warnings) == 1
    assert "has no statement" in report.warnings[0]


def test_statements_in_ever_more_languages_are_refused(tmp_path: Path) -> None:
    report = Report()
    names = itertools.islice(itertools.product("abcdefghij", repeat=2), MOST_LANGUAGES + 1)
    find_statements({f"statement/problem.{''.join(name)}.md": tmp_path / "x" for name in names}, report)
    assert [error.why for error in report.errors] == [f"has statements in more than {MOST_LANGUAGES} languages"]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("\\problemname{A plus B}\n", "A plus B"),
        ("% \\problemname{Old}\n\\problemname {New \\emph{and} {good}}", "New and good"),
        ("%% plainproblemname: x^2 + y\n\\problemname{$x^2 + y$}", "x^2 + y"),
        ("\\problemname{Fish \\& Chips~--- 100\\%}", "Fish & Chips \u2014 100%"),
        ("\\problemname{never closed", ""),
        ("no name", ""),
    ],
)
def test_name_is_taken_from_the_statement(tmp_path: Path, source: str, name: str) -> None:
    path = tmp_path / "problem.en.tex"
    path.write_text(source)
    assert name_in_statement(Statement(language="en", path=path, format="latex")) == name


def test_plain_text_keeps_escaped_braces() -> None:
    assert plain_text("\\{a\\} {b} $c$ ``d''") == "{a} b c \u201cd\u201d"


@pytest.mark.parametrize("line", [r"\cline{1-2}", r"\cmidrule{1-2}", r"\cmidrule(lr){1-2}", r"\hhline{|=|~|=|}", ""])
def test_lines_within_a_table_leave_no_text(line: str) -> None:
    source = (
        rf"\begin{{tabular}}{{|l|c|r|}} \hline a & b & c \\ {line}"
        "\n"
        rf"\multicolumn{{2}}{{|c|}}{{wide}} & d \\ {line} e & \multicolumn{{2}}{{p{{3cm}}}}{{\emph{{so}} \& so}} \\ "
        r"\hline \end{tabular}"
    )
    rendered = render_source(source, form="latex", language="en", name="problem")
    cells = re.findall(r'<t[dh]((?: colspan="2")?)[^>]*>(.*?)</t[dh]>', rendered.html)
    wide = ' colspan="2"'
    assert cells == [
        ("", "a"),
        ("", "b"),
        ("", "c"),
        (wide, "wide"),
        ("", "d"),
        ("", "e"),
        (wide, "<em>so</em> &amp; so"),
    ]
    assert rendered.warnings == ()


@pytest.mark.parametrize(
    "space", [r"\;", r"\:", r"\,", r"\ ", "~", r"\quad ", r"\qquad ", r"\enspace ", r"\enskip ", r"\thinspace "]
)
def test_spaces_of_latex_stay_in_text_and_in_formulas(space: str) -> None:
    rendered = render_source(f"circle{space}a $x{space}y$", form="latex", language="en", name="problem")
    assert re.search(r"circle(?:\s|&nbsp;)+a ", rendered.html)
    assert re.search(r"<mi>x</mi>(?:<mspace[^>]*></mspace>|<mtext>[^<]*</mtext>)+<mi>y</mi>", rendered.html)
    assert rendered.warnings == ()


def test_negative_space_joins_without_a_warning() -> None:
    rendered = render_source(r"f\!g $x\!y$", form="latex", language="en", name="problem")
    assert ("<p>fg " in rendered.html, "-0.167em" in rendered.html, rendered.warnings) == (True, True, ())
