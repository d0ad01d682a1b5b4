"""Pictures in statements: those beside it are shown, with words for who cannot see them; none from elsewhere."""

import re

import pytest

from problems.statement.pictures import Beside, tells_of_missing_pictures
from problems.statement.statement import RenderedStatement, Surroundings, render_source

AROUND = Surroundings(
    beside=Beside(
        pictures={
            name: f"statement/{name}"
            for name in (
                "cave.png",
                "my cave.jpg",
                "plan.svg",
                "figures/graph.webp",
                "drawing.svg",
                "50%.png",
                "그림 (1).png",
            )
        }
    )
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
        ("Text ![x](my cave.jpg)", '<img src="files/statement/my%20cave.jpg" alt="x">'),
        ('Text ![x]( my cave.jpg "A *cave*")', '<img src="files/statement/my%20cave.jpg" alt="x">'),
        ("Text ![x](my cave.jpg){width=40%}", '<img src="files/statement/my%20cave.jpg" width="40%" alt="x">'),
        (
            "(A ![x](그림 (1).png) b) `![y](my cave.jpg)`",
            '<img src="files/statement/%EA%B7%B8%EB%A6%BC%20%281%29.png" alt="x">',
        ),
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
        (r"\includegraphics{caves/problem_statement/cave}", '<img src="files/statement/cave.png" alt="Picture">'),
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
        (
            "![a lake](lake.png)",
            "markdown",
            "1 picture is missing from the page: lake.png (not in the statement's folder as .gif, ",
        ),
        ("![a lake](../data/secret/1.png)", "markdown", "missing from the page: ../data/secret/1.png (not in the"),
        ("![a lake](a lake.png)", "markdown", "1 picture is missing from the page: a lake.png (not in the"),
        ("![a lake](/etc/passwd)", "markdown", "missing from the page: /etc/passwd (not in the statement's folder"),
        (
            "![a lake](https://example.org/lake.png)",
            "markdown",
            "missing from the page: https://example.org/lake.png (on another site",
        ),
        ("![a lake](http:example.org/400)", "markdown", "http:example.org/400 (on another site"),
        ("![a lake](//example.org/cave.png)", "markdown", "//example.org/cave.png (on another site"),
        ("![a lake](\\\\\\\\example.org/cave.png)", "markdown", "(on another site: put the file beside the statement)"),
        ("![a lake](data:image/png;base64,AAAA)", "markdown", "a lake (no file beside the statement)"),
        (
            "<img alt='a lake' src='https:example.org/x.png'>",
            "markdown",
            "(on another site: put the file beside the statement)",
        ),
        (r"\includegraphics{scan.pdf}", "latex", "missing from the page: scan.pdf (not in the statement's folder"),
        (
            r"\includegraphics{scan.eps}",
            "latex",
            "missing from the page: scan.eps (browsers show no .eps: put a .png or .svg",
        ),
        (
            r"\includegraphics{http://example.org/cave.png}",
            "latex",
            "(on another site: put the file beside the statement)",
        ),
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


def test_code_and_other_links_keep_their_spaces() -> None:
    html = render(
        "`![x](my cave.jpg)`\n\n```\n![x](my cave.jpg)\n```\n\n![a](cave.png) (b c.png) [l](my cave.jpg)\n"
    ).html
    assert html.count("![x](my cave.jpg)") == 2
    assert html.count("<img") == 1
    assert "(b c.png) [l](my cave.jpg)" in html


def test_missing_pictures_are_counted_and_named_once_per_reason() -> None:
    rendered = render("![](b.png) ![](a.png) ![](b.png) ![](http://example.org/c.png) ![](cave.png)")
    assert [str(warning) for warning in rendered.warnings] == [
        "problem: 2 pictures are missing from the page: b.png, a.png (not in the statement's folder as .gif, .jpeg, "
        ".jpg, .pdf, .png, .svg, .webp)",
        "problem: 1 picture is missing from the page: http://example.org/c.png (on another site: put the file beside "
        "the statement)",
    ]
    assert all(map(tells_of_missing_pictures, rendered.warnings))
    [other] = render("\\unknown{x}", "latex").warnings
    assert not tells_of_missing_pictures(other)


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
