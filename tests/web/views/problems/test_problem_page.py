"""A problem's page: its statement in the reader's language, samples in their places, what there is to download."""

import re
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from problems.models import Problem, ProblemVersion
from problems.package import PageFile, Sample, Translation
from tests.web.dense import dense
from web.presentation.statement import chosen_language, of_version, shown_statement

pytestmark = pytest.mark.django_db
ADDRESS = "/problems/sumoftwo/"


@pytest.fixture
def version(problem: Problem) -> ProblemVersion:
    """The problem in English and Swedish, with a picture, three samples and files."""
    version = problem.current_version
    assert version is not None
    version.statement_html = (
        '<p>A <img src="files/statement/a%20cave.png" alt="cave"></p><!--samples 1--><p>After.</p>'
        '<section id="statement-footnotes"><ol><li>note</li></ol></section>'
    )
    version.translations = (Translation(language="sv", title="Summan", html="<p>Hej.</p>"),)
    first, *others = (Sample(name=f"sample/{number}", input=f"in{number}", answer="x") for number in (1, 2, 3))
    downloads = ("data/sample/1.in.download", "data/sample/unlisted.ans")
    version.samples = (replace(first, downloads=downloads), *others)
    version.files = {
        "statement/a cave.png": PageFile(kind="picture", bytes=9),
        "attachments/tools/try.py": PageFile(kind="attachment", bytes=2_048),
        "data/sample/1.in.download": PageFile(kind="sample", bytes=3),
        "statement/problem.sv.pdf": PageFile(kind="pdf", bytes=4_096, language="sv"),
    }
    version.source, version.credits = "A <contest>", "Ada; license cc by"
    version.save()
    return version


def page(client: Client, query: str = "", accept: str = "") -> str:
    return client.get(ADDRESS + query, headers={"Accept-Language": accept}).content.decode()


def test_the_page_says_what_a_program_is_called_and_brings_the_code_to_begin_with(
    client: Client, student: User, version: ProblemVersion
) -> None:
    client.force_login(student)
    assert "The result page shows the name under which it is compiled." in page(client)
    version.submitted = {"python": {"name": "letter.py"}, "rust": {"name": "letter.rs"}, "cpp": {"usual": "x.cpp"}}
    version.starters = {"python": "def encode(text):\n"}
    version.save()
    shown = page(client)
    assert "In this problem your program is called letter.py or letter.rs, whatever the name of your file is." in shown
    assert '<script id="starters" type="application/json">{"python": "def encode(text):\\n"}</script>' in shown


@pytest.mark.parametrize(
    ("asked", "accepted", "chosen"),
    [
        ("", "", "en"),
        ("", "sv", "sv"),
        ("", "sv-FI,sv;q=0.9,en;q=0.5", "sv"),
        ("", "de,en-GB;q=0.8,sv;q=0.2", "en"),
        ("", "pt", "pt-BR"),
        ("sv", "en", "sv"),
        ("SV", "en", "sv"),
        ("xx", "sv", "sv"),
        ("xx", "de", "en"),
        ("", "*;q=0.1, ,;;", "en"),
    ],
)
def test_language_is_what_is_asked_for_then_accepted_then_the_first(asked: str, accepted: str, chosen: str) -> None:
    assert chosen_language(["en", "sv", "pt-BR"], asked, accepted, "ko") == chosen


def test_language_that_the_reader_chose_goes_before_what_the_browser_prefers(
    client: Client, version: ProblemVersion
) -> None:
    assert "<p>Hej.</p>" in page(client, accept="sv,en;q=0.5")
    client.post("/language/", {"language": "en"})
    assert "<p>Hej.</p>" not in page(client, accept="sv,en;q=0.5")
    client.cookies["django_language"] = "sv"  # which no page is in
    assert "<p>Hej.</p>" not in page(client, accept="en")


def test_missing_language_of_the_interface_is_named(client: Client, version: ProblemVersion) -> None:
    def instead(interface: str, asked: str = "") -> str:
        with translation.override(interface):
            return shown_statement(version, of_version("sumoftwo", 1), asked, "").instead

    assert [instead("en"), instead("en", "sv"), instead("sv"), instead("sv", "en")] == [""] * 4
    assert "no statement in" not in page(client) + page(client, "?lang=sv")
    version.statement_language, version.translations = "sv", ()
    version.save()
    sentence = "This problem has no statement in English; this is the Swedish one."
    assert (instead("en"), instead("sv")) == (sentence, "")
    assert sentence in page(client)
    version.statement_html, version.files = "", {}
    version.save()
    assert "This problem has no statement." in page(client)
    assert "no statement in" not in page(client)


def test_page_has_the_readers_language_and_links_to_the_others(client: Client, version: ProblemVersion) -> None:
    swedish = dense(page(client, accept="sv-SE,sv;q=0.9"))
    assert "<p>Hej.</p>" in swedish
    assert '<article class="statement" lang="sv"' in swedish
    assert '<span lang="sv">Summan</span>' in swedish
    assert '<a href="?lang=en" lang="en" hreflang="en">English</a>' in swedish
    assert '<a href="?lang=sv" lang="sv" hreflang="sv" aria-current="true">Svenska</a>' in swedish
    english = page(client, "?lang=en", accept="sv")
    assert '<article class="statement" lang="en"' in english
    assert "Sum of Two Numbers</span>" in english
    assert "Accept-Language" in client.get(ADDRESS).headers["Vary"]


