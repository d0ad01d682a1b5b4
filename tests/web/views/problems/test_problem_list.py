"""The list of problems: topics, difficulty, search, one's own verdicts, pages, and equal titles."""

import unicodedata
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.test import Client
from django.utils import translation

from judge.models import Submission
from problems.models import Audience, Problem, ProblemVersion
from problems.statement.statement import render_source
from web.forms.filters import ProblemFilter
from web.identity.accounts import make_instructor
from web.presentation import topics
from web.views.problems.listing import listed_problems

pytestmark = pytest.mark.django_db


def add(slug: str, title: str, **fields: object) -> Problem:
    keywords, languages = fields.pop("keywords", []), fields.pop("languages", None)
    made = Problem.objects.create(slug=slug, title=title, **fields)
    made.current_version = ProblemVersion.objects.create(
        problem=made,
        digest=slug,
        title=title,
        keywords=keywords,
        languages=languages,
        time_limit_ms=1_000,
        memory_bytes=1,
        output_bytes=1,
        code_bytes=1,
        test_case_count=1,
    )
    made.save()
    return made


def send(user: User, problem: Problem, verdict: str) -> None:
    Submission.objects.create(
        user=user,
        problem=problem,
        problem_version=problem.versions.get(),
        language="cpp",
        source=b"x",
        status="done",
        verdict=verdict,
    )


def slugs(client: Client, query: str = "") -> list[str]:
    return [listed.problem.slug for listed in client.get(f"/problems/{query}").context["problems"]]


def test_titles_are_in_order_whatever_the_case_and_in_korean_as_in_a_dictionary(client: Client) -> None:
    titles = ["7 bridges", "apple", "Zebra", "가방", "나무", "까치", "다리", "각", "하늘", "정렬"]
    in_order = ["7 bridges", "apple", "Zebra", "가방", "각", "까치", "나무", "다리", "정렬", "하늘"]
    for number, title in enumerate(titles):
        add(f"p{number}", title)
    shown = client.get("/problems/").context["problems"]
    assert [listed.problem.title for listed in shown] == in_order
    assert [problem.title for problem in Problem.objects.by_title()] == in_order


def test_a_title_is_found_by_hangul_in_parts(client: Client) -> None:
    add("sum", "두 수의 합")
    add("other", "A family")
    assert slugs(client, f"?q={unicodedata.normalize('NFD', '합')}") == ["sum"]
    assert slugs(client, "?q=수의") == ["sum"]


@pytest.fixture
def four(db: None) -> None:
    """Problems of several topics."""
    add("trees", "A family", keywords=["trees", "recursion"], difficulty="hard")
    add("sorting", "Sort", tags=["sorting"], keywords=["never shown"], difficulty="easy")
    add("first", "Zero", difficulty="first", keywords=["beginner"])
    add("plain", "Plain", languages=["rust"])


@pytest.mark.usefixtures("four")
def test_easiest_come_first_then_titles(client: Client) -> None:
    assert slugs(client) == ["first", "sorting", "trees", "plain"]


@pytest.mark.usefixtures("four")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?tag=trees", ["trees"]),
        ("?tag=sorting", ["sorting"]),
        ("?tag=never+shown", ["first", "sorting", "trees", "plain"]),  # not offered, so it filters nothing
        ("?difficulty=easy", ["sorting"]),
        ("?q=FAMILY", ["trees"]),
        ("?q=recur", ["trees"]),
        ("?q=never", []),
        ("?q=plain", ["plain"]),
        ("?language=cpp", ["first", "sorting", "trees"]),
        ("?language=rust&q=plain", ["plain"]),
    ],
)
def test_filters_stand_in_the_address(client: Client, query: str, found: list[str]) -> None:
    assert slugs(client, query) == found


@pytest.mark.usefixtures("four")
def test_a_topic_has_its_name_in_the_readers_language_and_is_found_by_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    korean = {"trees": "트리", "recursion": "재귀", "sorting": "정렬", "beginner": "입문"}
    monkeypatch.setattr(topics, "gettext", lambda word: korean.get(word, word))
    assert slugs(client, "?q=트리") == ["trees"]
    assert slugs(client, "?tag=trees") == ["trees"]
    page = client.get("/problems/")
    offered = [words for tag, words in page.context["form"].fields["tag"].choices if tag]
    assert offered == sorted(korean.values())
    assert '<a href="?tag=recursion">재귀</a>' in page.content.decode()
    assert topics.topic_name("somebody's own") == "somebody's own"


def test_every_topic_of_the_library_has_a_name() -> None:
    packages = (Path(settings.BASE_DIR) / "problems/library").glob("*/problem.yaml")
    used = {tag for package in packages for tag in yaml.safe_load(package.read_text())["keywords"]}
    assert used == set(topics._TOPICS)


@pytest.mark.usefixtures("four")
def test_empty_result_says_so(client: Client) -> None:
    assert "No problem matches this filter." in client.get("/problems/?q=nothing").content.decode()


