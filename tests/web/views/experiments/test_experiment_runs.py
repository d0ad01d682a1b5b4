"""The page of a run: who reads it, what it says while it is measured and then, and its files."""

import codecs
import csv
import io
import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from judge.grading.experiment.results import RunMeasured
from judge.grading.experiment.spec import CaseRef, ExperimentSpec
from judge.models import Experiment, ExperimentRun, WorkerNode
from problems.jsonvalues import to_json
from problems.models import CaseVisibility, Problem
from tests.web.experiment_rows import FAILED, SPEC, make_own, make_run, measured
from tests.web.views.experiments.test_experiments import page, text_of

pytestmark = pytest.mark.django_db

READ = ("", "live", "events", "json", "csv")
POSTED = ("again", "share")
TIMES = "\u00d7"
HIDDEN, SAMPLE = "secret/03-big", "sample/1"


@pytest.fixture
def published(instructor: User) -> Experiment:
    """An instructor's experiment that everybody sees."""
    return make_own(instructor, is_published=True)


def on_case(problem: Problem, case: str) -> ExperimentSpec:
    """The experiment with a test case as its input."""
    assert problem.current_version
    variants = tuple(replace(variant, args=()) for variant in SPEC.variants)
    return replace(SPEC, variants=variants, case=CaseRef(version=problem.current_version.pk, case=case))


# Who


def test_run_is_its_owners_until_it_is_shared(
    client: Client, student: User, other_student: User, instructor: User
) -> None:
    run = make_run(student)
    for user, status in ((student, 200), (instructor, 200), (other_student, 404)):
        client.force_login(user)
        for part in READ:
            assert client.get(f"/experiments/runs/{run.pk}/{part}").status_code == status, (user, part)
    for part in POSTED:
        assert client.post(f"/experiments/runs/{run.pk}/{part}", {"share": "on"}).status_code == 404
    client.force_login(student)
    assert "this run and its sources" in text_of(
        client.post(f"/experiments/runs/{run.pk}/share", {"share": "on"}, follow=True).content
    )
    client.force_login(other_student)
    for part in READ:
        assert client.get(f"/experiments/runs/{run.pk}/{part}").status_code == 200
    assert "Share with signed-in users" not in page(client, f"/experiments/runs/{run.pk}/")
    client.force_login(student)
    client.post(f"/experiments/runs/{run.pk}/share", {"share": "off"})
    client.force_login(other_student)
    assert client.get(f"/experiments/runs/{run.pk}/").status_code == 404


def test_visitors_are_asked_to_sign_in_or_find_nothing(client: Client, student: User) -> None:
    run = make_run(student)
    for part in ("", "live", "json", "csv", "change"):
        answer = client.get(f"/experiments/runs/{run.pk}/{part}")
        assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/login/")
    assert client.get(f"/experiments/runs/{run.pk}/events").status_code == 404
    ExperimentRun.objects.update(is_shared=True)
    assert client.get(f"/experiments/runs/{run.pk}/events").status_code == 404


# What it says


def test_run_is_followed_while_it_is_measured(client: Client, student: User) -> None:
    run = make_run(student, status="queued", runs=[])
    client.force_login(student)
    assert "No worker is running" in page(client, f"/experiments/runs/{run.pk}/")
    now = timezone.now()
    WorkerNode.objects.create(name="node", languages={"cpp": "g++"}, started_at=now, last_seen_at=now)
    assert "Waiting in the queue" in page(client, f"/experiments/runs/{run.pk}/")
    ExperimentRun.objects.update(status="judging")
    assert "Compiling the variants." in page(client, f"/experiments/runs/{run.pk}/live")
    half = make_run(student, status="judging", runs=measured()[:7])
    html = client.get(f"/experiments/runs/{half.pk}/live").content.decode()
    assert f'data-events="/experiments/runs/{half.pk}/events"' in html
    assert '<progress class="result-progress" max="16" value="7"' in html
    said = text_of(html.encode())
    assert "7 of 16 runs measured." in said
    assert "Measured last: endl to a file, in round 2 of 4." in said
    assert "Claims" not in said  # nothing is claimed of half of it
    assert (
        '<noscript><meta http-equiv="refresh" content="5">'
        in client.get(f"/experiments/runs/{half.pk}/").content.decode()
    )
    done = make_run(student)
    assert "data-events" not in client.get(f"/experiments/runs/{done.pk}/live").content.decode()


