"""Samples stand where the statement wants them; constants and references are what they stand for."""

import re

import pytest

from problems.package import PackageError
from problems.statement.statement import RenderedStatement, Surroundings, render_source

AROUND = Surroundings(
    samples=("1", "2-b_c", "sub/3"), constants={"MAX": "1000", "MAX.tex": "10^3", "BAD": "<script>x</script>"}
)


def render(source: str, form: str = "markdown", language: str = "en") -> RenderedStatement:
    return render_source(source, form=form, language=language, name="problem", around=AROUND)


def outline(html: str) -> list[str]:
    """The samples' comments and the paragraphs, in order."""
    return [re.sub(r"</?p>", "", piece) for piece in re.findall(r"<!--.*?-->|<p>[^<]*</p>", html)]


@pytest.mark.parametrize(
    ("form", "source"),
    [
        ("markdown", "A\n\n{{nextsample}}\n\nB\n\n{{ remainingsamples }}\n\nC"),
        ("markdown", "A\n{{nextsample}}\nB\n{{remainingsamples}}\nC"),
        ("latex", "A\n\n\\nextsample\n\nB\n\n\\remainingsamples\n\nC"),
        ("latex", "A\n\\nextsample{}\nB \\remainingsamples{} C"),
        ("latex", "A\n\\includesample{1}\nB\\remainingsamples{} C"),
    ],
)
def test_samples_are_where_the_statement_wants_them(form: str, source: str) -> None:
    rendered = render(source, form)
    assert outline(rendered.html) == ["A", "<!--samples 0-->", "B", "<!--samples 1 2-->", "C"]
    assert rendered.warnings == ()


def test_sample_can_be_named_in_any_order_and_next_takes_those_left() -> None:
    html = render("\\includesample{sub/3} A \\includesample{2-b_c}\\nextsample \\remainingsamples", "latex").html
    assert re.findall(r"<!--samples (.*?)-->", html) == ["2", "1", "0"]


@pytest.mark.parametrize(
    ("form", "source", "why"),
    [
        ("markdown", "{{nextsample}}\n" * 4, "asks for one more sample than there are"),
        ("latex", "\\remainingsamples\\nextsample", "asks for one more sample than there are"),
        ("latex", "\\includesample{7}", "there is no sample '7' to be shown"),
    ],
)
def test_sample_that_is_not_there_is_a_warning(form: str, source: str, why: str) -> None:
    assert render(source, form).warnings == (f"problem: {why}",)


def test_commands_in_code_are_shown_as_they_are() -> None:
    html = render("Write `{{nextsample}}`:\n\n```\na\n{{remainingsamples}}\n```\n").html
    assert "<code>{{nextsample}}</code>" in html
    assert "{{remainingsamples}}" in html
    assert "<!--" not in html
    html = render("\\begin{verbatim}\n\\nextsample x\n\\includesample{2-b_c}\n\\end{verbatim}", "latex").html
    assert "\\nextsample" in html
    assert "\\includesample{2-b_c}" in html
    assert "<!--" not in html


@pytest.mark.parametrize(
    "forged",
    ["<!--samples 0 1 2-->", "&lt;!--samples 0--&gt;", "TallySampleHerenamed9999.", "`TallySampleHerenamed9999.`"],
)
def test_statement_cannot_write_the_comments_itself(forged: str) -> None:
    html = render(f"A {forged} B").html
    assert "<!--" not in html
    assert "A" in html
    assert "B" in html


def test_statement_that_defines_the_commands_for_other_tools_is_read() -> None:
    source = (
        "\\providecommand{\\nextsample}{}\\newcommand{\\includesample}[1]{}\\def\\remainingsamples{}Text \\nextsample"
    )
    assert outline(render(source, "latex").html) == ["Text", "<!--samples 0-->"]


# --- constants


def test_constants_stand_for_their_values() -> None:
    html = render("At most {{MAX}}, $n \\le {{MAX.tex}}$, `{{MAX}}`").html
    assert "At most 1000" in html
    assert "<msup><mn>10</mn><mn>3</mn></msup>" in html
    assert "<code>1000</code>" in html
    html = render("At most {{MAX}} or \\constant{MAX.tex}, $\\constant{MAX}^{{n}}$", "latex").html
    assert "At most 1000 or 10^3" in html
    assert "<msup><mn>1000</mn><mi>n</mi></msup>" in html


