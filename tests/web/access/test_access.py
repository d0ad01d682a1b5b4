"""Who may see and do what: every address of `web.access.addresses.ADDRESSES`, loaded and posted to by seven people.

The table says which rule lets whom in and which rule the view asks for its row; here stands who that is, of rows that
are there, in two worlds. `tests/web/test_every_address.py` looks at what the answers say.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import path, reverse
from django.utils import timezone
from django.utils.http import int_to_base36, urlencode

from judge.models import (
    Assignment,
    CustomRun,
    Experiment,
    ExperimentRun,
    Invitation,
    PackageUpload,
    Rejudge,
    RejudgedSubmission,
    SharedComparison,
    SharedSide,
    Status,
    Submission,
    TestCaseResult,
)
from problems.jsonvalues import to_json
from problems.models import Audience, Problem, ProblemVersion
from problems.store.publishing import publish
from tests.judge.grading.experiment.specs import TINY
from tests.web.views.problems.edit.form import LEGACY
from web import access
from web.access import addresses
from web.access.addresses import ADDRESSES
from web.access.guard import Address, Refusal, Rule, guarded
from web.identity import signing_up
from web.urls import urlpatterns

pytestmark = pytest.mark.django_db

STAFF = {"staff", "administrator"}
EVERYBODY = {"nobody", "student", "other student", "instructor", "other instructor"} | STAFF
SIGNED_IN = EVERYBODY - {"nobody"}
TEACHERS = {"instructor", "other instructor"} | STAFF
OWNERS = {"instructor"} | STAFF  # of what the instructor made
AUTHORS = {"student"} | STAFF  # of what the student sent

ADMITTED: dict[Rule, set[str]] = {
    addresses.EVERYBODY: EVERYBODY,
    addresses.SIGNED_IN: SIGNED_IN,
    addresses.SIGNED_IN_PART: SIGNED_IN,
    addresses.OPENID: set(),  # no provider is set here: tests/web/identity/test_openid.py
    addresses.OPENID_OWN: set(),
    addresses.INSTRUCTORS: TEACHERS,
    addresses.MANAGERS: TEACHERS,
    addresses.MANAGERS_PART: TEACHERS,
    addresses.STAFF: STAFF,
    addresses.ADMINISTRATORS: {"administrator"},
}
# whose the rows are: the problem is hidden, the experiment not published, the run not shared
PRIVATE: dict[Callable[..., object], set[str]] = {
    access.visible_problems: OWNERS,
    access.readable_versions: OWNERS,
    access.manageable_problems: OWNERS,
    access.manageable_uploads: OWNERS,
    access.manageable_rejudges: OWNERS,
    access.readable_submissions: AUTHORS,
    access.readable_custom_runs: STAFF,  # nobody runs on a problem that they may not see
    access.own_links: {"student"},
    access.readable_links: OWNERS,
    access.readable_assignments: {"student", "instructor"} | STAFF,
    access.joined_assignments: {"student"},
    access.manageable_assignments: OWNERS,
    access.restorable_assignments: OWNERS,
    access.assignment_of_link: EVERYBODY,  # with the link
    access.manageable_invitations: OWNERS,
    access.manageable_people: {"administrator"},
    access.visible_experiments: OWNERS,
    access.manageable_experiments: OWNERS,
    access.readable_runs: AUTHORS,
    access.own_runs: {"student"},
    access.may_read_metrics: EVERYBODY,  # of this machine
    signing_up.check: EVERYBODY,
}
OPEN = PRIVATE | {
    access.visible_problems: EVERYBODY,
    access.readable_versions: EVERYBODY,
    access.readable_links: EVERYBODY,
    access.readable_custom_runs: AUTHORS,
    access.visible_experiments: EVERYBODY,
    access.readable_runs: EVERYBODY,
}
WORLDS = {"private": PRIVATE, "open": OPEN}
BY_QUERY = {"preview", "experiment_new", "compare", "run_again", "share_comparison"}  # name their row in no path
LET_IN = {200, 302, 422}
OF_PATTERN = {pattern.name: pattern for pattern in urlpatterns}


@pytest.fixture
def people() -> dict[str, User | None]:
    """The seven, each by what they are called here."""
    teaching = Permission.objects.get(content_type__app_label="problems", codename="add_problem")
    found: dict[str, User | None] = {"nobody": None}
    for name in sorted(SIGNED_IN):
        is_administrator = name == "administrator"
        user = User.objects.create_user(name.replace(" ", "-"), is_staff=name in STAFF, is_superuser=is_administrator)
        if "instructor" in name:
            user.user_permissions.add(teaching)
        found[name] = user
    return found


@pytest.fixture
def problem(people: dict[str, User | None], own_store: None, tmp_path: Path) -> Problem:
    """The instructor's, with a package that is in the store."""
    folder = tmp_path / "twice"
    for name, text in LEGACY.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
    return publish(folder, owner=people["instructor"]).problem


