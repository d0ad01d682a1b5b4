"""What a worker does with an upload: unpacked, read, stored, verified, and published if that was asked for."""

import io
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.utils import timezone
from pytest_django import Settings

from judge.grading.events import GradingFinished, GradingJob
from judge.grading.submission import grading
from judge.grading.verdicts import Verdict
from judge.grading.verification import verification
from judge.grading.verification.verified import Phase, Progress, ReportRecord, Step
from judge.models import PackageUpload, Status, Submission, WhenClean, WorkerNode
from judge.queue import fairness, leases, wakeup
from judge.submissions import records
from judge.uploads import archives, importing, uploads
from judge.uploads.importing import ImportRecord
from judge.workers import tasks, turns
from problems import versions
from problems.format.files import MIB
from problems.models import Problem
from problems.store.store import PackageStore
from problems.translation import in_readers_language
from sandbox.errors import JailError
from tests.judge.packages import make_package
from tests.judge.packed import FILES, packed, zipped
from tests.problems.pdfs import pdf

pytestmark = [pytest.mark.jail, pytest.mark.django_db, pytest.mark.usefixtures("silent_wakeup")]
NODE = socket.gethostname()
VALIDATOR = {"problem.yaml": "name: Twice\nvalidation: custom\n"}


@pytest.fixture(autouse=True)
def store(tmp_path: Path, settings: Settings) -> PackageStore:
    """A store of the test's own, that jails' users can get to, and the worker's row."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    settings.STORE_DIR = tmp_path / "store"
    now = timezone.now()
    WorkerNode.objects.create(name=NODE, started_at=now, last_seen_at=now)
    return PackageStore(settings.STORE_DIR)


@pytest.fixture
def send(author: User) -> Callable[..., PackageUpload]:
    """A function that sends a package with these files in the place of its own."""

    def do(changes: Mapping[str, str | bytes | None] | None = None, **how: Any) -> PackageUpload:
        archive = how.pop("archive", None) or packed(changes)
        return uploads.receive(io.BytesIO(archive), name="double.zip", owner=author, **how)

    return do


Send = Callable[..., PackageUpload]


def _work(upload: PackageUpload) -> PackageUpload:
    tasks.import_package.apply(args=[upload.pk], throw=True)
    upload.refresh_from_db()
    return upload


def _report(upload: PackageUpload) -> ReportRecord:
    assert upload.report is not None
    return in_readers_language(upload.report)


def _left() -> list[str]:
    """What lies around outside the store's versions."""
    staged = [path.name for path in tasks.own_slot().folder.rglob("upload-*")]
    return staged + [path.name for path in archives.incoming().iterdir()]


def test_good_package_ends_in_a_clean_report_and_waits(send: Send, store: PackageStore) -> None:
    upload = _work(send())
    assert (upload.status, upload.is_clean, upload.trouble, upload.mistakes) == (Status.DONE, True, "", ())
    assert (upload.slug, upload.origin, upload.title) == ("double", "icpc", "Twice")
    assert [(one.path, one.verdict) for one in _report(upload).submissions] == [("accepted/a.py", "AC")]
    assert store.has(upload.digest)
    assert upload.kept_bytes == sum(path.stat().st_size for path in store.root.rglob("*.*") if path.is_file())
    assert not Problem.objects.exists()
    assert not _left()
    assert "alert(1)" not in upload.columns["statement_html"]


def test_packages_of_a_set_are_verified_and_published_one_by_one(send: Send) -> None:
    folders = {f"{name}/{file}": text for name in ("first", "second") for file, text in FILES.items()}
    broken = {**folders, "second/data/secret/2.in": "no answer\n"}
    whole = _work(send(archive=zipped(broken), when_clean=WhenClean.PUBLISH))
    first, second = map(_work, whole.parts.order_by("pk"))
    assert [problem.slug for problem in Problem.objects.all()] == ["first"]
    assert (first.is_decided, second.is_decided, second.title) == (True, False, "second")
    assert [mistake.file for mistake in second.mistakes] == ["data/secret/2.in"]
    assert not _left()


