"""TikZ pictures are taken out of a LaTeX statement, each with what the statement defines for it."""

from problems.statement.latex import MOST_TIKZ, with_tikz_taken_out
from problems.statement.pictures import Beside, tells_of_missing_pictures
from problems.statement.statement import Surroundings, render_source

PICTURE = "\\begin{tikzpicture}[scale=2]\n\\draw (0,0) -- (1,1);\n\\end{tikzpicture}"


def test_picture_gets_a_document_with_what_was_defined_before_it() -> None:
    source = (
        "\\usetikzlibrary{arrows, shapes}\n"
        "\\tikzset{big/.style={draw, circle {}}, x=1}\\definecolor{a}{RGB}{1,2,3} % \\newcommand{\\no}{no}\n"
        "\\newcommand{\\side}[1][2]{\\texttt{#1}} \\newcommand\\top{1} \\def\\low#1{a#1} \\newcommandx{\\not}{not}\n"
        f"Text {PICTURE} more \\tikzset{{late/.style=draw}}"
    )
    rest, documents = with_tikz_taken_out(source)
    [(name, document)] = documents.items()
    for line in (
        "\\usetikzlibrary{arrows, shapes}",
        "\\tikzset{big/.style={draw, circle {}}, x=1}",
        "\\definecolor{a}{RGB}{1,2,3}",
        "\\newcommand{\\side}[1][2]{\\texttt{#1}}",
        "\\newcommand\\top{1}",
        "\\def\\low#1{a#1}",
        PICTURE,
    ):
        assert line in document
    assert "late" not in document
    assert "\\no}" not in document
    assert "\\not" not in document
    assert f"Text \\includegraphics{{{name}}}%\n%\n more" in rest
    assert rest.count("\n") == source.count("\n")


def test_inner_pictures_stay_in_the_outer_one_and_equal_ones_are_drawn_once() -> None:
    inner = PICTURE.replace("(1,1)", f"(1,1) node {{{PICTURE}}}")
    rest, documents = with_tikz_taken_out(f"{inner}\n{PICTURE}\n{PICTURE}\\end{{tikzpicture}}")
    assert rest.count("\\includegraphics") == 3
    assert len(documents) == 2
    assert with_tikz_taken_out("\\begin{tikzpicture} never ended") == ("\\begin{tikzpicture} never ended", {})


def test_axes_ask_for_pgfplots() -> None:
    _, documents = with_tikz_taken_out(PICTURE.replace("\\draw", "\\begin{axis}\\end{axis}\\draw"))
    assert "{pgfplots}" in next(iter(documents.values()))


def test_there_are_not_more_documents_than_a_page_needs() -> None:
    source = "".join(PICTURE.replace("1", str(number)) for number in range(MOST_TIKZ + 5))
    rest, documents = with_tikz_taken_out(source)
    assert len(documents) == MOST_TIKZ
    assert rest.count("\\begin{tikzpicture}") == 5


def test_source_that_never_closes_its_braces_is_looked_through_quickly() -> None:
    source = "\\newcommand{" * 40_000 + "\\begin{tikzpicture}\\end{tikzpicture}" * 2_000
    _, documents = with_tikz_taken_out(source)
    assert len(documents) == 1


def test_drawn_picture_is_shown_and_a_missing_one_told() -> None:
    def rendered(**beside: object) -> tuple[str, tuple[str, ...]]:
        around = Surroundings(beside=Beside(**beside))  # type: ignore[arg-type]
        page = render_source(f"Before {PICTURE} after.", form="latex", language="en", name="problem", around=around)
        return page.html, page.warnings

    [name] = with_tikz_taken_out(PICTURE)[1]
    html, warnings = rendered(pictures={f"{name}.svg": f"statement/{name}.svg"})
    assert f'Before <img src="files/statement/{name}.svg" alt="Picture"> after.' in html
    assert warnings == ()
    html, [warning] = rendered()
    assert "<p>Before  after.</p>" in html
    assert warning == ("problem: 1 TikZ picture is missing from the page: Tally draws it when it reads the package")
    assert tells_of_missing_pictures(warning)
