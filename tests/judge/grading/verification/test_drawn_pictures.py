"""Pictures that no browser shows are drawn in jails: PDFs, and TikZ where a TeX is installed."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.verification import pictures
from judge.grading.verification.pictures import Drawer, installed_tex
from problems.loading.loading import load_package
from problems.package import Package
from problems.statement.rendering import NotDrawn, render_drawn
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Mount
from tests.judge.packages import make_package
from tests.problems.pdfs import pdf

pytestmark = pytest.mark.jail
MISSING = "problem.en.tex: 1 picture is missing from the page: "
TIKZ = r"\begin{tikzpicture}[scale=2]\draw (0,0) -- (1,1);\end{tikzpicture}"
# As large as what TeX is asked for; it leaves a PDF in its folder, as TeX does, only if it gets what TeX should get.
TEX = """#!/bin/sh
test "$1 $2 $3 $4" = "-no-shell-escape -interaction=nonstopmode -halt-on-error picture.tex" || exit 2
test "$openin_any$openout_any" = pp && test "$(id -u)" != 0 || exit 3
if grep -q wrong picture.tex; then echo "! Undefined control sequence."; exit 1; fi
if grep -q endless picture.tex; then while :; do :; done; fi
grep -q 'draw (0,0)' picture.tex && cp "${0%/*}/made.pdf" picture.pdf
"""


@pytest.fixture
def drawer(sandbox: NsjailSandbox, work_root: Path) -> Drawer:
    return Drawer(sandbox=sandbox, work_root=work_root)


@pytest.fixture
def with_tex(drawer: Drawer, work_root: Path) -> Drawer:
    """A drawer with a program that behaves as TeX towards it."""
    folder = work_root / "tex"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "made.pdf").write_bytes(pdf())
    (folder / "pdflatex").write_text(TEX)
    (folder / "pdflatex").chmod(0o755)
    return replace(drawer, tex=Path("/tex/pdflatex"), mounts=(Mount(source=folder, target="/tex"),))


@pytest.fixture
def package(tmp_path: Path) -> Callable[..., Package]:
    """A function that loads a package with this LaTeX statement and these files beside it."""

    def make(source: str, **beside: bytes) -> Package:
        root = tmp_path / "package"
        make_package(root)
        (root / "problem.yaml").write_text("name: Sum\nlimits: {time_limit: 1}\n")
        folder = root / "problem_statement"
        folder.mkdir(exist_ok=True)
        for other in folder.iterdir():
            other.unlink()
        (folder / "problem.en.tex").write_text(source)
        for name, content in beside.items():
            (folder / name.replace("__", " ").replace("_", ".")).write_bytes(content)
        return load_package(root)

    return make


def test_pdf_becomes_an_svg_of_its_first_page(drawer: Drawer, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(pages=3))
    picture = drawer.draw(tmp_path / "a.pdf")
    assert (picture.suffix, picture.pages) == (".svg", 3)
    assert b'viewBox="0 0 60 50"' in picture.content
    assert b"100%" in picture.content or b"rgb(" in picture.content  # the square's red


def test_large_svg_becomes_a_png(drawer: Drawer, tmp_path: Path) -> None:
    lines = b"".join(b"%d %d m %d %d l S\n" % (n % 60, n % 50, n % 49, n % 41) for n in range(40_000))
    (tmp_path / "a.pdf").write_bytes(pdf(content=lines))
    picture = drawer.draw(tmp_path / "a.pdf")
    assert (picture.suffix, picture.content[:4]) == (".png", b"\x89PNG")


@pytest.mark.parametrize("content", [b"no pdf", b"%PDF-1.4\n", pdf()[:200], pdf(pages=0), b"\x00" * 100_000])
def test_what_is_no_pdf_is_not_drawn_and_says_why(drawer: Drawer, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.pdf").write_bytes(content)
    with pytest.raises(NotDrawn) as refused:
        drawer.draw(tmp_path / "a.pdf")
    assert "cannot read it" in str(refused.value)


def test_pdf_that_takes_too_long_is_not_drawn(drawer: Drawer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "LIMITS", replace(pictures.LIMITS, cpu_time_ms=100))
    (tmp_path / "a.pdf").write_bytes(pdf(content=b"0 0 60 50 re S\n" * 900_000))
    with pytest.raises(NotDrawn) as refused:
        drawer.draw(tmp_path / "a.pdf")
    assert str(refused.value) == "it takes too much time or memory to be drawn"


def test_pdf_beside_a_statement_is_on_its_page(drawer: Drawer, package: Callable[..., Package]) -> None:
    source = r"\includegraphics[width=0.5\textwidth]{a} \includegraphics{b c.pdf} \includegraphics{old.pdf}"
    before = package(
        source, a_pdf=pdf(), b__c_pdf=pdf(pages=2), old_pdf=pdf(), old_png=b"a", a_pdf_svg=b"stale", hidden_pdf=pdf()
    )
    drawn, page = render_drawn(before, drawer.draw, before.path)
    assert 'src="files/problem_statement/a.pdf.svg" width="50%"' in page.html
    assert 'src="files/problem_statement/b%20c.pdf.svg"' in page.html
    assert 'src="files/problem_statement/old.png"' in page.html
    assert page.warnings == ("b c.pdf: has 2 pages: the page shows the first one",)
    assert sorted(name for name, entry in page.files.items() if entry.kind == "picture") == [
        f"problem_statement/{name}" for name in ("a.pdf.svg", "b c.pdf.svg", "old.png")
    ]
    again = load_package(before.path)
    assert again.digest == drawn.digest != before.digest
    assert (before.path / "problem_statement/a.pdf.svg").read_bytes().startswith(b"<?xml")


def test_pdf_that_cannot_be_drawn_is_missing_from_the_page(drawer: Drawer, package: Callable[..., Package]) -> None:
    before = package(r"\includegraphics{a}", a_pdf=b"no pdf", a_pdf_svg=b"stale")
    _, page = render_drawn(before, drawer.draw, before.path)
    assert "<img" not in page.html
    [warning] = page.warnings
    assert warning.startswith(f"{MISSING}a.pdf (pdfinfo cannot read it")
    assert "problem_statement/a.pdf.svg" not in page.files


def test_eps_is_missing_by_its_own_name(drawer: Drawer, package: Callable[..., Package]) -> None:
    before = package(r"\includegraphics{a}", a_eps=b"%!PS")
    _, page = render_drawn(before, drawer.draw, before.path)
    assert page.warnings[0].startswith(f"{MISSING}a.eps (browsers show no .eps: put a .png or .svg of the same")


def test_tikz_is_drawn_by_tex(with_tex: Drawer, package: Callable[..., Package]) -> None:
    source = rf"Before.\par {TIKZ} and{TIKZ} \resizebox{{3cm}}{{!}}{{{TIKZ.replace('2', '3')}}} $x$ \lost{{}}"
    before = package(source)
    _, page = render_drawn(before, with_tex.draw, before.path)
    assert page.html.count('<img src="files/problem_statement/tikz-') == 3
    assert sorted(page.files)[-1].endswith(".svg")
    assert len([name for name in page.files if "tikz-" in name]) == 2
    [warning] = page.warnings
    assert "Skipped" in warning
    assert "lost" in warning


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("wrong", "TeX cannot read it: Undefined control sequence."),
        ("", "TeX cannot read it"),
        ("endless", "it takes too much time or memory to be drawn"),
    ],
)
def test_tikz_that_tex_does_not_draw_is_missing_and_says_why(
    with_tex: Drawer, package: Callable[..., Package], monkeypatch: pytest.MonkeyPatch, source: str, why: str
) -> None:
    monkeypatch.setattr(pictures, "LIMITS", replace(pictures.LIMITS, cpu_time_ms=500))
    before = package(rf"x \begin{{tikzpicture}}{source}\end{{tikzpicture}}")
    _, page = render_drawn(before, with_tex.draw, before.path)
    assert page.warnings == (f"problem.en.tex: 1 TikZ picture is missing from the page: {why}",)


def test_without_tex_a_warning_says_so(drawer: Drawer, package: Callable[..., Package]) -> None:
    before = package(f"{TIKZ} {TIKZ.replace('1', '2')}")
    _, page = render_drawn(before, replace(drawer, tex=None).draw, before.path)
    assert page.warnings == (
        "problem.en.tex: 2 TikZ pictures are missing from the page: no TeX is installed on this worker",
    )
    assert "draw" not in page.html


@pytest.mark.skipif(installed_tex() is None, reason="no TeX is installed on this host: Tally does not need one")
def test_installed_tex_draws_a_picture(drawer: Drawer, package: Callable[..., Package]) -> None:
    source = r"\usetikzlibrary{arrows} \newcommand{\side}[1]{#1} " + TIKZ.replace("(1,1)", r"(\side{1},1)")
    before = package(source)
    _, page = render_drawn(before, drawer.draw, before.path)
    assert page.warnings == ()
    assert page.html.count("<img") == 1