def test_time_limit_that_was_found_is_that_of_the_version(send: Send, author: User) -> None:
    upload = _work(send())
    version = uploads.publish(upload, author)
    assert version.time_limit_ms == _report(upload).time_limit_ms == version.package_settings["time_limit_ms"]
    assert version.chosen_settings == {}
    assert not any("were timed" in warning for warning in version.warnings)


def test_the_next_version_is_verified_by_the_limits_in_force(send: Send, author: User) -> None:
    problem = uploads.publish(_work(send()), author).problem
    chosen = versions.choose(problem, {"time_limit_ms": 150, "memory_bytes": 32 * MIB}, author)
    eats = "import time\nkept = bytearray(48_000_000)\nwhile time.process_time() < 0.2: pass\n"
    changes: dict[str, str | None] = {
        "submissions/time_limit_exceeded/slow.py": eats.replace("kept", "# "),
        "submissions/memory_limit_exceeded/large.py": eats,
    }
    for how in ({"replaces": problem}, {}):  # as a replacement, and under the address of the own problem
        report = _report(_work(send(changes, **how)))
        assert (report.time_limit_ms, report.time_limit_source) == (150, "settings")
        verdicts = {one.path: one.verdict for one in report.submissions}
        assert verdicts == {
            "accepted/a.py": "AC",
            "time_limit_exceeded/slow.py": "TLE",
            "memory_limit_exceeded/large.py": "MLE",
        }
    following = uploads.publish(PackageUpload.objects.latest("pk"), author)
    assert (following.time_limit_ms, following.memory_bytes) == (chosen.time_limit_ms, chosen.memory_bytes)
    assert following.package_settings["time_limit_ms"] == 1_000  # what follows from the accepted one


def test_dialect_that_expected_points_told_is_that_of_the_version(send: Send, author: User) -> None:
    """The files speak for both, so that the format's text held until the submission was run."""
    upload = _work(
        send(
            {
                "problem.yaml": "name: Twice\nlimits: {time_limit: 1}\ntype: scoring\n",
                "data/secret/2.in": "22\n",
                "data/secret/2.ans": "44\n",
                "data/secret/testdata.yaml": "accept_score: 30\non_reject: continue\n",
                "domjudge-problem.ini": "name = x\n",
                "data/testdata.yaml": "grader_flags: worst_error\non_reject: continue\n",
                "submissions/wrong_answer/b.py": "# @EXPECTED_SCORE@: 30\nn = int(input())\nprint(2 * max(n, 21))\n",
            }
        )
    )
    version = uploads.publish(upload, author)
    assert version.score_dialect == version.package_settings["score_dialect"] == "domjudge"
    assert (version.max_score, version.groups[0].max_score) == (30, 30)
    assert not any("accept_score" in warning for warning in version.warnings)


@pytest.mark.parametrize(
    ("wish", "audience"), [(WhenClean.PUBLISH, "everybody"), (WhenClean.ASSIGN, "assigned"), (WhenClean.HIDE, "hidden")]
)
def test_clean_package_is_published_by_itself_if_that_was_asked(send: Send, wish: WhenClean, audience: str) -> None:
    upload = _work(send(when_clean=wish))
    assert upload.published_version is not None
    assert upload.published_version.problem.audience == audience
    assert upload.published_by == upload.owner


def test_taken_address_keeps_a_clean_package_from_being_published_and_is_told(send: Send) -> None:
    Problem.objects.create(slug="double", title="Another", owner=User.objects.create_user("other"))
    upload = _work(send(when_clean=WhenClean.PUBLISH))
    assert (upload.is_clean, upload.is_decided) == (True, False)
    assert upload.refusal == "double is the name of a problem of somebody else. Choose another name."
    uploads.verify_again(upload)
    upload.refresh_from_db()
    assert upload.refusal == ""


def test_nothing_that_nobody_solved_is_published_by_itself(send: Send) -> None:
    upload = _work(send({"submissions/accepted/a.py": None}, when_clean=WhenClean.PUBLISH))
    assert (upload.is_clean, upload.is_decided) == (True, False)
    assert upload.refusal.startswith("No accepted submission was run")