@pytest.fixture
def submissions(people: dict[str, User | None], problem: Problem) -> list[Submission]:
    """Two of the student's, judged."""
    columns = {"user": people["student"], "problem": problem, "problem_version": problem.current_version}
    judged = {"language": "python", "source": b"print(1)\n", "status": Status.DONE, "verdict": "AC", "attempt": 1}
    sent = [Submission.objects.create(**columns, **judged) for _ in range(2)]
    numbers = [field.name for field in TestCaseResult._meta.fields if field.name.endswith(("_us", "_calls", "_bytes"))]
    numbers += ["voluntary_switches", "involuntary_switches", "minor_faults", "major_faults"]
    times = {"lines": [], "stacks": [], "samples": 20, "elsewhere": 20, "lost": 0, "cut": 0, "cpu_time_us": 20_000}
    for submission in sent:
        case = {"submission": submission, "attempt": 1, "position": 0, "name": "sample/1", "is_sample": True}
        case["line_times"] = times | {"period_us": 997, "is_whole": True}
        TestCaseResult.objects.create(**case, verdict="AC", **dict.fromkeys(numbers, 1))
    return sent


@pytest.fixture
def values(people: dict[str, User | None], problem: Problem, submissions: list[Submission]) -> dict[str, object]:
    """A row of every kind; returns a value for each parameter of an address."""
    student, instructor = people["student"], people["instructor"]
    version = problem.current_version
    assert student
    assert instructor
    assert version
    rejudge = Rejudge.objects.create(problem=problem, version=version, reason="why", made_by=instructor)
    rejudged = RejudgedSubmission.objects.create(
        rejudge=rejudge,
        submission=submissions[0],
        old_version=version,
        old_attempt=1,
        status=Status.DONE,
        verdict="WA",
        old_verdict="AC",
    )
    upload = PackageUpload.objects.create(
        owner=instructor,
        replaces=problem,
        name="twice.zip",
        size=1,
        status=Status.DONE,
        digest=version.digest,
        columns={"title": "Twice", "files": version.files},
    )
    assignment = Assignment.objects.create(title="Buffers", owner=instructor)
    assignment.problems.add(problem)
    assignment.students.add(student)
    deleted = Assignment.objects.create(title="Deleted", owner=instructor, deleted_at=timezone.now())
    tomorrow = timezone.now() + timedelta(days=1)
    invitation = Invitation.objects.create(note="class", owner=instructor, most_uses=1, expires_at=tomorrow)
    experiment = Experiment.objects.create(owner=instructor, spec=TINY)
    run = ExperimentRun.objects.create(
        user=student, key="e1-leftover-print", spec=TINY, total_runs=4, status=Status.DONE
    )
    custom = CustomRun.objects.create(
        user=student, problem_version=version, language="python", source=b"x", time_limit_ms=1, status=Status.DONE
    )
    shared = SharedComparison.objects.create(token="A" * 32, owner=student)
    SharedSide.objects.bulk_create(
        SharedSide(shared=shared, submission=submission, position=position)
        for position, submission in enumerate(submissions)
    )
    address = EmailAddress.objects.create(user=student, email="student@example.org")
    return {
        "slug": problem.slug,
        "number": 1,
        "path": "attachments/notes.txt",
        "submission_id": submissions[0].pk,
        "position": 0,
        "examination": "profile",
        "kind": "submission",
        "rejudge_id": rejudge.pk,
        "rejudged_id": rejudged.pk,
        "upload_id": upload.pk,
        "assignment_id": assignment.pk,
        "deleted_id": deleted.pk,
        "token": assignment.token,
        "invitation_id": invitation.pk,
        "key": experiment.key,
        "run_id": run.pk,
        "custom_run_id": custom.pk,
        "person_id": student.pk,
        "link_token": shared.token,
        "uidb36": int_to_base36(student.pk),
        "link_key": EmailConfirmationHMAC(address).key,
    }