def test_one_language_needs_no_switch(client: Client, problem: Problem) -> None:
    assert 'class="languages"' not in page(client)


def test_a_refused_program_keeps_the_language(client: Client, version: ProblemVersion, student: User) -> None:
    client.force_login(student)
    assert f'action="{ADDRESS}submit?lang=sv"' in page(client, "?lang=sv")
    refused = client.post(f"{ADDRESS}submit?lang=sv", {"language": "", "source": "x"})
    assert refused.status_code == 422
    assert "<p>Hej.</p>" in refused.content.decode()


def test_right_to_left_statement_says_so(client: Client, version: ProblemVersion) -> None:
    version.translations = (Translation(language="ar", title="x", html="<p>y</p>"),)
    version.save()
    assert '<article class="statement" lang="ar" dir="rtl"' in page(client, "?lang=ar")
    assert "dir=" not in page(client, "?lang=en").split('<article class="statement"')[1].split(">")[0]


def test_samples_stand_where_the_statement_wants_them_and_the_rest_before_the_footnotes(
    client: Client, version: ProblemVersion
) -> None:
    text = page(client)
    order = ["Input 2", "<p>After.</p>", "Input 1", "Input 3", 'id="statement-footnotes"']
    assert sorted(order, key=text.index) == order
    assert "<!--samples" not in text
    assert len(re.findall(r'data-copy="(?:input|answer)-[123]"', text)) == 6


def test_statement_that_names_no_sample_has_them_all_at_its_end(client: Client, version: ProblemVersion) -> None:
    text = page(client, "?lang=sv")
    order = ["<p>Hej.</p>", "Input 1", "Input 2", "Input 3", "</article>"]
    assert sorted(order, key=text.index) == order


def test_files_are_offered_with_their_size(client: Client, version: ProblemVersion) -> None:
    text = dense(page(client))
    files = f"{ADDRESS}files/{version.number}"
    assert f'<img src="{files}/statement/a%20cave.png" alt="cave">' in text
    attachment = f'<a href="{files}/attachments/tools/try.py" download="try.py">tools/try.py</a>'
    assert f'{attachment}<span class="soft">2\N{NO-BREAK SPACE}KiB</span>' in text
    assert f'<a href="{files}/data/sample/1.in.download" download="1.in">1.in</a>' in text
    assert "unlisted.ans" not in text
    assert "problem.sv.pdf" not in text, "that is for the readers of the Swedish one"
    assert "The statement is also available as a PDF." in page(client, "?lang=sv")


def test_statement_that_is_only_a_pdf_is_offered_as_one(client: Client, version: ProblemVersion) -> None:
    version.translations = (Translation(language="sv", title="Summan", html=""),)
    version.save()
    text = page(client, "?lang=sv")
    assert "The statement is a PDF." in text
    assert f'href="{ADDRESS}files/{version.number}/statement/problem.sv.pdf"' in text
    assert "This problem has no statement." not in text
    assert "Input 1" in text


def test_origin_is_named_and_escaped(client: Client, version: ProblemVersion) -> None:
    assert "Source: A &lt;contest&gt; · Ada; license cc by" in page(client)


def test_only_the_allowed_languages_are_offered(client: Client, version: ProblemVersion, student: User) -> None:
    client.force_login(student)
    assert '<option value="cpp">' in page(client)
    ProblemVersion.objects.update(languages=["python"])
    text = page(client)
    assert '<option value="python">' in text
    assert '<option value="cpp">' not in text
    assert "<dt>Languages</dt><dd>Python (CPython 3)</dd>" in text


def test_points_and_passes_are_said(client: Client, version: ProblemVersion) -> None:
    groups = [
        {"name": "1-<small>", "max_score": 30.0, "cases": 4, "requires": []},
        {"name": "2", "max_score": None, "cases": 7, "requires": ["1-<small>"]},
    ]
    ProblemVersion.objects.update(is_scoring=True, max_score=87.5, most_passes=3, groups=groups)
    text = dense(page(client))
    assert "<dt>Points</dt><dd>up to 87.5</dd>" in text
    assert "up to 3 passes" in text
    assert '<th scope="row">1-&lt;small&gt;</th>' in text
    assert "requires 1-&lt;small&gt;" in text
    assert "<dt>Points</dt>" not in dense(page_of_plain(client))


def page_of_plain(client: Client) -> str:
    ProblemVersion.objects.update(is_scoring=False, max_score=None, most_passes=1, groups=[])
    return page(client)


@pytest.mark.parametrize(
    ("code", "name"),
    [("zh", "简体中文"), ("zh-TW", "繁體中文"), ("sv", "Svenska"), ("pt-BR", "Português Brasileiro"), ("xx", "xx")],
)
def test_language_is_named_in_itself_and_an_unknown_one_by_its_code(
    client: Client, version: ProblemVersion, code: str, name: str
) -> None:
    version.translations = (Translation(language=code, title="x", html="<p>x</p>"),)
    version.save()
    assert f'hreflang="{code}">{name}</a>' in page(client)