def test_who_may_publish_no_more_publishes_nothing(send: Send, author: User) -> None:
    upload = send(when_clean=WhenClean.PUBLISH)
    author.user_permissions.clear()
    assert (_work(upload).is_clean, upload.is_decided) == (True, False)


def test_package_that_is_not_as_it_says_is_never_published_by_itself(send: Send) -> None:
    upload = _work(send({"submissions/accepted/b.py": "print(1)\n"}, when_clean=WhenClean.PUBLISH))
    assert (upload.is_clean, upload.is_decided) == (False, False)
    assert any("accepted/b.py" in error for error in _report(upload).errors)
    assert upload.is_publishable


def test_package_whose_pictures_students_would_not_see_is_not_clean(send: Send) -> None:
    """Nor is it published by itself: somebody has to read that."""
    tex = "\\problemname{Twice}\\includegraphics{a.eps}\\includegraphics{b.png}\\lost{}"
    upload = _work(
        send(
            {"problem_statement/problem.en.md": None, "problem_statement/problem.en.tex": tex},
            when_clean=WhenClean.PUBLISH,
        )
    )
    report = _report(upload)
    missing = [warning for warning in report.warnings if "1 picture is missing from the page: " in warning]
    assert [warning.split("page: ")[1].split(" (")[0] for warning in missing] == ["a.eps", "b.png"]
    assert any("Skipped" in warning for warning in report.warnings)
    assert (report.ok, report.clean, upload.is_clean, upload.is_decided) == (True, False, False, False)
    uploads.verify_again(upload)
    assert set(missing) <= set(_report(_work(upload)).warnings)


def test_pdf_picture_is_drawn_and_kept_with_the_package(send: Send, store: PackageStore, author: User) -> None:
    tex = r"\problemname{Twice}\includegraphics[width=3cm]{plan} \emph{x}"
    beside: dict[str, str | bytes | None] = {
        "problem_statement/problem.en.md": None,
        "problem_statement/problem.en.tex": tex,
        "problem_statement/plan.pdf": pdf(),
    }
    upload = _work(send(beside))
    assert (upload.is_clean, upload.trouble, upload.mistakes) == (True, "", ())
    name = "problem_statement/plan.pdf.svg"
    assert f'src="files/{name}" width="113"' in upload.columns["statement_html"]
    assert upload.columns["files"][name]["kind"] == "picture"
    assert b"<svg" in store.file(upload.digest, name).read_bytes()
    uploads.publish(upload, author)
    again = _work(send(archive=packed({**beside, name: "stale"})))  # as who downloads it and sends it once more
    assert again.digest == upload.digest


def test_files_left_out_are_warnings_of_the_report(send: Send) -> None:
    files = {"1.in": "2\n", "1.out": "4\n", "notes.xyz": "what is this\n"}
    upload = _work(send(archive=zipped(files)))
    assert [warning for warning in _report(upload).warnings if "notes.xyz" in warning]


@pytest.mark.parametrize(
    ("changes", "file", "why"),
    [
        ({"problem.yaml": None, "data/secret/1.in": None, "data/sample/1.in": None}, "problem.yaml", "is missing"),
        ({"data/secret/1.ans": None}, "data/secret/1.in", "answer"),
        ({"problem.yaml": "name: [unclosed"}, "problem.yaml", ""),
    ],
)
def test_broken_package_ends_in_a_report_and_nothing_is_kept(
    send: Send, store: PackageStore, changes: dict[str, str | None], file: str, why: str
) -> None:
    upload = _work(send(changes))
    assert (upload.status, upload.is_clean, upload.trouble, upload.digest) == (Status.DONE, False, "", "")
    assert any(file in one.file and why in one.why for one in upload.mistakes), upload.mistakes
    assert _report(upload).ok is False
    assert not upload.can_be_verified_again
    assert [path.name for path in store.root.iterdir()] == ["incoming"]
    assert not _left()