def test_claims_are_told_with_what_was_measured(client: Client, student: User) -> None:
    run = make_run(student)
    said = page(client, f"/experiments/runs/{run.pk}/", student)
    first = f"1,200{TIMES} as many: 20,001 against 17, write calls of endl against newline ."
    assert f"Reproduced endl writes more often {first} These counts are exact: every run had the same." in said
    assert "The author measured: 4.7 times" in said
    assert "Not told from noise endl needs more memory No difference that can be told from noise:" in said


def test_count_that_varies_is_not_called_exact(client: Client, student: User) -> None:
    runs = measured()
    runs[-1] = replace(runs[-1], destination="file", numbers={**runs[-1].numbers, "write_calls": 20_002})
    run = make_run(student, runs=runs)
    said = page(client, f"/experiments/runs/{run.pk}/", student)
    assert "These counts are exact" not in said
    assert "Reproduced" in said


def test_direction_the_other_way_round_is_said(client: Client, student: User) -> None:
    run = make_run(student, runs=measured(writes=3))
    said = page(client, f"/experiments/runs/{run.pk}/", student)
    assert "The other way round" in said
    assert f"0.18{TIMES} as many: 3 against 17" in said


def test_side_that_has_nothing_of_it_is_said_to_have_none(client: Client, student: User) -> None:
    runs = [
        replace(run, numbers={**run.numbers, "write_calls": 0}) if run.variant == "newline" else run
        for run in measured()
    ]
    said = page(client, f"/experiments/runs/{make_run(student, runs=runs).pk}/", student)
    assert "endl writes more often 20,001 against none measured, write calls of endl against newline ." in said
    runs = [replace(run, numbers={**run.numbers, "write_calls": 0}) for run in measured()]
    said = page(client, f"/experiments/runs/{make_run(student, runs=runs).pk}/", student)
    assert "No difference that can be told from noise: 0 against 0, write calls" in said


def test_table_has_medians_intervals_ratios_and_published_figures(client: Client, student: User) -> None:
    run = make_run(student)
    said = page(client, f"/experiments/runs/{run.pk}/", student)
    assert "newline file 12.5 ms 12.3 to 12.6 ms" in said
    assert "20,001 exact" in said
    assert "50 % of wall time" in said
    assert f"9.9{TIMES} 9.8{TIMES} to 10{TIMES}" in said
    assert "endl 17.6 s" in said
    assert "Here, to a file" in said
    # the timeline: what is off the cores is not all waiting
    assert "0.50 cores busy on average" in said
    assert "The program was blocked for 50 % of the wall time." in said
    assert "Off the cores" in said
    assert "C++20 (g++ -O2) g++ 12.2" in said
    assert "cpu model A Processor" in said


def test_pictures_have_whiskers_and_a_logarithmic_scale(client: Client, student: User) -> None:
    run = make_run(student)
    html = client.get(f"/experiments/runs/{run.pk}/", follow=True).content.decode()
    client.force_login(student)
    html = client.get(f"/experiments/runs/{run.pk}/").content.decode()
    assert 'class="whisker"' in html
    assert '>Write calls</h3> <span class="soft">logarithmic</span>' in html
    assert "preserveAspectRatio" in html
    assert "style=" not in html


def test_run_that_was_kept_before_a_number_was_counted_has_all_the_others(client: Client, student: User) -> None:
    runs = [replace(run, numbers=without(run.numbers, "involuntary_switches")) for run in measured()]
    run = make_run(student, runs=runs)
    said = page(client, f"/experiments/runs/{run.pk}/", student)
    assert "newline file 12.5 ms" in said
    assert f"1,200{TIMES}" in said
    medians, _, ratios = said.partition("Relative to newline Each number")
    assert "Involuntary context switches" in medians
    ratios = ratios.partition("Published figures")[0]
    assert "Voluntary context switches" in ratios
    assert "Involuntary context switches" not in ratios
    heading, first, *_ = client.get(f"/experiments/runs/{run.pk}/csv").content.decode("utf-8-sig").splitlines()
    cells = dict(zip(heading.split(","), first.split(","), strict=True))
    assert (cells["write_calls"], cells["involuntary_switches"]) == ("17", "")


def without(numbers: Mapping[str, int], name: str) -> dict[str, int]:
    """The numbers but for this one."""
    return {each: number for each, number in numbers.items() if each != name}


def test_variant_that_is_not_compiled_is_shown_with_the_compilers_words(client: Client, student: User) -> None:
    runs = [run for run in measured() if run.variant == "newline"]
    run = make_run(student, runs=runs, failed=[FAILED])
    client.force_login(student)
    html = client.get(f"/experiments/runs/{run.pk}/").content.decode()
    assert "endl</strong> did not compile and was left out." in html
    assert "&lt;b&gt;was not declared" in html
    assert "This run has no measurement of it." in text_of(html.encode())


