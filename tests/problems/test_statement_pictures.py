"""Pictures in statements: those beside it are shown, with words for who cannot see them; none from elsewhere."""

import re

import pytest

from problems.statement.statement import RenderedStatement, Surroundings, render_source

AROUND = Surroundings(
    pictures={
        name: f"statement/{name}"
        for name in ("cave.png", "my cave.jpg", "plan.svg", "figures/graph.webp", "drawing.svg", "50%.png")
    }
)


def render(source: str, form: str = "markdown") -> RenderedStatement:
    return render_source(source, form=form, language="en", name="problem", around=AROUND)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("Text ![a *cave*](cave.png)", '<img src="files/statement/cave.png" alt="a cave">'),
        ("Text ![](./cave.png)", '<img src="files/statement/cave.png" alt="">'),
        ("Text ![x](my%20cave.jpg)", '<img src="files/statement/my%20cave.jpg" alt="x">'),
        ("Text ![x](<my cave.jpg>)", '<img src="files/statement/my%20cave.jpg" alt="x">'),
        ("Text ![x](figures/graph.webp)", '<img src="files/statement/figures/graph.webp" alt="x">'),
        ("Text ![x](50%25.png)", '<img src="files/statement/50%25.png" alt="x">'),
        ("Text ![x](cave.png){width=40%}", '<img src="files/statement/cave.png" width="40%" alt="x">'),
        ("Text ![x](cave.png){height=2in}", '<img src="files/statement/cave.png" height="192" alt="x">'),
        ("Text <img src=cave.png alt='a > \"b\"' width=80 title=t style=x class=y>", None),
        ("Text ![&lt;b&gt;](cave.png)", '<img src="files/statement/cave.png" alt="&lt;b&gt;">'),
    ],
)
def test_markdown_shows_what_lies_beside_it(source: str, shown: str | None) -> None:
    rendered = render(source)
    assert rendered.warnings == ()
    expected = shown or '<img src="files/statement/cave.png" alt="a &gt; &quot;b&quot;" width="80">'
    assert re.findall(r'<img(?: \w+="[^"]*")*>', rendered.html) == [expected]


def test_picture_alone_on_its_line_has_its_words_as_caption() -> None:
    html = render("![A *deep* cave](cave.png)").html
    assert "<figcaption>A <em>deep</em> cave</figcaption>" in html


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"\includegraphics{cave}", '<img src="files/statement/cave.png" alt="Picture">'),
        (r"\includegraphics[width=3cm]{cave.png}", '<img src="files/statement/cave.png" width="113" alt="Picture">'),
        (r"\includegraphics[width=0.4\textwidth]{my cave.jpg}", 'my%20cave.jpg" width="40%" alt="Picture">'),
        (r"\includegraphics{drawing.pdf}", '<img src="files/statement/drawing.svg" alt="">'),
        (r"\resizebox{3cm}{!}{\includegraphics{plan}}", '<img src="files/statement/plan.svg" alt="Picture">'),
    ],
)
def test_latex_shows_what_lies_beside_it(source: str, shown: str) -> None:
    rendered = render(f"Text {source}", "latex")
    assert rendered.warnings == ()
    assert shown in rendered.html


@pytest.mark.parametrize(
    "source",
    [
        "\\illustration{0.3}{cave}{A \\emph{cave},\n    by \\href{https://example.org/}{somebody}}\nText",
        "\\begin{figure}[h]\\centering\\includegraphics[width=.3\\textwidth]{cave}\n"
        "\\caption{A \\emph{cave}, by \\href{https://example.org/}{somebody}}\\end{figure}",
        "\\begin{wrapfigure}[12]{r}{0.3\\textwidth}\\includegraphics[width=.3\\textwidth]{cave}\n"
        "\\caption{A \\emph{cave}, by \\href{https://example.org/}{somebody}}\\end{wrapfigure}",
    ],
)
def test_latex_figures_have_their_caption(source: str) -> None:
    rendered = render(source, "latex")
    assert rendered.warnings == ()
    assert '<img src="files/statement/cave.png" width="30%" alt="">' in rendered.html
    caption = re.search(r"<figcaption>(.*)</figcaption>", rendered.html)
    assert caption
    assert "A <em>cave</em>, by <a" in caption[1]


@pytest.mark.parametrize(
    ("source", "form", "why"),
    [
        ("![a lake](lake.png)", "markdown", "the picture lake.png is not in the statement's folder"),
        ("![a lake](../data/secret/1.png)", "markdown", "the picture ../data/secret/1.png is not in the"),
        ("![a lake](/etc/passwd)", "markdown", "the picture /etc/passwd is not in the statement's folder"),
        (
            "![a lake](https://example.org/lake.png)",
            "markdown",
            "the picture https://example.org/lake.png is on another",
        ),
        ("![a lake](http:example.org/400)", "markdown", "the picture http:example.org/400 is on another site"),
        ("![a lake](//example.org/cave.png)", "markdown", "the picture //example.org/cave.png is on another site"),
        ("![a lake](\\\\\\\\example.org/cave.png)", "markdown", "is on another site"),
        ("![a lake](data:image/png;base64,AAAA)", "markdown", "has an address that is no file"),
        ("<img alt='a lake' src='https:example.org/x.png'>", "markdown", "is on another site"),
        (r"\includegraphics{scan.pdf}", "latex", "the picture scan.pdf is no picture that browsers show"),
        (r"\includegraphics{scan.eps}", "latex", "put a .png or .svg of the same name beside it, not only .eps"),
        (r"\includegraphics{http://example.org/cave.png}", "latex", "is on another site"),
    ],
)
def test_other_pictures_are_words_and_a_warning(source: str, form: str, why: str) -> None:
    rendered = render(f"Before {source} after", form)
    assert "<img" not in rendered.html
    assert "src=" not in rendered.html
    if form == "markdown":
        assert "Before [a lake] after" in rendered.html
    assert len(rendered.warnings) == 1
    assert why in rendered.warnings[0]


@pytest.mark.parametrize(
    "source",
    [
        "<img src=cave.png srcset='//evil.example/x 2x' onerror=alert(1) onload=alert(1) loading=eager>",
        "<img src=cave.png usemap=#m longdesc=//evil.example lowsrc=//evil.example dynsrc=x crossorigin>",
        "<img src='cave.png' width='1;background:url(//evil.example)' height='100vh' align=left border=9>",
        "![x](cave.png){width=10% onerror=alert(1) srcset=//evil.example/x .btn #csrf hx-get=/admin/}",
        "<img src='files/../../admin/' alt=x><img src='files/x' alt=x>",
        "<picture><source srcset=//evil.example/x><img src=cave.png></picture>",
        "<svg><image href=//evil.example/x></image></svg><image src=//evil.example/x>",
        "<input type=image src=//evil.example/x><body background=//evil.example/x><table background=//evil.example>",
        "<embed src=//evil.example/x.pdf><object data=//evil.example/x></object><video poster=//evil.example/x>",
    ],
)
def test_picture_brings_nothing_with_it(source: str) -> None:
    html = render(f"before\n\n{source}\n").html
    tags = " ".join(re.findall(r"<[^>]*>", html))
    assert "before" in html
    assert "evil" not in tags
    for tag in re.findall(r"<img[^>]*>", html):
        assert re.fullmatch(r'<img src="files/statement/cave\.png"( (alt|width|height)="[^"]*")*>', tag), tag
        assert not re.search(r'(width|height)="(?![0-9]+%?")', tag)
    assert not re.search(r"\b(on\w+|srcset|style|class|hx-get|background|poster|data|usemap)=", tags)