def test_all_mistakes_are_told_at_once(send: Send) -> None:
    assert len(_work(send({"data/secret/1.ans": None, "data/sample/1.ans": None})).mistakes) == 2


@pytest.mark.parametrize(
    ("name", "source", "file", "why"),
    [
        ("v.cpp", "int main( {", "v.cpp", "does not compile"),
        ("v.py", "import sys\nsys.exit(43)\n", "data/sample/1.ans", "is rejected by the checker"),
        ("v.py", "import sys\nsys.exit(0)\n", "v.py", "exited with 0"),
    ],
)
def test_validator_that_does_not_work_is_in_the_report(send: Send, name: str, source: str, file: str, why: str) -> None:
    upload = _work(send({**VALIDATOR, f"output_validators/{name}": source}))
    assert upload.is_clean is False
    assert any(file in error and why in error for error in _report(upload).errors), _report(upload).errors


def test_plain_archive_is_converted(send: Send) -> None:
    upload = _work(send(archive=zipped({"1.in": "2\n", "1.out": "4\n"})))
    assert (upload.origin, upload.mistakes) == ("plain", ())
    assert upload.digest


def test_excluded_submission_sets_no_limit(send: Send) -> None:
    upload = _work(send({"submissions/accepted/b.py": "print(2 * int(input()))\n"}))
    uploads.verify_again(upload, ["accepted/b.py"])
    report = _report(_work(upload))
    assert report.calibration
    assert report.calibration.excluded == ("accepted/b.py",)