@pytest.mark.usefixtures("four")
def test_reader_filters_by_own_verdict_and_a_stranger_is_not_asked(client: Client, student: User) -> None:
    send(student, Problem.objects.get(slug="first"), "AC")
    send(student, Problem.objects.get(slug="first"), "WA")
    send(student, Problem.objects.get(slug="trees"), "TLE")
    assert "state" not in client.get("/problems/").context["form"].fields
    client.force_login(student)
    assert slugs(client, "?state=solved") == ["first"]
    assert slugs(client, "?state=tried") == ["trees"]
    assert slugs(client, "?state=new") == ["sorting", "plain"]
    assert "You have solved 1 of 4" in client.get("/problems/").content.decode()


@pytest.mark.usefixtures("four")
def test_hidden_problem_leaves_no_trace_in_list_or_topics(client: Client) -> None:
    Problem.objects.filter(slug="trees").update(audience=Audience.HIDDEN)
    page = client.get("/problems/").content.decode()
    assert "trees" not in page
    assert "recursion" not in page


def test_list_has_pages_that_keep_the_filter(client: Client) -> None:
    for number in range(60):
        add(f"p{number:02}", "The same title", keywords=["topic"])
    page = client.get("/problems/?tag=topic")
    first = [listed.problem.slug for listed in page.context["problems"]]
    assert "tag=topic" in page.context["page"].on
    following = slugs(client, f"?{page.context['page'].on}")
    assert (len(first), len(following)) == (50, 10)
    assert not {*first} & {*following}


def test_equal_titles_are_told_apart_where_both_are_visible(client: Client) -> None:
    add("one", "Sum")
    other = add("two", "sum")
    assert {listed.source for listed in client.get("/problems/").context["problems"]} == {"one", "two"}
    Problem.objects.filter(pk=other.pk).update(audience=Audience.HIDDEN)
    assert [listed.source for listed in client.get("/problems/").context["problems"]] == [""]


def test_instructor_is_warned_of_an_equal_title_and_not_of_a_hidden_one(client: Client, student: User) -> None:
    make_instructor(student)
    User.objects.update(is_staff=False)
    add("mine", "Sum", owner=student)
    other = add("theirs", "sum")
    client.force_login(student)
    assert "Another problem has this title." in client.get("/problems/mine/manage/").content.decode()
    Problem.objects.filter(pk=other.pk).update(audience=Audience.HIDDEN)
    assert "has this title" not in client.get("/problems/mine/manage/").content.decode()


def test_instructor_sets_tags_difficulty_and_statistics(client: Client, student: User) -> None:
    make_instructor(student)
    mine = add("mine", "Mine", owner=student, keywords=["graphs"])
    client.force_login(student)
    address = "/problems/mine/manage/listing"
    assert "From the package: graphs." in client.get("/problems/mine/manage/").content.decode()
    sent = {"listing-tags": " Binary  search, graphs ,, graphs", "listing-difficulty": "hard"}
    assert client.post(address, {**sent, "listing-statistics": "spread"}).status_code == 302
    mine.refresh_from_db()
    assert (mine.tags, mine.difficulty, mine.statistics) == (["binary search", "graphs"], "hard", "spread")
    wrong = client.post(address, {"listing-tags": "x" * 41, "listing-statistics": "everything"})
    assert wrong.status_code == 422
    assert "A tag has at most 40 characters." in wrong.content.decode()
    mine.refresh_from_db()
    assert mine.statistics == "spread"


def test_hints_of_a_statement_are_folded_until_the_first_submission(client: Client, student: User) -> None:
    problem = add("hints", "Hints")
    source = "## 할 일\n\n하세요.\n\n## 살펴볼 점 {#what-to-look-at}\n\n버퍼.\n\n## Output\n\nOne line."
    html = render_source(source, form="markdown", language="ko", name="problem.ko.md").html
    ProblemVersion.objects.update(statement_html=html)
    heading = '<h2 id="statement-what-to-look-at">살펴볼 점</h2>'
    folded = f'<details class="hints-of-statement"><summary>{heading}</summary>\n<p>버퍼.</p>\n</details>'
    client.force_login(student)
    assert f'{folded}<h2 id="statement-output">Output</h2>' in client.get("/problems/hints/").content.decode()
    send(student, problem, "WA")
    opened = folded.replace('statement">', 'statement" open>')
    assert opened in client.get("/problems/hints/").content.decode()
    client.logout()
    assert folded in client.get("/problems/hints/").content.decode()


def test_titles_are_in_the_language_of_the_interface(client: Client) -> None:
    sums = add("sums", "Sums")
    add("tree", "A tree")
    titles = [{"language": "sv", "title": "Summor"}, {"language": "ko-KR", "title": 'Z "합"'}]
    ProblemVersion.objects.filter(problem=sums).update(translations=titles)

    def found(language: str, text: str = "") -> list[str]:
        with translation.override(language):
            problems = listed_problems(AnonymousUser())
            form = ProblemFilter({"q": text}, user=AnonymousUser(), problems=problems, tags=[], has_languages=False)
            return sorted(each.shown_title for each in form.matching())

    assert found("en") == ["A tree", "Sums"]
    assert found("ko") == ["A tree", 'Z "합"']
    assert found("sv", "summo") == found("sv", "sums") == ["Summor"]
    assert found("ko", "summo") == []
    text = client.get("/problems/").content.decode()
    assert text.index(">A tree</a>") < text.index(">Sums</a>")