def with_ending(variant: str, ending: str, verdict: str) -> list[RunMeasured]:
    """All runs, those of one variant ended like this."""
    return [replace(run, ending=ending, verdict=verdict) if run.variant == variant else run for run in measured()]


def test_runs_that_were_stopped_have_at_least_what_was_measured(client: Client, student: User) -> None:
    run = make_run(student, runs=with_ending("endl", "cpu_limit", "TLE"))
    said = page(client, f"/experiments/runs/{run.pk}/", student)
    assert "endl stopped at the CPU time limit file \u2265 0.12 s" in said
    assert "newline file 12.5 ms" in said
    assert "endl file \u2265 0.12 s" in said  # in a picture
    assert f"At least 1,200{TIMES} as many: \u2265 20,001 against 17, write calls" in said
    assert "The one with more was stopped at a limit." in said
    assert "With at least 97 %" not in said
    assert "endl needs more memory One of the two was stopped at a limit or crashed, so this run cannot tell." in said
    against = said.partition("Relative to newline Each number")[2]
    assert f"at least 9.8{TIMES} more" in against
    assert "Where one of the two was stopped at a limit, only a bound is known, or nothing can be told." in against
    assert f"9.9{TIMES} " not in said  # a lower bound has no ratio
    assert "Not told:" not in against
    assert "Beneath: the range" not in against


def test_first_variant_that_was_stopped_may_have_needed_any_time(client: Client, student: User) -> None:
    run = make_run(student, runs=with_ending("newline", "cpu_limit", "TLE"))
    said = page(client, f"/experiments/runs/{run.pk}/", student)
    against = said.partition("Relative to newline Each number")[2].partition("Published figures")[0]
    assert "cannot be told" in against
    assert "more" not in against
    assert "new" not in against.replace("newline", "")


def test_what_crashed_is_not_compared(client: Client, student: User) -> None:
    run = make_run(student, runs=with_ending("endl", "signalled", "RE"))
    said = page(client, f"/experiments/runs/{run.pk}/", student)
    assert "Not compared: one of the two crashed." in said
    assert "\u2265" not in said


def test_what_a_wrong_answer_took_is_compared(client: Client, student: User) -> None:
    run = make_run(student, runs=with_ending("endl", "exited", "WA"))
    said = page(client, f"/experiments/runs/{run.pk}/", student)
    assert f"endl wrong answer file 9.9{TIMES}" in said


def test_ranges_are_explained_by_what_so_many_runs_tell(client: Client, student: User) -> None:
    few = page(client, f"/experiments/runs/{make_run(student).pk}/", student)
    assert "Beneath: the least and the most of all runs, or that every run had exactly the same." in few
    assert "Beneath: the range that holds it with at least 97 % confidence." in few
    spec = replace(SPEC, rounds=6)
    many = page(client, f"/experiments/runs/{make_run(student, spec=spec).pk}/", student)
    assert "Beneath: where the median lies with at least 95 % confidence, or that every" in many


def test_failure_of_ours_is_said(client: Client, student: User) -> None:
    run = make_run(student, runs=[], problem="This run failed because of an error of ours.")
    assert "an error of ours" in page(client, f"/experiments/runs/{run.pk}/", student)


# Again


def test_same_is_run_again(client: Client, student: User, published: Experiment) -> None:
    run = make_run(student, published.key)
    client.force_login(student)
    answer = client.post(f"/experiments/runs/{run.pk}/again")
    newest = ExperimentRun.objects.latest("pk")
    assert answer["Location"] == f"/experiments/runs/{newest.pk}/"
    assert (newest.spec, newest.key, newest.status) == (run.spec, run.key, "queued")


def test_run_of_an_experiment_that_is_gone_still_shows_what_was_run(
    client: Client, student: User, published: Experiment
) -> None:
    run = make_run(student, published.key)
    published.delete()
    said = page(client, f"/experiments/runs/{run.pk}/", student)
    assert "put(endl)" in said.replace(" ", "")
    assert "This run differs from the published experiment" not in said


# Files


