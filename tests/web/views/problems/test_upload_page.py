"""The page of an upload: what it waits for, how far it is, its report, and the decision."""

import asyncio
import io
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from judge.grading.verification.verified import unreadable_as_json
from judge.models import PackageUpload, Status, WhenClean, WorkerNode
from judge.uploads import uploads
from problems import translation
from problems.columns import clean_json
from problems.loading.loading import load_package
from problems.models import Problem
from problems.package import PackageError
from problems.store.publishing import describe, keep
from problems.store.stores import package_store
from problems.translation import Sentence, joined
from tests.judge.packed import FILES
from tests.web.dense import dense
from web.identity.accounts import make_instructor
from web.live import stream
from web.views.problems.uploads import is_unfinished

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server", "own_store")]
UploadMaker = Callable[..., PackageUpload]
REPORT = {
    **unreadable_as_json("double", []),
    "ok": True,
    "time_limit_ms": 1_000,
    "submissions": [
        {
            "path": "accepted/a.py",
            "expected": ["AC"],
            "verdict": "AC",
            "ok": True,
            "max_cpu_time_us": 9_000,
            "bound": "lower",
        }
    ],
}


@pytest.fixture
def uploader(client: Client, student: User) -> Client:
    """The student made an instructor who is no staff, and signed in."""
    make_instructor(student)
    User.objects.update(is_staff=False)
    client.force_login(student)
    return client


@pytest.fixture
def make_upload(student: User) -> UploadMaker:
    """A function that inserts an upload; keyword arguments are its columns."""

    def make(**columns: object) -> PackageUpload:
        given = {"owner": student, "name": "double.zip", "size": 9, "slug": "double"}
        return PackageUpload.objects.create(**{**given, **columns})

    return make


@pytest.fixture
def verified(make_upload: UploadMaker, tmp_path: Path) -> UploadMaker:
    """A function that inserts an upload that a worker is done with."""
    folder = tmp_path / "double"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    package = load_package(folder)
    keep(package)
    found = {"digest": package.digest, "columns": describe(package), "report": REPORT, "is_clean": True}
    return lambda **columns: make_upload(**{"status": Status.DONE, **found, **columns})


@pytest.fixture
def worker(db: None) -> WorkerNode:
    """A living worker."""
    now = timezone.now()
    return WorkerNode.objects.create(name="node", started_at=now, last_seen_at=now)


def page(client: Client, upload: PackageUpload) -> str:
    return client.get(f"/uploads/{upload.pk}/").content.decode()


def test_waiting_upload_says_how_many_come_before(uploader: Client, make_upload: UploadMaker, worker: object) -> None:
    first, second = make_upload(), make_upload()
    assert "It is next." in page(uploader, first)
    assert "1 package is looked at before this one." in page(uploader, second)


def test_set_that_was_taken_apart_leads_to_its_packages(uploader: Client, make_upload: UploadMaker) -> None:
    left_out = Sentence("These files belong to no package and are left out: %(names)s.", names="README.md")
    whole = make_upload(name="set.zip", status=Status.DONE, columns={"warnings": [left_out.as_json()]})
    parts = [make_upload(name=name, part_of=whole) for name in ("a", "b")]
    found = page(uploader, whole)
    assert "<strong>Taken apart.</strong> The archive held 2 packages. Each is an upload of its own." in found
    assert "and are left out: README.md." in found
    assert all(f'href="/uploads/{part.pk}/"' in found for part in parts)
    assert "Discard" not in found
    listed = uploader.get("/problems/mine/").content.decode()
    assert f'href="/uploads/{whole.pk}/"' not in listed
    assert listed.count("from set.zip") == 2


MISTAKES = [{"file": "problem.yaml", "key": "", "why": "is missing"}]


def discarded(client: Client, *ticked: object, **fields: str) -> str:
    """The list after the ticked uploads were discarded."""
    answer = client.post("/uploads/discard", {"upload": [str(one) for one in ticked], **fields}, follow=True)
    assert answer.redirect_chain == [("/problems/mine/", 302)]
    return answer.content.decode()