def _make_open() -> None:
    Problem.objects.update(audience=Audience.EVERYBODY)
    Experiment.objects.update(is_published=True)
    ExperimentRun.objects.update(is_shared=True)


def _make_private() -> None:
    Problem.objects.update(audience=Audience.HIDDEN)
    Experiment.objects.update(is_published=False)
    ExperimentRun.objects.update(is_shared=False)


def address_of(name: str, values: dict[str, object]) -> str:
    return reverse(name, kwargs={key: values[key] for key in OF_PATTERN[name].pattern.converters})


def _asked(name: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The query and the form with which an address names its row, where its path does not."""
    sides = [each.pk for each in Submission.objects.order_by("pk")]
    queries = {"compare": urlencode({"s": sides}, doseq=True), "experiment_new": urlencode({"from": values["key"]})}
    forms: dict[str, dict[str, Any]] = {
        "preview": {"statement": "Read *n*.", "form": "markdown", "problem": values["slug"]},
        "run_again": {"s": sides},
        "share_comparison": {"s": sides},
    }
    query = queries.get(name, "")
    return f"?{query}" if query else "", forms.get(name, {})


@contextmanager
def _undone() -> Iterator[None]:
    """Whatever the request does is as if it had not been."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def names_a_row(name: str) -> bool:
    return bool(OF_PATTERN[name].pattern.converters) or name in BY_QUERY


def expected(name: str, method: str, person: str, rows: dict[Callable[..., object], set[str]]) -> object:
    """What the table promises: a status, a Refusal, the page that has the form, or LET_IN."""
    address = ADDRESSES[name]
    if method != "POST" and address.page:
        return address.page
    rule = address.post if method == "POST" else address.get
    if rule is None:
        return 405
    if person not in ADMITTED[rule]:
        return rule.nobody if person == "nobody" else rule.others
    if address.asks and names_a_row(name) and person not in rows[address.asks]:
        return Refusal.NOT_FOUND
    return LET_IN


def is_as(answer: HttpResponseBase, wanted: object, values: dict[str, object]) -> bool:
    status, target = answer.status_code, answer.headers.get("Location", "")
    is_to_sign_in = status == 302 and target.startswith("/login/?next=/")
    match wanted:
        case int():
            return status == wanted
        case str():
            return (status, target) == (302, address_of(wanted, values))
        case Refusal():
            statuses = {Refusal.NOT_FOUND: 404, Refusal.FORBIDDEN: 403}
            return is_to_sign_in if wanted is Refusal.SIGN_IN else status == statuses[wanted]
        case _:
            return status in LET_IN and not is_to_sign_in


@pytest.mark.parametrize("person", sorted(EVERYBODY))
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.each
def test_every_address_answers_each_person_as_the_table_says(
    world: str, person: str, people: dict[str, User | None], values: dict[str, object]
) -> None:
    (_make_open if world == "open" else _make_private)()
    user, client = people[person], Client(SERVER_NAME="localhost")
    if user:
        client.force_login(user)
    session = client.cookies.get(settings.SESSION_COOKIE_NAME)
    wrong = []
    for name in ADDRESSES:
        query, form = _asked(name, values)
        for method, ask in (("GET", client.get), ("POST", client.post)):
            with _undone():
                if session:
                    client.cookies[settings.SESSION_COOKIE_NAME] = session.value  # signing out is one of the addresses
                answer = ask(address_of(name, values) + query, form if method == "POST" else None)
                if answer.streaming and not name.endswith("_events"):
                    b"".join(answer)
            wanted = expected(name, method, person, WORLDS[world])
            if not is_as(answer, wanted, values):
                got = f"{answer.status_code} {answer.headers.get('Location', '')}"
                wrong.append(f"{method} {name}: {got}, not {wanted}")
    assert not wrong, "\n".join(wrong)


def test_the_head_of_a_page_is_for_those_who_may_load_it(
    people: dict[str, User | None], values: dict[str, object]
) -> None:
    """And a stream, which does not end by itself, has no head alone."""
    client = Client()
    names = ("submission", "manage", "submit", "submission_events")

    def statuses() -> list[int]:
        return [client.head(address_of(name, values)).status_code for name in names]

    assert statuses() == [302, 404, 302, 404]
    for person, wanted in (("student", [200, 404, 302, 405]), ("instructor", [404, 200, 302, 405])):
        user = people[person]
        assert user
        client.force_login(user)
        assert statuses() == wanted
    assert client.put(address_of("submit", values)).status_code == 405


def test_an_address_that_names_a_row_has_the_rule_for_it() -> None:
    """All but three: staff try any kind of work again, and the link of a mail is its own permission."""
    without = {name for name, address in ADDRESSES.items() if address.asks is None and names_a_row(name)}
    assert without == {"try_again", "account_confirm_email", "account_reset_password_from_key"}


def test_every_rule_of_the_table_is_walked() -> None:
    rules = {rule for address in ADDRESSES.values() for rule in (address.get, address.post) if rule}
    assert rules == ADMITTED.keys()
    assert {address.asks for address in ADDRESSES.values() if address.asks} == PRIVATE.keys()


@pytest.mark.parametrize(
    ("name", "table"),
    [("new", {}), ("new", {"old": Address()}), ("new", {"new": Address(), "old": Address()}), (None, {})],
)
def test_an_address_that_the_table_does_not_name_stops_the_start(name: str | None, table: dict[str, Address]) -> None:
    pattern = path("new/", lambda request: HttpResponse(), name=name)
    with pytest.raises(ImproperlyConfigured):
        guarded([pattern], table)


def test_a_shared_run_on_a_case_of_a_hidden_problem_is_read_by_those_who_see_the_problem(
    people: dict[str, User | None], values: dict[str, object], problem: Problem
) -> None:
    assert problem.current_version
    case = {"version": problem.current_version.pk, "case": "secret/01"}
    ExperimentRun.objects.update(is_shared=True, spec=to_json(TINY) | {"case": case})

    def readers() -> set[str]:
        return {name for name, user in people.items() if user and access.readable_runs(user).exists()}

    assert readers() == SIGNED_IN
    Problem.objects.update(audience=Audience.HIDDEN)
    assert readers() == {"student", "instructor"} | STAFF
    ProblemVersion.objects.filter(pk=problem.current_version.pk).update(problem=Problem.objects.create(slug="other"))
    assert readers() == AUTHORS


# where rules are written down: here, and in what makes the accounts
_RULES = {"web/access/__init__.py", "web/identity/accounts.py"}
_ASKING = r"""\.is_staff\b|["']is_staff["']|is_superuser|has_perm|\bperms\.|login_required|\broles\b"""
_ASKING += r"|\.(visible_to|is_visible_to|manageable_by|is_manageable_by|readable_by|owned_by|joined_by)\("


def test_views_templates_and_presentation_ask_nobody_else() -> None:
    web = settings.BASE_DIR / "web"
    files = [*web.rglob("*.py"), *(web / "templates").rglob("*.html")]
    asking = {
        f"{file.relative_to(settings.BASE_DIR)}: {line.strip()}"
        for file in files
        if str(file.relative_to(settings.BASE_DIR)) not in _RULES
        for line in file.read_text().splitlines()
        if re.search(_ASKING, line)
    }
    # what a page says of its reader, decided by `access.sight_of`
    assert {line for line in asking if not re.search(r"(reader|report)\.is_staff", line)} == set()