def test_json_has_all_of_it(client: Client, student: User) -> None:
    run = make_run(student, failed=[FAILED])
    client.force_login(student)
    answer = client.get(f"/experiments/runs/{run.pk}/json")
    assert answer["Content-Disposition"] == f'attachment; filename="experiment-{run.pk}.json"'
    value = json.loads(answer.content)
    assert value["spec"] == to_json(SPEC)
    assert value["runs"] == [to_json(each) | {"detail": ""} for each in run.runs]
    assert [claim["outcome"] for claim in value["results"]["claims"]] == [
        "reproduced",
        "no difference that can be told from noise",
    ]
    assert value["results"]["failed"] == [{"variant": FAILED["variant"], "message": FAILED["message"]}]
    assert value["toolchains"] == {"cpp": "g++ 12.2"}


def test_csv_has_a_line_per_run_and_no_formula(client: Client, student: User) -> None:
    first, second = SPEC.variants
    evil = replace(SPEC, variants=(first, replace(second, name='=HYPERLINK("x")')), claims=(), published=())
    run = make_run(student, spec=evil, runs=measured(evil))
    client.force_login(student)
    content = client.get(f"/experiments/runs/{run.pk}/csv").content
    assert content.startswith(codecs.BOM_UTF8)
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    assert len(rows) == 16
    assert {row["variant"] for row in rows} == {"newline", '\'=HYPERLINK("x")'}
    assert rows[0]["round"] == "0"
    assert rows[0]["cpu_time_us"] == "12345"


# Hidden test cases


@pytest.mark.parametrize(
    ("case", "is_rounded"),
    [(HIDDEN, True), (SAMPLE, False)],
)
def test_numbers_of_a_hidden_case_are_rounded_everywhere(
    client: Client, student: User, instructor: User, problem: Problem, case: str, is_rounded: bool
) -> None:
    run = make_run(student, "submissions", on_case(problem, case), is_shared=True)
    addresses = [f"/experiments/runs/{run.pk}/{part}" for part in ("", "live", "json", "csv")]
    for user, sees_all in ((student, not is_rounded), (instructor, True)):
        client.force_login(user)
        bodies = [client.get(address).content.decode() for address in addresses]
        exact = ("20,001", "20,001", "20001", "20001", "108890")
        assert [number in body for number, body in zip(exact, bodies, strict=False)] == [sees_all] * 4
        assert ("12345" in bodies[3]) == sees_all
        assert ("exact" in text_of(bodies[0].encode()).replace("exactly", "")) == sees_all
        assert ("." in json.loads(bodies[2])["finished_at"]) == sees_all, "a moment tells how long all runs took"
    client.force_login(student)
    assert ("numbers are rounded to two digits" in page(client, addresses[0])) == is_rounded


@pytest.mark.parametrize("closed", [{"audience": "hidden"}, {"is_archived": True}])
def test_shared_run_tells_nobody_else_of_a_problem_that_is_closed_to_them(
    client: Client, student: User, other_student: User, instructor: User, problem: Problem, closed: dict[str, object]
) -> None:
    run = make_run(student, "submissions", on_case(problem, SAMPLE), is_shared=True)
    addresses = [f"/experiments/runs/{run.pk}/{part}" for part in READ]
    client.force_login(other_student)
    assert {client.get(address).status_code for address in addresses} == {200}
    Problem.objects.update(**closed)
    for user, status in ((student, 200), (instructor, 200), (other_student, 404)):
        client.force_login(user)
        assert {client.get(address).status_code for address in addresses} == {status}, user
    client.force_login(other_student)
    assert client.post(f"/experiments/runs/{run.pk}/again").status_code == 404
    assert client.get(f"/experiments/runs/{run.pk}/change").status_code == 404


def test_case_that_its_problem_hides_shows_no_number(client: Client, student: User, problem: Problem) -> None:
    run = make_run(student, "submissions", on_case(problem, HIDDEN))
    Problem.objects.update(case_visibility=CaseVisibility.VERDICTS)
    client.force_login(student)
    for part in ("", "live", "json", "csv"):
        body = client.get(f"/experiments/runs/{run.pk}/{part}").content.decode()
        assert not any(number in body for number in ("20,0", "20001", "20000", "108890", "106.3"))
    assert "hides this test case" in page(client, f"/experiments/runs/{run.pk}/")
    assert client.post(f"/experiments/runs/{run.pk}/again").status_code == 404


def test_what_ran_on_a_test_case_is_not_changed(client: Client, student: User, problem: Problem) -> None:
    run = make_run(student, "submissions", on_case(problem, SAMPLE))
    client.force_login(student)
    assert "Change and run" not in page(client, f"/experiments/runs/{run.pk}/")
    assert client.get(f"/experiments/runs/{run.pk}/change").status_code == 404
    assert client.post(f"/experiments/runs/{run.pk}/change", {}).status_code == 404
