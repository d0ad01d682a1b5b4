"""Every address of the site, asked by nobody and by somebody else: nothing of a student's or of a hidden problem leaks.

A new address is walked by itself; one with a new kind of parameter fails here until VALUES knows it.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone
from django.utils.http import urlencode

from judge.grading.events import FindingOfOlderRow
from judge.grading.experiment.spec import ExperimentSpec, Variant
from judge.grading.verification.verified import ReportRecord
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
from problems.models import Audience, Problem
from problems.package import PageFile
from tests.extent import RUNS_ALL

pytestmark = pytest.mark.django_db

MARK = "zebra-9176"  # stands in everything that is not for others
ATTACHMENT = "attachments/notes.txt"
OPEN_TO_ALL = {"home", "help", "problem_list", "login", "signup", "healthz", "readyz", "metrics", "experiment_list"}
OPEN_TO_ALL.add("language")
OPEN_TO_ALL |= {"account_login", "account_signup", "account_reset_password", "account_reset_password_done"}
OPEN_TO_ALL |= {"account_reset_password_from_key", "account_confirm_email"}  # which say that the link is none
# and their own lists, which are empty here
OPEN_TO_OTHERS = OPEN_TO_ALL | {"submission_list", "submission_csv", "compare", "shared_comparisons", "assignment_list"}
OPEN_TO_OTHERS |= {"progress"}
# and their own account
OPEN_TO_OTHERS |= {
    "account",
    "remove_account",
    "account_change_password",
    "account_set_password",
    "account_email",
    "mfa_index",
}
OPEN_TO_OTHERS |= {"account_reauthenticate", "mfa_reauthenticate", "mfa_activate_totp"}
SENT_ELSEWHERE = 302
REFUSED = {403, 404, 405}


@pytest.fixture
def hidden_things(student: User, problem: Problem) -> dict[str, object]:
    """A hidden problem with a student's submission; returns a value for each parameter of an address."""
    User.objects.filter(pk=student.pk).update(username=f"name-{MARK}")
    Problem.objects.update(slug=MARK, title=f"title {MARK}", audience=Audience.HIDDEN)
    problem.refresh_from_db()
    assert problem.current_version
    problem.current_version.files = {ATTACHMENT: PageFile(kind="attachment", bytes=len(MARK))}
    problem.current_version.save()
    write_into_store(problem.current_version.digest, ATTACHMENT, MARK)
    submission = Submission.objects.create(
        user=student,
        problem=problem,
        problem_version=problem.current_version,
        language="python",
        source=f"# {MARK}".encode(),
        status=Status.DONE,
        verdict="AC",
        compile_ok=True,
        compile_message=MARK,
        explanation=(FindingOfOlderRow(code="x", text=MARK, evidence={}),),
    )
    numbers = {
        field.name: 1 for field in TestCaseResult._meta.fields if field.get_internal_type() == "PositiveBigIntegerField"
    }
    result = TestCaseResult(
        submission=submission, attempt=0, position=0, name=MARK, is_sample=True, verdict="AC", output=MARK.encode()
    )
    for name, number in numbers.items():
        setattr(result, name, number)
    result.save()
    rejudged = _rejudged(submission)
    return {
        "slug": MARK,
        "submission_id": submission.pk,
        "position": 0,
        "examination": "profile",
        "number": 1,
        "kind": "submission",
        "path": ATTACHMENT,
        "rejudge_id": rejudged.rejudge_id,
        "rejudged_id": rejudged.pk,
        "upload_id": _upload(student, problem).pk,
        **_experiment(student),
        "assignment_id": _assignment(student, problem).pk,
        "deleted_id": Assignment.objects.create(title=MARK, owner=student, deleted_at=timezone.now()).pk,
        "token": "guessed",
        "invitation_id": _invitation(student).pk,
        "link_token": _shared(submission).token,
        "custom_run_id": _custom_run(submission).pk,
        "uidb36": "1",
        "link_key": "guessed",
        "person_id": student.pk,
    }