def test_unknown_constant_stays_and_is_a_warning() -> None:
    rendered = render("At most {{MIN}}")
    assert "{{MIN}}" in rendered.html
    assert rendered.warnings == ("problem: MIN is no constant of problem.yaml",)
    assert "problem: MIN is no constant of problem.yaml" in render("\\constant{MIN}", "latex").warnings


def test_constant_can_be_as_hostile_as_a_statement() -> None:
    assert "script" not in render("{{BAD}} text").html


def test_constants_that_make_a_statement_too_long_are_the_packages_fault() -> None:
    around = Surroundings(constants={"K": "x" * 1_000})
    with pytest.raises(PackageError, match="too long with its constants in place"):
        render_source("{{K}}" * 3_000, form="markdown", language="en", name="problem", around=around)


# --- what LaTeX statements have besides


def test_references_are_numbers_that_lead_somewhere() -> None:
    rendered = render(
        "Figure~\\ref{fig:a}, table~\\ref{tab:b}, \\eqref{eq:one}, line \\ref{eq:two}.\n\n"
        "\\begin{figure}\\caption{A}\\label{fig:a}\\end{figure}\n"
        "\\begin{table}\\begin{tabular}{l}x\\\\y\\end{tabular}\\caption{B}\\label{tab:b}\\end{table}\n"
        "\\begin{equation}\\label{eq:one} x = 1\\end{equation}\n"
        "\\begin{align} y &= 2 \\\\ z &= 3 \\label{eq:two} \\end{align}",
        "latex",
    )
    links = re.findall(r'<a href="#(statement-[\w:]+)"[^>]*>([^<]*)</a>', rendered.html)
    assert links == [
        ("statement-fig:a", "1"),
        ("statement-tab:b", "1"),
        ("statement-eq:one", "(1)"),
        ("statement-eq:two", "2"),
    ]
    assert all(f'id="{target}"' in rendered.html for target, _ in links)
    assert rendered.html.index("<mi>z</mi>") < rendered.html.index("<mn>2</mn><mo stretchy")
    assert rendered.warnings == ()


def test_reference_to_nothing_is_a_warning() -> None:
    assert render("See \\ref{nowhere}.", "latex").warnings == (
        "problem: refers to 'nowhere', which no label is called",
    )


@pytest.mark.parametrize("environment", ["eqnarray*", "align*", "eqnarray", "gather*", "multline*"])
def test_formulas_of_several_lines_are_mathml(environment: str) -> None:
    html = render(f"\\begin{{{environment}}}a &=& b\\\\c &=& d\\end{{{environment}}}", "latex").html
    assert html.count("<mtr>") == 2


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ["Input", "Output", "Interaction"]), ("de", ["Eingabe", "Ausgabe", "Interaktion"]), ("xx", ["Input"])],
)
def test_sections_of_the_format_are_called_as_in_the_statements_language(language: str, words: list[str]) -> None:
    source = "".join(f"\\begin{{{name}}}\nText\n\\end{{{name}}}\n" for name in ("Input", "Output", "Interaction"))
    headings = re.findall(r"<h2[^>]*>(\w+)</h2>", render(source, "latex", language).html)
    assert headings[: len(words)] == words


def test_what_stands_in_boxes_and_columns_is_kept() -> None:
    source = "\\fbox{one} \\makebox[3cm]{two} \\raisebox{1mm}{three} \\begin{multicols}{2}four\\end{multicols}"
    rendered = render(source, "latex")
    assert [word for word in ("one", "two", "three", "four") if word not in rendered.html] == []
    assert rendered.warnings == ()


def test_many_open_environments_take_no_long_time() -> None:
    source = "\\begin{equation}\\label{a}" * 15_000 + "\\includesample{" * 5_000 + "%" * 60_000
    with pytest.raises(PackageError):
        render(source, "latex")


def test_footnotes_work() -> None:
    html = render("A[^1] B[^2]\n\n[^1]: [link](https://example.org/)\n\n[^2]: two\n").html
    assert '<section id="statement-footnotes">' in html
    assert html.count('href="#statement-fnref') == 2
    html = render("A\\footnote{one}", "latex").html
    assert '<li id="statement-fn1"><p>one' in html