def test_ticked_uploads_are_discarded_together(
    uploader: Client, verified: UploadMaker, make_upload: UploadMaker
) -> None:
    refused = make_upload(status=Status.DONE, mistakes=MISTAKES)
    going, clean, kept = make_upload(), verified(), verified()
    listed = uploader.get("/problems/mine/").content.decode()
    for one in (refused, going, clean, kept):
        assert f'<input type="checkbox" name="upload" value="{one.pk}"' in listed
    assert "3 uploads are discarded." in discarded(uploader, refused.pk, going.pk, clean.pk)
    assert list(PackageUpload.objects.undecided()) == [kept]
    going.refresh_from_db()
    assert (going.status, going.attempt) == (Status.DONE, 1)


def test_all_refused_uploads_are_discarded_with_one_button(
    uploader: Client, verified: UploadMaker, make_upload: UploadMaker
) -> None:
    kept = [verified(), verified(is_clean=False), make_upload()]
    assert "Discard all refused ones" not in uploader.get("/problems/mine/").content.decode()
    for _ in range(2):
        make_upload(status=Status.DONE, mistakes=MISTAKES)
    assert "Discard all refused ones" in uploader.get("/problems/mine/").content.decode()
    assert "2 uploads are discarded." in discarded(uploader, kept[0].pk, refused="1")
    assert list(PackageUpload.objects.undecided().order_by("pk")) == kept


def test_nothing_but_own_undecided_uploads_is_discarded_from_the_list(
    uploader: Client, student: User, verified: UploadMaker, make_upload: UploadMaker
) -> None:
    theirs = verified(owner=User.objects.create_user("bob"))
    published = verified()
    uploads.publish(published, student)
    whole = make_upload(status=Status.DONE)
    part = make_upload(part_of=whole)
    for ticked in ([], [theirs.pk, published.pk, whole.pk, part.pk + 99, "", "x", "9" * 30, "-1", "\u0661"]):
        assert "Nothing is discarded: choose uploads first." in discarded(uploader, *ticked)
    assert "Nothing is discarded" in discarded(uploader, refused="1")
    assert set(PackageUpload.objects.undecided()) == {theirs, whole, part}


def test_list_says_when_a_refused_upload_goes(uploader: Client, make_upload: UploadMaker) -> None:
    refused_at = datetime(2026, 11, 20, 14, 5, tzinfo=UTC)
    make_upload(status=Status.DONE, mistakes=MISTAKES, finished_at=refused_at)
    assert re.search(
        "is discarded at <time[^>]*>2026-11-21 14:05 UTC<", uploader.get("/problems/mine/").content.decode()
    )


def test_phases_files_and_submissions_are_shown_while_they_come(
    uploader: Client, make_upload: UploadMaker, worker: object
) -> None:
    progress = {
        "phases": [
            {"name": "programs", "done": 2, "total": 2, "problems": 0},
            {"name": "submissions", "done": 1, "total": 3, "problems": 1},
        ],
        "file": "wrong_answer/b.py",
        "submissions": REPORT["submissions"],
    }
    upload = make_upload(status=Status.JUDGING, progress=progress, lease_until=timezone.now() + timedelta(1))
    shown = page(uploader, upload)
    assert "2 of 2" in shown
    assert "1 of 3" in shown
    assert "1 problem<" in shown
    assert "wrong_answer/b.py" in shown
    assert "accepted/a.py" in shown
    assert f'hx-get="{reverse("upload_live", args=[upload.pk])}" hx-trigger="tally:refresh"' in shown
    assert '<meta http-equiv="refresh"' in shown
    assert "Publish" not in shown.split('id="live"')[1]


def test_worker_that_vanished_is_said_so(uploader: Client, make_upload: UploadMaker, worker: object) -> None:
    upload = make_upload(status=Status.JUDGING, lease_until=timezone.now() - timedelta(1))
    assert "has stopped answering. It is taken up again by itself." in page(uploader, upload)


