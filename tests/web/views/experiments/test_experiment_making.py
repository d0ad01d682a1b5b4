"""An instructor's own experiments: made by hand or of another one, edited, published, taken back, deleted."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from judge.models import Experiment, ExperimentRun
from tests.web.experiment_rows import SPEC, make_own, make_run
from tests.web.views.experiments.test_experiments import page, text_of, typed

pytestmark = pytest.mark.django_db


@pytest.fixture
def publisher(db: None) -> User:
    """Somebody who may publish and is no staff."""
    user = User.objects.create_user("publisher")
    user.user_permissions.add(Permission.objects.get(codename="add_problem"))
    return user


def whole(**changed: Any) -> dict[str, Any]:
    """The form of an own experiment as a browser sends it."""
    return {
        **typed(),
        "title": SPEC.title,
        "question": SPEC.question,
        "mechanism": SPEC.mechanism,
        "published": "newline | time: 3.7 s | writes: 421\r\nendl | time: 17.6 s",
        "published_source": SPEC.published_source,
        "claim_text": [claim.text for claim in SPEC.claims],
        "claim_metric": [claim.metric for claim in SPEC.claims],
        "claim_more": [claim.more for claim in SPEC.claims],
        "claim_less": [claim.less for claim in SPEC.claims],
        "claim_destination": [claim.destination for claim in SPEC.claims],
        "claim_less_destination": ["", ""],
        "claim_published": [claim.published for claim in SPEC.claims],
        **changed,
    }


def test_experiment_is_made_and_published(client: Client, publisher: User, student: User) -> None:
    client.force_login(publisher)
    answer = client.post("/experiments/new/", whole())
    made = Experiment.objects.get()
    assert answer["Location"] == f"/experiments/{made.key}/"
    assert (made.owner, made.is_published, made.spec) == (publisher, False, SPEC)
    client.force_login(student)
    assert client.get(f"/experiments/{made.key}/").status_code == 404
    client.force_login(publisher)
    said = client.post(f"/experiments/{made.key}/publish", {"publish": "on"}, follow=True)
    assert "is published: everyone sees it" in text_of(said.content)
    assert "Flushing" in page(client, f"/experiments/{made.key}/", student)
    client.force_login(publisher)
    client.post(f"/experiments/{made.key}/publish", {"publish": "off"})
    client.force_login(student)
    assert client.get(f"/experiments/{made.key}/").status_code == 404


def test_form_of_an_edit_holds_what_is_there(client: Client, publisher: User) -> None:
    own = make_own(publisher)
    client.force_login(publisher)
    html = client.get(f"/experiments/{own.key}/edit").content.decode()
    assert "newline | time: 3.7 s | writes: 421\nendl | time: 17.6 s" in html
    assert html.count('name="claim_text"') == 2
    assert "-n &#x27;20 000&#x27;" in html
    client.post(f"/experiments/{own.key}/edit", whole(title="Flushing, again"))
    own.refresh_from_db()
    assert own.spec == replace(SPEC, title="Flushing, again")


def test_one_is_made_of_another(client: Client, publisher: User, instructor: User) -> None:
    other = make_own(instructor, is_published=True)
    hidden = make_own(instructor)
    client.force_login(publisher)
    assert "It flushes." in client.get(f"/experiments/new/?from={other.key}").content.decode()
    assert client.get(f"/experiments/new/?from={hidden.key}").status_code == 404
    client.post(f"/experiments/new/?from={other.key}", whole())
    assert Experiment.objects.latest("pk").spec == SPEC


def test_students_make_none(client: Client, student: User, instructor: User) -> None:
    own = make_own(instructor, is_published=True)
    client.force_login(student)
    assert client.get("/experiments/new/").status_code == 403
    assert client.post("/experiments/new/", whole()).status_code == 403
    assert client.post(f"/experiments/{own.key}/edit", whole(title="Mine")).status_code == 404
    assert client.post(f"/experiments/{own.key}/publish", {"publish": "off"}).status_code == 404
    assert client.post(f"/experiments/{own.key}/delete").status_code == 404
    own.refresh_from_db()
    assert (own.spec.title, own.is_published) == ("Flushing", True)
    assert "New experiment" not in page(client, "/experiments/")
    assert "Edit" not in page(client, f"/experiments/{own.key}/")


def test_another_publisher_changes_none_of_it_and_staff_may(client: Client, publisher: User, instructor: User) -> None:
    own = make_own(User.objects.create_user("owner"), is_published=True)
    client.force_login(publisher)
    assert client.post(f"/experiments/{own.key}/delete").status_code == 404
    client.force_login(instructor)
    client.post(f"/experiments/{own.key}/delete")
    assert not Experiment.objects.exists()


def test_runs_outlive_the_experiment(client: Client, publisher: User, student: User) -> None:
    own = make_own(publisher, is_published=True)
    make_run(student, own.key)
    client.force_login(publisher)
    assert "Its runs stay." in text_of(client.post(f"/experiments/{own.key}/delete", follow=True).content)
    assert ExperimentRun.objects.count() == 1


def test_ready_experiments_are_not_edited(client: Client, instructor: User) -> None:
    client.force_login(instructor)
    for part in ("edit", "publish", "delete"):
        assert client.post(f"/experiments/e2-line-buffered-stdout/{part}", whole()).status_code == 404


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"title": ""}, "This field is required."),
        ({"claim_more": ["nobody", "endl"]}, "The variant with more must be the name of a variant."),
        ({"claim_less": ["endl", "newline"]}, "The claim compares a variant with itself."),
        ({"claim_destination": ["terminal", "file"]}, "The destination must be one of the experiment"),
        ({"published": "nobody | time: 1 s"}, "must be the name of a variant"),
        ({"published": "newline | " + " | ".join(f"c{n}: 1" for n in range(13))}, "must be at most 12"),
        ({"question": "?" * 501}, "at most 500 characters"),
    ],
)
def test_what_is_wrong_is_said(client: Client, publisher: User, changed: dict[str, Any], said: str) -> None:
    client.force_login(publisher)
    answer = client.post("/experiments/new/", whole(**changed))
    assert answer.status_code == 422
    assert said in text_of(answer.content)
    assert not Experiment.objects.exists()


def test_claims_are_added_and_removed_without_javascript(client: Client, publisher: User) -> None:
    client.force_login(publisher)
    assert client.post("/experiments/new/", whole(more="claim")).content.decode().count('name="claim_text"') == 3
    less = client.post("/experiments/new/", whole(less="claim-0")).content.decode()
    assert less.count('name="claim_text"') == 1
    assert "needs more memory" in less
    assert not Experiment.objects.exists()


def test_blank_claim_does_not_count(client: Client, publisher: User) -> None:
    client.force_login(publisher)
    blank = {name: [*value, ""] for name, value in whole().items() if name.startswith("claim_")}
    blank["claim_metric"][-1] = "cpu_time_us"
    client.post("/experiments/new/", whole(**blank))
    assert Experiment.objects.get().spec.claims == SPEC.claims


def test_one_made_of_a_ready_one_has_its_texts_in_the_readers_language(client: Client, publisher: User) -> None:
    client.force_login(publisher)
    address = "/experiments/new/?from=e1-leftover-print"
    html = client.get(address, headers={"Accept-Language": "ko"}).content.decode()
    assert 'value="지우지 않은 출력문의 비용"' in html
    assert "python | 실행 시간: 출력문이 있을 때의 절반 이하" in html
    assert "Run time" not in html
    assert "Run time" in client.get(address).content.decode()
