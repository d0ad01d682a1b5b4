"""All that a page shows of a package: languages, titles, files, samples with what overrules them."""

from pathlib import Path

import pytest

from problems.loading.loading import load_package
from problems.package import PackageErrors, PageFile, Translation
from problems.statement.rendering import RenderedPackage, render_package
from problems.statement.samples import MOST_SAMPLES, offered_name
from tests.problems.conftest import NEW, Files, Write
from tests.problems.format.test_interactive import INTERACTIVE

INTERACTION = "data/sample/1.interaction"


def rendered(write: Write, changes: Files) -> RenderedPackage:
    return render_package(load_package(write(changes)))


def test_every_language_is_rendered_with_its_own_title(new: Write) -> None:
    page = rendered(
        new,
        {
            "problem.yaml": str(NEW["problem.yaml"]).replace("name: A plus B", "name: {en: A plus B, sv: A och B}"),
            "statement/problem.sv.md": "Addera.",
            "statement/problem.de.tex": "\\problemname{A und \\emph{B}}Addiere.",
        },
    )
    assert (page.language, page.title) == ("en", "A plus B")
    assert "Add" in page.html
    assert [(each.language, each.title) for each in page.translations] == [("de", "A und B"), ("sv", "A och B")]
    assert ["Addiere." in page.translations[0].html, "Addera." in page.translations[1].html] == [True, True]


def test_legacy_statement_names_the_problem_in_its_language(legacy: Write) -> None:
    page = rendered(legacy, {"problem_statement/problem.sv.tex": "\\problemname{A \\& B}"})
    assert page.translations[0].title == "A & B"


def test_pictures_and_attachments_may_be_served(new: Write) -> None:
    page = rendered(
        new,
        {
            "statement/problem.en.md": "![x](cave.png)",
            "statement/cave.png": b"\x89PNG",
            "statement/figures/b.SVG": b"<svg/>",
            "statement/source.tex": b"no picture",
            "attachments/tools/try.py": b"print(1)",
        },
    )
    assert 'src="files/statement/cave.png"' in page.html
    assert {name: entry.kind for name, entry in page.files.items() if not name.startswith("data/")} == {
        "statement/cave.png": "picture",
        "statement/figures/b.SVG": "picture",
        "attachments/tools/try.py": "attachment",
    }
    assert page.files["attachments/tools/try.py"].bytes == 8


def test_nothing_secret_may_be_served(new: Write) -> None:
    names = rendered(new, {"data/secret/cave.png": b"x", "submissions/accepted/x.png": b"x"}).files
    assert set(names) == {"data/sample/1.in", "data/sample/1.ans"}


@pytest.mark.parametrize("name", ["statement/problem.en.pdf", "problem.pdf", "statement/problem.pdf"])
def test_a_pdf_may_be_the_only_statement(new: Write, name: str) -> None:
    page = rendered(new, {"statement/problem.en.md": None, name: b"%PDF"})
    assert (page.html, page.language, page.warnings) == ("", "en", ())
    assert page.files[name] == PageFile(kind="pdf", bytes=4, language="en")


def test_a_pdf_beside_a_text_is_offered_too(new: Write) -> None:
    page = rendered(new, {"statement/problem.en.pdf": b"%PDF", "statement/problem.sv.pdf": b"%PDF"})
    assert "Add" in page.html
    assert page.translations == (Translation(language="sv", title="A plus B", html=""),)
    assert page.files["statement/problem.en.pdf"].language == "en"


def test_every_broken_statement_is_named(new: Write) -> None:
    changes = {"statement/problem.sv.tex": "\\begin{itemize}", "statement/problem.de.tex": "\\begin{itemize}"}
    with pytest.raises(PackageErrors) as caught:
        rendered(new, changes)
    assert [error.file for error in caught.value.errors] == ["problem.de.tex", "problem.sv.tex"]


def test_constants_of_the_package_stand_in_its_statement(new: Write) -> None:
    yaml = f"{NEW['problem.yaml']}constants: {{N: {{value: 10, word: ten}}}}\n"
    page = rendered(new, {"problem.yaml": yaml, "statement/problem.en.md": "At most {{N}}, {{N.word}}."})
    assert "At most 10, ten." in page.html


# --- samples


def test_samples_are_shown_by_name_with_their_files(new: Write) -> None:
    more = {f"data/sample/{name}.{ending}": name for name in ("10", "9", "a/1") for ending in ("in", "ans")}
    page = rendered(new, more)
    assert [sample.name for sample in page.samples] == ["sample/1", "sample/10", "sample/9", "sample/a/1"]
    assert page.samples[3].downloads == ("data/sample/a/1.in", "data/sample/a/1.ans")
    assert all(page.files[name].kind == "sample" for sample in page.samples for name in sample.downloads)


def test_files_for_the_statement_are_shown_and_files_for_download_offered(new: Write) -> None:
    endings = ("in.statement", "in.download", "ans.statement", "ans.download")
    page = rendered(new, {f"data/sample/1.{ending}": ending for ending in endings})
    (sample,) = page.samples
    assert (sample.input, sample.answer) == ("in.statement", "ans.statement")
    assert sample.downloads == ("data/sample/1.in.download", "data/sample/1.ans.download")
    assert offered_name(sample.downloads[0]) == "1.in"
    assert page.files["data/sample/1.in.download"] == PageFile(kind="sample", bytes=11)


def test_example_output_is_shown_instead_of_an_answer_that_is_none(new: Write) -> None:
    (sample,) = rendered(new, {"data/sample/1.out": "an output"}).samples
    assert sample.answer == "an output"
    assert sample.downloads == ("data/sample/1.in", "data/sample/1.out")


def test_arguments_and_files_of_a_sample_are_shown(new: Write) -> None:
    changes = {"data/sample/1.yaml": "args: [--fast, 'a b']\n", "data/sample/1.files/words.txt": "one"}
    (sample,) = rendered(new, changes).samples
    assert sample.args == "--fast 'a b'"
    assert "data/sample/1.files/words.txt" in sample.downloads


def test_of_an_interactive_problem_only_what_is_meant_for_download_is_offered(new: Write) -> None:
    (sample,) = rendered(new, INTERACTIVE).samples
    assert sample.downloads == ()
    assert [turn.speaker for turn in sample.dialogue or ()][:2] == ["program", "interactor"]
    (sample,) = rendered(new, {**INTERACTIVE, "data/sample/1.in.download": "for a tool"}).samples
    assert sample.downloads == ("data/sample/1.in.download",)


def test_statement_finds_samples_by_name(new: Write, tmp_path: Path) -> None:
    page = rendered(
        new,
        {
            "statement/problem.en.md": None,
            "statement/problem.en.tex": "\\includesample{second}\\nextsample",
            "data/sample/second.in": "x",
            "data/sample/second.ans": "y",
        },
    )
    assert page.html.count("<!--samples 1-->") == 1
    assert page.html.index("<!--samples 1-->") < page.html.index("<!--samples 0-->")


def test_a_page_has_no_more_samples_than_anybody_reads(new: Write) -> None:
    more = {f"data/sample/{number:03}.{ending}": "x" for number in range(MOST_SAMPLES + 5) for ending in ("in", "ans")}
    assert len(rendered(new, more).samples) == MOST_SAMPLES