def test_mistakes_are_grouped_by_file(uploader: Client, make_upload: UploadMaker) -> None:
    mistakes = [
        {"file": "problem.yaml", "key": "name", "why": "is missing"},
        {"file": "data/1.in", "key": "", "why": "has no <answer>"},
        {"file": "problem.yaml", "key": "limits", "why": "is no mapping\nline 3"},
    ]
    upload = make_upload(status=Status.DONE, mistakes=mistakes, is_clean=False, report=unreadable_as_json("x", ["y"]))
    shown = page(uploader, upload)
    assert "Nothing was published: 3 things are wrong with the package." in shown
    assert shown.count("<code>problem.yaml</code>") == 1
    assert "has no &lt;answer&gt;" in shown
    assert ">line 3</pre>" in shown
    assert "Upload again" in shown
    assert "hx-trigger" not in shown


def test_mistakes_and_report_are_said_in_the_readers_language(
    uploader: Client, make_upload: UploadMaker, verified: UploadMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = PackageError("data/1.in", "", Sentence("has more than %(most)s lines", most=7))
    remark = PackageError("data", "", Sentence("is odd")).sentence
    report = clean_json(unreadable_as_json("x", [wrong.sentence]))
    refused = make_upload(status=Status.DONE, mistakes=[wrong.record], is_clean=False, report=report)
    clean = verified(report=clean_json({**REPORT, "warnings": [wrong.sentence, remark]}))
    assert "has more than 7 lines" in page(uploader, refused)
    words = {"has more than %(most)s lines": "%(most)s줄보다 깁니다", "is odd": "이상합니다"}
    monkeypatch.setattr(translation, "_gettext", lambda sentence: words.get(sentence, sentence))
    assert "<p>7줄보다 깁니다</p>" in page(uploader, refused)
    shown = page(uploader, clean)
    assert ("data/1.in: 7줄보다 깁니다" in shown, "<li>data: 이상합니다</li>" in shown) == (True, True)
    assert shown.count("7줄보다 깁니다") == 1


def test_failure_of_ours_is_owned_up_to(uploader: Client, make_upload: UploadMaker) -> None:
    shown = page(uploader, make_upload(status=Status.DONE, trouble="SandboxError: no cgroup", token="t"))
    assert "That is the judge&#x27;s fault, not the package&#x27;s." in shown
    assert "SandboxError: no cgroup" in shown
    assert "Verify again" in shown


def test_clean_package_is_published_with_a_click(uploader: Client, verified: UploadMaker) -> None:
    upload = verified()
    assert ">Publish<" in page(uploader, upload)
    answer = uploader.post(f"/uploads/{upload.pk}/publish", {"slug": "twice", "audience": "hidden"})
    assert answer["Location"] == "/problems/twice/manage/"
    problem = Problem.objects.get()
    assert (problem.title, problem.audience) == ("Twice", "hidden")
    assert "It is version 1 of Twice." in page(uploader, upload)


def test_a_name_without_latin_letters_gets_a_free_address_proposed(
    uploader: Client, verified: UploadMaker, student: User
) -> None:
    upload = verified(slug="")
    sentence = "The package&#x27;s name gives no address, which has only a to z, 0 to 9 and hyphens. {} is free."
    shown = page(uploader, upload)
    assert sentence.format("twice") in shown
    assert 'name="slug" value="twice"' in shown
    Problem.objects.create(slug="twice", title="Twice", owner=student)
    assert sentence.format(f"problem-{upload.pk}") in page(uploader, upload)
    answer = uploader.post(f"/uploads/{upload.pk}/publish", {"slug": ""})
    assert "Enter an address: a to z, 0 to 9 and hyphens." in answer.content.decode()


def test_package_by_which_no_program_gets_a_verdict_offers_no_way_to_publish(
    uploader: Client, verified: UploadMaker
) -> None:
    why = Sentence("the checker does not work")
    report = clean_json({**REPORT, "no_verdicts": joined([why, "exit code 1"], ":\n")})
    upload = verified(is_clean=False, report=report)
    shown = page(uploader, upload)
    assert "so it cannot be published: the checker does not work:" in shown
    assert "Publish anyway" not in shown
    assert "Verify again" in shown
    assert uploader.post(f"/uploads/{upload.pk}/publish", {"slug": "double", "reason": "now"}).status_code == 422
    assert not Problem.objects.exists()
    upload.refresh_from_db()
    with override("ko"):
        assert upload.no_verdicts != "the checker does not work:"


def test_package_that_is_not_clean_is_published_with_a_reason_that_is_shown(
    uploader: Client, verified: UploadMaker
) -> None:
    upload = verified(is_clean=False)
    assert "Publish anyway" in page(uploader, upload)
    answer = uploader.post(f"/uploads/{upload.pk}/publish", {"slug": "double", "reason": " "})
    assert answer.status_code == 422
    assert "give a reason" in answer.content.decode()
    assert not Problem.objects.exists()
    uploader.post(f"/uploads/{upload.pk}/publish", {"slug": "double", "reason": "It <i>is</i> slow."})
    assert "It &lt;i&gt;is&lt;/i&gt; slow." in page(uploader, upload)
    assert "It &lt;i&gt;is&lt;/i&gt; slow." in uploader.get("/problems/double/manage/").content.decode()


def test_reasons_of_every_publication_stay(uploader: Client, verified: UploadMaker) -> None:
    uploads = [verified(is_clean=False) for _ in range(2)]
    for upload, reason in zip(uploads, ("It is slow.", "It is still slow."), strict=True):
        uploader.post(f"/uploads/{upload.pk}/publish", {"slug": "double", "reason": reason})
    shown = uploader.get("/problems/double/manage/").content.decode()
    assert f'<a href="/uploads/{uploads[0].pk}/">upload {uploads[0].pk}</a>): It is slow.' in shown
    assert f'<a href="/uploads/{uploads[1].pk}/">upload {uploads[1].pk}</a>): It is still slow.' in shown


def test_report_with_warnings_is_not_called_clean(uploader: Client, verified: UploadMaker) -> None:
    assert "<strong>Clean.</strong>" in page(uploader, verified())
    warned = {**REPORT, "warnings": ["one", "two"]}
    assert "<strong>Verified, with 2 warnings.</strong> No part of the package failed. Read the" in page(
        uploader, verified(report=warned)
    )
    assert '<span class="tag">2 warnings</span>' in uploader.get("/problems/mine/").content.decode()
    bare = page(uploader, verified(report={**warned, "submissions": []}))
    assert "no accepted submission was run to prove that it can be solved" in bare
    assert "Everything in the package is as it says" not in bare


def with_pictures(upload: PackageUpload) -> PackageUpload:
    """The upload with a picture and a secret test in its package."""
    files = {
        "statement/a b.svg": {"kind": "picture", "bytes": 6},
        "attachments/c.txt": {"kind": "attachment", "bytes": 1},
    }
    html = '<p>Look: <img src="files/statement/a%20b.svg" alt="A tree"></p>'
    korean = {"language": "ko", "title": "두 배", "html": "<p>여기</p>"}
    upload.columns |= {"files": files, "statement_html": html, "translations": [korean]}
    upload.save()
    for name, text in (("statement/a b.svg", "<svg/>"), ("attachments/c.txt", "c")):
        path = package_store().file(upload.digest, "problem.yaml").parent / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return upload


def test_report_shows_the_statement_as_students_will_see_it(uploader: Client, verified: UploadMaker) -> None:
    upload = with_pictures(verified())
    shown = page(uploader, upload)
    assert "As students see it" in shown
    assert f'<p>Look: <img src="/uploads/{upload.pk}/files/statement/a%20b.svg" alt="A tree"></p>' in shown
    assert f'href="/uploads/{upload.pk}/files/attachments/c.txt"' in shown
    assert f'href="/uploads/{upload.pk}/?lang=ko#as-students"' in shown
    assert '<pre class="code" id="input-1"' in shown
    korean = uploader.get(f"/uploads/{upload.pk}/?lang=ko").content.decode()
    assert re.search(r'id="as-students"[^>]* open>', korean)
    assert "<p>여기</p>" in korean
    upload.published_at = timezone.now()
    upload.save()
    assert "As students see it" not in page(uploader, upload)


def test_statement_can_be_read_while_the_package_is_verified(uploader: Client, verified: UploadMaker) -> None:
    assert "As students see it" in page(uploader, verified(status=Status.JUDGING, report=None, is_clean=None))


def test_files_of_an_upload_are_served_as_those_of_a_version(uploader: Client, verified: UploadMaker) -> None:
    upload = with_pictures(verified())
    address = f"/uploads/{upload.pk}/files/statement/a%20b.svg"
    answer = uploader.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert b"".join(answer.streaming_content) == b"<svg/>"  # type: ignore[attr-defined]
    for name in ("data/secret/1.in", "problem.yaml", "../package/problem.yaml", "statement/none.png"):
        assert uploader.get(f"/uploads/{upload.pk}/files/{name}").status_code == 404
    other = Client()  # nobody
    assert other.get(address).status_code == 404
    colleague = User.objects.create_user("colleague")
    make_instructor(colleague)
    User.objects.update(is_staff=False)
    other.force_login(colleague)
    assert other.get(address).status_code == 404
    discarded = with_pictures(verified())
    PackageUpload.objects.filter(pk=discarded.pk).update(digest="")
    assert uploader.get(f"/uploads/{discarded.pk}/files/statement/a%20b.svg").status_code == 404


def test_missing_picture_needs_a_reason_to_publish(uploader: Client, verified: UploadMaker) -> None:
    lost = "problem.en.tex: 1 picture is missing from the page: a.eps (browsers show no .eps)"
    upload = verified(report={**REPORT, "warnings": [lost]}, is_clean=False)
    shown = page(uploader, upload)
    assert "<strong>Not clean.</strong> Students would not see every picture of the statement." in shown
    assert f"<li>{lost}</li>" in shown
    assert "Publish anyway" in shown


def test_taken_address_is_told_before_anybody_asks(
    uploader: Client, verified: UploadMaker, problem: Problem, worker: object
) -> None:
    wanted = "sumoftwo is the name of a problem of somebody else. Choose another address."
    assert wanted in page(uploader, verified(slug="sumoftwo"))
    assert wanted in page(uploader, verified(slug="sumoftwo", status=Status.QUEUED, report=None))
    assert "Choose another address" not in page(uploader, verified())


def test_refusal_to_publish_by_itself_is_shown(uploader: Client, verified: UploadMaker) -> None:
    upload = verified(refusal="It is <taken>.")
    assert "It was not published automatically: It is &lt;taken&gt;." in page(uploader, upload)


def test_taken_name_is_refused_beside_the_form(uploader: Client, verified: UploadMaker, problem: Problem) -> None:
    upload = verified()
    for slug, why in (("sumoftwo", "of somebody else"), ("upload", "an address of the site"), ("a b", "hyphens")):
        answer = uploader.post(f"/uploads/{upload.pk}/publish", {"slug": slug})
        assert answer.status_code == 422
        assert why in answer.content.decode()


def test_own_problem_of_that_name_is_said_to_be_replaced(uploader: Client, verified: UploadMaker) -> None:
    first, second = verified(), verified()
    uploader.post(f"/uploads/{first.pk}/publish", {"slug": "double"})
    assert "This address belongs to your problem Twice: the package becomes its next version." in page(uploader, second)


def test_report_is_shown_and_submissions_can_be_left_out(uploader: Client, verified: UploadMaker) -> None:
    upload = verified()
    shown = page(uploader, upload)
    assert '<input type="checkbox" name="exclude" value="accepted/a.py">' in shown
    uploader.post(f"/uploads/{upload.pk}/verify", {"exclude": ["accepted/a.py", "../other"]})
    upload.refresh_from_db()
    assert (upload.status, upload.excluded) == (Status.QUEUED, ["accepted/a.py"])


def test_all_that_must_be_in_time_can_be_left_out(uploader: Client, verified: UploadMaker) -> None:
    one = {"verdict": "WA", "expected": ["WA"], "ok": True, "max_cpu_time_us": 9_000}
    submissions = [
        {**one, "path": "wrong_answer/slow.py", "bound": "lower"},
        {**one, "path": "partly.py", "bound": "", "bound_us": 7},
        {**one, "path": "wrong_answer/any.py", "bound": "", "bound_us": None},
    ]
    report = {**REPORT, "submissions": submissions, "time_limit_source": "calibrated"}
    upload = verified(report=report, excluded=["accepted/out.py"])
    shown = page(uploader, upload)
    assert '<input type="checkbox" name="exclude" value="accepted/out.py" checked>' in shown
    assert 'value="wrong_answer/any.py"' not in shown
    wanted = ["accepted/out.py", "partly.py", "wrong_answer/slow.py"]
    uploader.post(f"/uploads/{upload.pk}/verify", {"exclude": [*wanted, "wrong_answer/any.py"]})
    upload.refresh_from_db()
    assert upload.excluded == wanted


def test_nothing_can_be_left_out_where_the_package_gives_the_limit(uploader: Client, verified: UploadMaker) -> None:
    upload = verified(report={**REPORT, "time_limit_source": "problem.yaml"})
    assert 'name="exclude"' not in page(uploader, upload)


def test_page_is_live_until_a_clean_package_is_published_by_itself(uploader: Client, verified: UploadMaker) -> None:
    upload = verified(when_clean=WhenClean.PUBLISH)
    assert is_unfinished(upload.pk)
    told = page(uploader, upload)
    assert 'hx-trigger="tally:refresh"' in told
    assert "It is published in a moment, as you asked." in told
    upload.refresh_from_db()
    uploads.follow(upload)
    assert not is_unfinished(upload.pk)
    assert 'hx-trigger="tally:refresh"' not in page(uploader, upload)


def test_page_of_a_clean_package_that_waits_for_its_owner_is_not_live(verified: UploadMaker) -> None:
    assert not is_unfinished(verified(when_clean=WhenClean.ASK).pk)
    assert not is_unfinished(verified(when_clean=WhenClean.PUBLISH, is_clean=False).pk)


def test_stored_package_can_be_downloaded(uploader: Client, verified: UploadMaker) -> None:
    upload = verified()
    address = f"/uploads/{upload.pk}/zip"
    assert address in page(uploader, upload)
    with zipfile.ZipFile(io.BytesIO(uploader.get(address).getvalue())) as archive:
        assert "double/problem.yaml" in archive.namelist()


def test_discarded_package_is_gone_and_said_so(uploader: Client, verified: UploadMaker) -> None:
    upload = verified()
    answer = uploader.post(f"/uploads/{upload.pk}/discard", follow=True)
    assert "Twice is discarded." in answer.content.decode()
    shown = dense(page(uploader, upload))
    assert "Nothing of the package is kept" in shown
    assert '<a class="button" href="/problems/archive/upload/">Upload again</a>' in shown
    assert '<a class="button plain" href="/problems/mine/">My problems</a>' in shown
    assert "Publish" not in shown.split('id="live"')[1]


def test_uploads_to_decide_about_are_on_the_list_of_ones_own(
    uploader: Client, verified: UploadMaker, make_upload: UploadMaker
) -> None:
    verified()
    make_upload(name="waiting.zip")
    make_upload(name="gone.zip", discarded_at=timezone.now())
    shown = uploader.get("/problems/mine/").content.decode()
    assert "Twice" in shown
    assert "waiting.zip" in shown
    assert "gone.zip" not in shown


def test_upload_of_somebody_else_is_not_there(
    client: Client, other_student: User, verified: UploadMaker, instructor: User
) -> None:
    upload = verified()
    make_instructor(other_student)
    User.objects.filter(pk=other_student.pk).update(is_staff=False)
    client.force_login(other_student)
    assert client.get(f"/uploads/{upload.pk}/").status_code == 404
    for verb in ("publish", "verify", "discard"):
        assert client.post(f"/uploads/{upload.pk}/{verb}", {"slug": "x"}).status_code == 404
    client.force_login(instructor)
    assert client.get(f"/uploads/{upload.pk}/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_the_stream_ends_when_the_report_is_there(make_upload: UploadMaker) -> None:
    upload = make_upload(status=Status.DONE)

    async def events() -> list[str]:
        look = stream.while_it_may_change(lambda: is_unfinished(upload.pk))
        return [event async for event in stream.follow(upload.channel, look, "somebody")]

    assert asyncio.run(events()) == ["event: news\ndata:\n\n", "event: finished\ndata:\n\n"]
