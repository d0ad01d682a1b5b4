"""The pages of experiments: the list, one of them, and changing it to run that."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from judge.grading.experiment.spec import ExperimentSpec
from judge.models import Experiment, ExperimentRun
from tests.web.experiment_rows import SPEC, make_own, make_run, measured
from web.presentation.experiments.listing import best_runs, last_runs, shown_own
from web.presentation.paging import Paging

pytestmark = pytest.mark.django_db


@pytest.fixture
def published(instructor: User) -> Experiment:
    """An instructor's experiment that everybody sees."""
    return make_own(instructor, is_published=True)


def page(client: Client, address: str, user: User | None = None) -> str:
    """What a page says, without its markup."""
    if user:
        client.force_login(user)
    answer = client.get(address)
    assert answer.status_code == 200, address
    return text_of(answer.content)


def text_of(html: bytes) -> str:
    """What a page says, without its markup."""
    return " ".join(re.sub(r"<[^>]*>", " ", html.decode()).split())


def typed(spec: ExperimentSpec = SPEC, **changed: Any) -> dict[str, Any]:
    """The form of an experiment as a browser sends it."""
    limits = spec.settings
    return {
        "variant_name": [each.name for each in spec.variants],
        "variant_language": [each.language for each in spec.variants],
        "variant_args": ["", "-n '20 000'"][: len(spec.variants)],
        "variant_note": [each.note for each in spec.variants],
        "variant_source": [each.source.replace("\n", "\r\n") for each in spec.variants],
        "destinations": list(spec.destinations),
        "rounds": spec.rounds,
        "input": spec.input,
        "cpu_time_s": "1",
        "memory_mib": limits.memory_mib,
        "output_mib": limits.output_mib,
        "processes": limits.processes,
        "cores": limits.cores,
        "sample_ms": limits.sample_ms,
        **changed,
    }


# Reading


def test_visitors_read_the_list_and_published_experiments(client: Client, published: Experiment) -> None:
    assert "Flushing" in page(client, "/experiments/")
    said = page(client, f"/experiments/{published.key}/")
    assert "Sign in to run" in said
    assert "Each endl is a write of its own." in " ".join(said.split()).replace("  ", " ")
    assert "Somebody, on a laptop." in said