def test_progress_is_counted_and_written_now_and_then(
    send: Send, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    upload = send()
    lease = records.claim(PackageUpload.objects.filter(pk=upload.pk), "w")
    assert lease is not None
    record = ImportRecord(lease)
    record.enter("unpacking")
    for done in range(100):
        record.note(
            Step(phase="inputs", name=f"secret/{done}", done=done, total=100, problem="bad" if done == 3 else "")
        )
    upload.refresh_from_db()
    assert list(upload.progress.phases) == [Phase(name="unpacking")]
    monkeypatch.setattr(importing, "WRITE_EVERY_S", 0)
    record.note(Step(phase="inputs", name="secret/last", done=100, total=100))
    upload.refresh_from_db()
    assert upload.progress.phases[1] == Phase(name="inputs", done=100, total=100, problems=1)
    assert upload.progress.file == "secret/last"


def test_progress_begins_a_phase_once() -> None:
    progress = Progress()
    assert progress.enter("inputs") is progress.enter("inputs")


# --- our own failures, and other workers


def test_failure_of_ours_gives_the_upload_back_and_keeps_the_bytes(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*rest: Any, **named: Any) -> Iterator[Any]:
        raise JailError("nsjail does not start")
        yield

    monkeypatch.setattr(importing, "verify", fail)
    upload = _work(send())
    assert (upload.status, upload.failures) == (Status.QUEUED, 1)
    assert WorkerNode.objects.get().problem == "JailError: nsjail does not start"
    assert upload.digest


@pytest.mark.django_db(transaction=True)
def test_database_that_blinks_costs_no_verification(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    verify = verification.verify
    monkeypatch.setattr(leases, "_PAUSE_S", 0.01)
    monkeypatch.setattr(importing, "WRITE_EVERY_S", 60)  # so that students are asked for first
    blinks: list[str] = []

    def blinking(*rest: Any, **named: Any) -> Iterator[Any]:
        for told in verify(*rest, **named):
            blinks.append(_blink())
            yield told

    monkeypatch.setattr(importing, "verify", blinking)
    upload = _work(send())
    assert len(blinks) > 5
    assert (upload.status, upload.is_clean, upload.attempt, upload.failures) == (Status.DONE, True, 1, 0)


def _blink() -> str:
    """Have the server end this thread's connection."""
    with pytest.raises(OperationalError) as ended, connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    return str(ended.value)


def test_upload_that_failed_too_often_says_so_and_can_be_tried_again(
    send: Send, tmp_path: Path, settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 1
    upload = send()
    archive = archives.incoming() / upload.token
    archive.rename(tmp_path / "away")
    _work(upload)
    assert (upload.status, upload.is_clean) == (Status.DONE, None)
    assert "FileNotFoundError" in upload.trouble
    (tmp_path / "away").rename(archive)
    WorkerNode.objects.update(problem="")  # a file that is missing makes a worker test its host; this one did
    uploads.verify_again(upload)
    assert _work(upload).is_clean


def test_upload_of_a_killed_worker_is_verified_from_the_store(send: Send, store: PackageStore) -> None:
    upload = _work(send())
    PackageUpload.objects.update(status=Status.QUEUED, report=None)
    assert not upload.token
    assert _work(upload).is_clean


def test_package_that_was_damaged_in_the_store_is_our_trouble_until_it_is_sent_again(
    send: Send, store: PackageStore, settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 1
    first = _work(send())
    store.file(first.digest, "problem.yaml").unlink()
    uploads.verify_again(first)
    assert (_work(first).is_clean, first.mistakes) == (None, ())
    assert f"version {first.digest[:12]} in the package store {store.root} is damaged: problem.yaml" in first.trouble
    again = _work(send())
    assert (again.is_clean, again.digest) == (True, first.digest)
    assert not store.is_damaged(first.digest)


@pytest.mark.django_db(transaction=True)
def test_discarding_stops_the_work_and_leaves_nothing(
    send: Send, store: PackageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = send()
    monkeypatch.setattr(importing, "WRITE_EVERY_S", 0)
    verify = verification.verify

    def discarded_meanwhile(*rest: Any, **named: Any) -> Iterator[Any]:
        for told in verify(*rest, **named):
            uploads.discard(upload)
            yield told

    monkeypatch.setattr(importing, "verify", discarded_meanwhile)
    _work(upload)
    assert (upload.status, upload.is_decided, upload.report, upload.failures) == (Status.DONE, True, None, 0)
    assert [path.name for path in store.root.iterdir()] == ["incoming"]
    assert WorkerNode.objects.get().problem == ""


def test_one_upload_at_a_time_on_a_host(send: Send) -> None:
    upload = send()
    with importing.only_one(django_settings.WORK_DIR) as is_free:
        assert is_free
        thread_saw: list[bool] = []

        def look() -> None:
            with importing.only_one(django_settings.WORK_DIR) as is_free:
                thread_saw.append(is_free)

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert thread_saw == [False]
        assert _work(upload).status == Status.QUEUED
    assert _work(upload).status == Status.DONE


@pytest.mark.usefixtures("every_send_counts")
def test_the_next_upload_is_rung_for(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = send(), send()
    notified: list[int] = []
    monkeypatch.setattr(wakeup, "notify", lambda work, node="": notified.append(work.pk))
    monkeypatch.setattr(turns, "STRETCH_S", 0)
    _work(first)
    assert notified == [second.pk]


def test_students_go_first_all_along(
    send: Send, make_submission: Callable[..., Submission], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    order: list[str] = []
    job = GradingJob(package=make_package(tmp_path / "job"), language="python", source=b"")

    def grade(*rest: Any) -> Iterator[GradingFinished]:
        order.append("student")
        yield GradingFinished(verdict=Verdict.AC, explanation=())

    verify = verification.verify

    def interrupted(*rest: Any, **named: Any) -> Iterator[Any]:
        for told in verify(*rest, **named):
            order.append(type(told).__name__)
            if len(order) == 2:
                make_submission()
            yield told

    make_submission()
    monkeypatch.setattr(fairness, "LOOK_EVERY_S", 0)
    monkeypatch.setattr(grading, "grade", grade)
    monkeypatch.setattr(tasks, "_job", lambda *rest: job)
    monkeypatch.setattr(importing, "verify", interrupted)
    upload = _work(send())
    assert order[0] == "student"
    assert order[2] == "student"
    assert upload.is_clean
    assert set(Submission.objects.values_list("status", flat=True)) == {Status.DONE}