def _assignment(owner: User, problem: Problem) -> Assignment:
    made = Assignment.objects.create(title=f"assignment {MARK}", owner=owner)
    made.problems.add(problem)
    made.students.add(owner)
    return made


def _invitation(owner: User) -> Invitation:
    return Invitation.objects.create(note=MARK, owner=owner, most_uses=1, expires_at=timezone.now() + timedelta(days=1))


def _shared(submission: Submission) -> SharedComparison:
    """It beside itself, shared by its author."""
    shared = SharedComparison.objects.create(token="A" * 32, owner=submission.user, shows_names=True)
    SharedSide.objects.bulk_create(
        SharedSide(shared=shared, submission=submission, position=position) for position in (0, 1)
    )
    return shared


def _custom_run(submission: Submission) -> CustomRun:
    """The student's own, on an input of their own."""
    return CustomRun.objects.create(
        user=submission.user,
        problem_version=submission.problem_version,
        language="python",
        source=MARK.encode(),
        input=MARK.encode(),
        time_limit_ms=1_000,
        status=Status.DONE,
        verdict="CE",
        compile_ok=False,
        compile_message=MARK,
    )


def _upload(owner: User, problem: Problem) -> PackageUpload:
    """A verified package of the student's, once an instructor."""
    write_into_store("0" * 64, ATTACHMENT, MARK)
    return PackageUpload.objects.create(
        owner=owner,
        replaces=problem,
        name=f"{MARK}.zip",
        size=1,
        status=Status.DONE,
        digest="0" * 64,
        columns={"title": MARK, "files": {ATTACHMENT: {"kind": "attachment", "bytes": len(MARK)}}},
        report=ReportRecord(errors=(MARK,)),
        is_clean=True,
    )


def _experiment(owner: User) -> dict[str, object]:
    """The student's own experiment, not published, and a run of it."""
    variant = Variant(name=MARK, language="python", source=MARK)
    spec = ExperimentSpec(title=MARK, question=MARK, variants=(variant,))
    made = Experiment.objects.create(owner=owner, spec=spec)
    run = ExperimentRun.objects.create(
        user=owner, key=made.key, spec=spec, total_runs=1, status=Status.DONE, toolchains={"python": MARK}, problem=MARK
    )
    return {"key": made.key, "run_id": run.pk}


def write_into_store(digest: str, name: str, text: str) -> None:
    """Keeps one file of a package, as if the package were in the store."""
    path = Path(settings.STORE_DIR) / digest / "package" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _rejudged(submission: Submission) -> RejudgedSubmission:
    """It in an open rejudge, judged, with nothing applied."""
    version = submission.problem_version
    rejudge = Rejudge.objects.create(problem=submission.problem, version=version, reason=f"reason {MARK}")
    return RejudgedSubmission.objects.create(
        rejudge=rejudge,
        submission=submission,
        old_version=version,
        old_attempt=submission.attempt,
        old_verdict=submission.verdict,
        status=Status.DONE,
        verdict="WA",
        judge_message=MARK,
    )