def test_list_comes_in_pages_and_asks_once_for_all_pictures(
    client: Client, instructor: User, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr("web.presentation.experiments.listing.PAGING", Paging(size=2))
    for number in range(5):
        own = make_own(instructor, replace(SPEC, title=f"Number {number}"), is_published=number != 1)
        make_run(instructor, own.key, own.spec, is_shared=True)
    client.force_login(instructor)
    first = client.get("/experiments/")
    second = client.get(f"/experiments/?{first.context['page'].on}")
    third = client.get(f"/experiments/?{second.context['page'].on}")
    titles = [[card.shown.spec.title for card in each.context["published"]] for each in (first, second, third)]
    assert titles == [["Number 4", "Number 3"], ["Number 2"], ["Number 0"]]
    assert [each.spec.title for each in second.context["unpublished"]] == ["Number 1"]
    assert third.context["page"].on == ""
    assert first.context["ready"]
    assert not second.context["ready"]
    assert all(card.picture for each in (first, second, third) for card in each.context["published"])
    assert "Write calls, logarithmic" in first.content.decode()
    with django_assert_num_queries(1):
        runs = best_runs([card.shown for card in (*first.context["ready"], *first.context["published"])], instructor)
    assert len(runs) == 2


def test_run_to_show_is_the_newest_of_the_experiment_as_it_is(
    instructor: User, student: User, published: Experiment
) -> None:
    other = make_own(instructor, replace(SPEC, title="Another"), is_published=True)
    shown = [shown_own(each) for each in (published, other)]
    changed = replace(SPEC, rounds=3)
    make_run(student, published.key, is_shared=True)
    newest = make_run(student, published.key, is_shared=True)
    make_run(student, published.key, changed, is_shared=True)
    make_run(student, other.key, SPEC, is_shared=True)  # of what it was before
    make_run(instructor, other.key, shown[1].spec)  # not shared
    assert best_runs(shown, student) == {published.key: newest}
    assert best_runs(shown, instructor).keys() == {published.key, other.key}
    assert best_runs([], student) == {}


@pytest.mark.parametrize("before", ["x", "-1", "9" * 19, "\u0663"])
def test_what_is_no_number_is_the_first_page(client: Client, published: Experiment, before: str) -> None:
    answer = client.get("/experiments/", {"before": before})
    assert answer.context["ready"]
    assert [card.shown.key for card in answer.context["published"]] == [published.key]


def test_everybody_finds_experiments_from_any_page(client: Client, student: User) -> None:
    assert b'href="/experiments/"' in client.get("/").content
    client.force_login(student)
    assert b'href="/experiments/"' in client.get("/submissions/").content


def test_unpublished_experiment_is_its_owners(client: Client, instructor: User, student: User) -> None:
    own = make_own(student)
    instructors = make_own(instructor)
    client.force_login(student)
    assert client.get(f"/experiments/{own.key}/").status_code == 200
    for address in (f"/experiments/{instructors.key}/", f"/experiments/{instructors.key}/change"):
        assert client.get(address).status_code == 404
    assert client.post(f"/experiments/{instructors.key}/run").status_code == 404
    assert not ExperimentRun.objects.exists()


@pytest.mark.parametrize(
    "key", ["e0-nothing", "own-", "own-0", "own-99999999999999999999", "own-01", "runs", "submissions"]
)
def test_unknown_key_is_not_found(client: Client, key: str) -> None:
    assert client.get(f"/experiments/{key}/").status_code == 404


def test_own_number_with_zeros_before_it_is_not_found(client: Client, published: Experiment) -> None:
    assert client.get(f"/experiments/own-0{published.pk}/").status_code == 404


def test_source_is_escaped_and_lines_that_differ_are_marked(client: Client, instructor: User) -> None:
    first, second = SPEC.variants
    evil = "int main() {\n  put('<script>');\n}\n"
    spec = ExperimentSpec(
        **{**_columns(SPEC), "variants": (first, type(second)(name="endl", language="cpp", source=evil))}
    )
    own = make_own(instructor, spec, is_published=True)
    html = client.get(f"/experiments/{own.key}/").content.decode()
    assert "'<script>'" not in html
    assert html.count('class="differs"') == 2  # one line of each


def _columns(spec: ExperimentSpec) -> dict[str, Any]:
    return {name: getattr(spec, name) for name in spec.__dataclass_fields__}


def test_result_that_is_shown_is_of_this_experiment_as_it_is(
    client: Client, published: Experiment, student: User, other_student: User
) -> None:
    changed = replace(SPEC, rounds=3)
    make_run(student, published.key, changed, is_shared=True)
    make_run(student, published.key)  # not shared
    for user in (None, other_student):
        assert " Results " not in page(client, f"/experiments/{published.key}/", user)
    assert " Results " in page(client, f"/experiments/{published.key}/", student)
    ExperimentRun.objects.update(is_shared=True)
    said = page(client, f"/experiments/{published.key}/", other_student)
    assert " Results " in said
    assert "Reproduced" in said


def test_list_shows_ones_own_runs_only(client: Client, student: User, other_student: User) -> None:
    make_run(student)
    assert "Flushing" in page(client, "/experiments/", student)
    assert "Flushing" not in page(client, "/experiments/", other_student)


# Running


def test_list_says_how_many_runs_there_are_without_reading_them(
    client: Client, student: User, published: Experiment, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    make_run(student, published.key)
    make_run(student, published.key, status="judging", runs=measured()[:3])
    client.force_login(student)
    for address in ("/experiments/", f"/experiments/{published.key}/"):
        said = page(client, address)
        assert address != "/experiments/" or "Flushing judging," in said
        assert "16 runs," in said
        assert "judging, 3 of 16," in said
    with django_assert_max_num_queries(1) as queries:
        told = [(vars(run)["title"], vars(run)["measured"]) for run in last_runs(student)]
    assert told == [("Flushing", 3), ("Flushing", 16)]
    columns = queries.captured_queries[0]["sql"].partition(" FROM ")[0]
    assert not [name for name in ("spec", "runs", "failed") if f'"{name}",' in columns]


def test_running_needs_signing_in(client: Client, published: Experiment) -> None:
    for address in (f"/experiments/{published.key}/run", f"/experiments/{published.key}/change"):
        answer = client.post(address, typed())
        assert answer.status_code == 302
        assert answer["Location"].startswith("/login/")
    assert not ExperimentRun.objects.exists()


def test_run_button_starts_it_as_it_is(client: Client, published: Experiment, student: User) -> None:
    client.force_login(student)
    answer = client.post(f"/experiments/{published.key}/run")
    run = ExperimentRun.objects.get()
    assert answer["Location"] == f"/experiments/runs/{run.pk}/"
    assert (run.user, run.key, run.spec, run.total_runs) == (student, published.key, SPEC, 16)


@pytest.mark.usefixtures("every_send_counts")
def test_experiment_that_needs_several_cores_has_them(client: Client, instructor: User, student: User) -> None:
    own = make_own(instructor, replace(SPEC, settings=replace(SPEC.settings, cores=2)), is_published=True)
    client.force_login(student)
    client.post(f"/experiments/{own.key}/run")
    run = ExperimentRun.objects.get()
    client.post(f"/experiments/runs/{run.pk}/again")
    assert [each.spec.settings.cores for each in ExperimentRun.objects.all()] == [2, 2]


def test_a_button_pressed_twice_makes_one_run(client: Client, published: Experiment, student: User) -> None:
    client.force_login(student)
    places = {client.post(f"/experiments/{published.key}/run")["Location"] for _ in range(2)}
    run = ExperimentRun.objects.get()
    assert places == {f"/experiments/runs/{run.pk}/"}
    assert "You sent the same a few seconds ago." in page(client, f"/experiments/runs/{run.pk}/")


@pytest.mark.usefixtures("every_send_counts")
def test_refusal_is_said_on_the_page_that_it_came_from(client: Client, published: Experiment, student: User) -> None:
    client.force_login(student)
    for _ in range(2):
        client.post(f"/experiments/{published.key}/run")
    said = text_of(client.post(f"/experiments/{published.key}/run", follow=True).content)
    assert "as many as one person may have" in said
    said = text_of(client.post(f"/experiments/{published.key}/change", typed()).content)
    assert "as many as one person may have" in said
    assert ExperimentRun.objects.count() == 2


def test_changed_variant_is_run_with_the_rest_as_it_was(client: Client, published: Experiment, student: User) -> None:
    client.force_login(student)
    sources = [SPEC.variants[0].source, "int main() { return 0; }\r\n"]
    answer = client.post(f"/experiments/{published.key}/change", typed(variant_source=sources, rounds=5))
    run = ExperimentRun.objects.get()
    assert answer["Location"] == f"/experiments/runs/{run.pk}/"
    spec = run.spec
    assert spec.variants[1].source == "int main() { return 0; }\n"
    assert spec.variants[1].args == ("-n", "20 000")
    assert (spec.rounds, spec.claims, spec.published) == (5, SPEC.claims, SPEC.published)
    said = page(client, f"/experiments/runs/{run.pk}/")
    assert "This run differs from the published experiment: endl was changed." in said


def test_nothing_changed_is_the_same_experiment(client: Client, published: Experiment, student: User) -> None:
    client.force_login(student)
    client.post(f"/experiments/{published.key}/change", typed())
    assert ExperimentRun.objects.get().spec == SPEC


def test_claims_and_figures_go_with_the_variant_that_they_are_about(
    client: Client, published: Experiment, student: User
) -> None:
    client.force_login(student)
    client.post(f"/experiments/{published.key}/change", typed(variant_name=["newline", "flush"]))
    spec = ExperimentRun.objects.get().spec
    assert spec.claims == ()
    assert [row.variant for row in spec.published] == ["newline"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"variant_source": ["", "int main() {}"]}, "The source is empty."),
        ({"variant_name": ["endl", "endl"]}, "The name is the name of another variant too."),
        ({"variant_args": ["", "'"]}, "A quotation mark is not closed."),
        ({"variant_language": ["cpp", "cobol"]}, "The language must be one of"),
        ({"rounds": 51}, "Rounds: must be 1 to 50."),
        ({"memory_mib": 8}, "Memory limit, MiB: must be 16 to 2,048."),
        ({"cpu_time_s": "0.0001"}, "no more than 3 decimal places"),
        ({"cpu_time_s": "0"}, "CPU time limit, s: must be 100 to 10,000."),
        ({"cpu_time_s": "1e999999"}, "less than or equal to 3600"),
        ({"cores": 2}, "as many cores and processes as the experiment itself, 1 and 64, and no more."),
        ({"destinations": []}, "Choose at least one destination."),
        ({"destinations": ["printer"]}, "printer is not one of the available choices"),
        ({"rounds": "9" * 30}, "Rounds: must be a whole number."),
        ({"variant_name": [], "variant_source": []}, "The variants: must be 1 to"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays(
    client: Client, published: Experiment, student: User, changed: dict[str, Any], said: str
) -> None:
    client.force_login(student)
    answer = client.post(
        f"/experiments/{published.key}/change", typed(**{"variant_note": ["typed before", "x"], **changed})
    )
    assert answer.status_code == 422
    assert said in text_of(answer.content)
    if "variant_name" not in changed:
        assert "typed before" in answer.content.decode()
    assert not ExperimentRun.objects.exists()


def test_variants_are_added_and_removed_without_javascript(
    client: Client, published: Experiment, student: User
) -> None:
    client.force_login(student)
    address = f"/experiments/{published.key}/change"
    more = client.post(address, typed(more="variant", rounds="many"))
    assert more.status_code == 200
    html = more.content.decode()
    assert html.count('name="variant_source"') == 3
    assert 'value="many"' in html  # what was typed stays, and nothing is blamed yet
    assert "errorlist" not in html
    less = client.post(address, typed(less="variant-0")).content.decode()
    assert less.count('name="variant_source"') == 1
    assert 'value="newline"' not in less
    for nonsense in ("variant-9", "variant-", "claim-0", "x"):
        assert client.post(address, typed(less=nonsense)).content.decode().count('name="variant_source"') == 2
    assert not ExperimentRun.objects.exists()


def test_blank_row_does_not_count(client: Client, published: Experiment, student: User) -> None:
    client.force_login(student)
    rows = typed()
    for name, blank in (("name", ""), ("language", "python"), ("args", ""), ("note", ""), ("source", "")):
        rows[f"variant_{name}"] = [*rows[f"variant_{name}"], blank]
    client.post(f"/experiments/{published.key}/change", rows)
    assert ExperimentRun.objects.get().spec == SPEC