def addresses(values: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Name and path of every address that Django serves."""
    for pattern in get_resolver().url_patterns:
        assert isinstance(pattern, URLPattern), "walk included files of addresses too"
        assert pattern.name, pattern
        yield pattern.name, reverse(pattern.name, kwargs={key: values[key] for key in pattern.pattern.converters})


def walk(client: Client, user: User | None, values: dict[str, object], is_open: set[str]) -> None:
    """Raises AssertionError at the first address that shows something."""
    for name, path in addresses(values):
        for query in ("", f"?a={values['submission_id']}", f"?problem={MARK}"):
            for method in (client.get, client.post):
                if user:
                    client.force_login(user)  # each time: signing out is one of the addresses
                answer = method(path + query, {"language": "python", "source": "x"})
                what = f"{method.__name__} {path}{query}: {answer.status_code}"
                body = b"".join(answer) if answer.streaming else answer.content
                # What was asked for may be repeated, for one in a link to come back.
                shown = body.decode().replace(path, "").replace(f"problem={MARK}", "")
                assert MARK not in shown, f"{what}\n{shown}"
                if answer.status_code == SENT_ELSEWHERE:
                    target = answer["Location"].split("next=")[0]
                    assert MARK not in target or path.startswith(target), what  # a page above: what was asked for
                elif name not in is_open:
                    assert answer.status_code in REFUSED, what


def test_nobody_is_shown_nothing(client: Client, hidden_things: dict[str, object]) -> None:
    walk(client, None, hidden_things, OPEN_TO_ALL)
    assert Submission.objects.count() == 1
    assert Rejudge.objects.get().is_open


@pytest.mark.thorough
def test_somebody_else_is_shown_nothing(client: Client, hidden_things: dict[str, object], other_student: User) -> None:
    walk(client, other_student, hidden_things, OPEN_TO_OTHERS)
    assert Submission.objects.count() == 1
    assert Rejudge.objects.get().is_open


def test_the_walk_leaves_no_address_out(hidden_things: dict[str, object]) -> None:
    walked = {name for name, _ in addresses(hidden_things)}
    assert walked == {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    assert {"new_problem", "edit_problem", "preview", "upload", "replace"} <= walked


def test_the_walk_would_notice(client: Client, hidden_things: dict[str, object], instructor: User) -> None:
    with pytest.raises(AssertionError, match=MARK):
        walk(client, instructor, hidden_things, OPEN_TO_OTHERS)


def test_every_address_can_be_loaded_by_a_browser_that_stands_there(
    client: Client, hidden_things: dict[str, object], instructor: User
) -> None:
    """After a mistake in a form the browser stands at an address that only takes POST."""
    client.force_login(instructor)
    client.raise_request_exception = False  # its package is no package, which /edit/ does not like
    for name, path in addresses(hidden_things):
        answer = client.get(path)
        if answer.streaming and not name.endswith("_events"):
            b"".join(answer)
        assert answer.status_code != 405, name


def test_every_page_loads_the_same_few_files_and_the_editor_only_where_it_is_used(
    client: Client, hidden_things: dict[str, object], instructor: User
) -> None:
    client.raise_request_exception = False
    of_all = {"img/tally.svg", "build/site.css", "build/dark.css"}
    script, editor = "build/site.js", "build/editor.js"
    with_editor = set()
    for name, path in addresses(hidden_things):
        client.force_login(instructor)  # each time: signing out is one of the addresses
        answer = client.get(path)
        if name.endswith("_events"):
            continue
        page = (b"".join(answer) if answer.streaming else answer.content).decode(errors="replace")
        if not page.startswith("<!doctype html>"):
            continue
        tags = re.findall(r"<(?:script|link|img|style)\b[^>]*>", page)
        loaded = [tag for tag in tags if 'type="application/json"' not in tag]
        names = [re.sub(r'.*="/static/([\w/-]+)\.[0-9a-f]{12}(\.\w+)".*', r"\1\2", tag) for tag in loaded]
        assert len(names) == len(set(names)), path
        assert set(names) - {script, editor} == of_all, path
        assert (script in names) == (answer.status_code == 200), path
        assert (editor in names) == ("data-draft=" in page or "data-sources" in page), path
        if editor in names:
            with_editor.add(name)
    with_form = {"experiment_new", "experiment_change", "experiment_edit", "experiment_run_change"}
    assert with_editor == {"problem", *with_form}


# Of every page what it asks for after `?`: search and filters, a page of a list, what is compared, where to go on.
QUERIES = ["problem", "language", "verdict", "status", "user", "before", "after", "joined_before", "joined_after"]
QUERIES += [*"sab", "first", "pair", "shown", "next", "lang", "from", "asked", "older", "invitation", "x\0"]


def with_nul(values: dict[str, object]) -> Iterator[str]:
    """Every address with a NUL in each of its parameters, alone and within what is there."""
    for pattern in get_resolver().url_patterns:
        assert isinstance(pattern, URLPattern)
        own = {key: str(values[key]) for key in pattern.pattern.converters}
        route = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
        for key in own:
            for value in ("\0", f"{own[key]}\0", f"\0{own[key]}"):
                yield route.format(**{name: quote(text) for name, text in {**own, key: value}.items()})
        if not own:
            yield f"{route}%00"


@pytest.mark.parametrize(
    "who",
    [
        pytest.param(None, marks=pytest.mark.thorough),
        pytest.param("other_student", marks=pytest.mark.thorough),
        "instructor",
    ],
)
@pytest.mark.thorough
def test_nul_in_an_address_is_answered(
    client: Client, hidden_things: dict[str, object], request: pytest.FixtureRequest, who: str | None
) -> None:
    user = request.getfixturevalue(who) if who else None
    if user:
        client.force_login(user)
    for path in [*with_nul(hidden_things), "/%00", "/static/%00", "/static/build/site.css%00"]:
        for method in (client.get, client.post):
            assert method(path).status_code == 404, path
    values = ("\0", "1\0", f"{MARK}\0")  # each address gets each of them, each parameter too; all together in full
    paths = [path for _, path in addresses(hidden_things)]
    for turn, (path, name) in enumerate(product(paths, QUERIES)):
        for value in values if RUNS_ALL else [values[turn % len(values)]]:
            assert client.get(f"{path}?{urlencode({name: value})}").status_code == 400, f"{path} {name}"


def test_nul_in_a_query_is_answered_with_a_sentence(client: Client) -> None:
    answer = client.get("/login/?next=%00")
    assert answer.status_code == 400
    assert "The address or the form is not one that this site sent" in answer.content.decode()
    assert "default-src 'none'" in answer["Content-Security-Policy"]


def test_nul_in_a_cookie_is_as_if_there_were_none(client: Client) -> None:
    answer = client.get("/submissions/", headers={"Cookie": r'sessionid="aaaaaaaaaa\000"'})
    assert (answer.status_code, answer["Location"]) == (302, "/login/?next=/submissions/")


# Pages that need a package, or a whole report of one: what is hidden here has none.
ON_PACKAGES = {"edit_problem", "version_package", "package_upload", "upload_live", "upload_package", "publish_upload"}
READ_RAW = (
    "next",
    "invitation",
    "change",
    "exclude",
    "publish",
    "share",
    "upload",
    "refused",
    "shows_names",
    "s",
)  # by no form


def named_fields(client: Client, values: dict[str, object], user: User | None) -> set[str]:
    """The names of all fields of all pages that this user may open."""
    client.logout()
    if user:
        client.force_login(user)
    found = set(READ_RAW)
    for name, path in addresses(values):
        if not name.endswith("_events"):
            answer = client.get(path)
            page = (b"".join(answer) if answer.streaming else answer.content).decode()
            found |= set(re.findall(r'<(?:input|textarea|select|button)[^>]* name="([^"]+)"', page))
    return found - {"csrfmiddlewaretoken"}


@pytest.mark.parametrize(
    "who",
    [
        pytest.param(None, marks=pytest.mark.thorough),
        pytest.param("other_student", marks=pytest.mark.thorough),
        pytest.param("student", marks=pytest.mark.thorough),
        "instructor",
    ],
)
@pytest.mark.thorough
def test_nul_in_every_field_of_every_form_is_answered(
    client: Client, hidden_things: dict[str, object], instructor: User, request: pytest.FixtureRequest, who: str | None
) -> None:
    client.raise_request_exception = False
    fields = named_fields(client, hidden_things, instructor) | named_fields(client, hidden_things, None)
    assert {"username", "password1", "slug", "title", "reason", "publish", "language"} <= fields
    user = request.getfixturevalue(who) if who else None
    client.logout()
    forms = [dict.fromkeys(fields, "\0"), dict.fromkeys(fields, "1\0"), dict.fromkeys(READ_RAW, "\0")]
    for name, path in addresses(hidden_things):
        for form in forms:
            if user:
                client.force_login(user)  # each time: signing out is one of the addresses
            status = client.post(path, form).status_code
            assert status < 500 or (name in ON_PACKAGES and status == client.post(path).status_code), f"{path} {form}"
