"""The instructor's side of a problem: versions, settings, hiding, the archive."""

import io
import shutil
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from judge.grading.verification.verified import ReportRecord
from judge.models import PackageUpload, Status, WorkerNode
from problems.jsonvalues import from_row
from problems.loading.loading import load_package
from problems.models import Problem, ProblemVersion
from problems.store.publishing import publish
from tests.judge.packed import FILES
from web.identity.accounts import make_instructor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server")]
MIB = 1024 * 1024
UNCHANGED = dict.fromkeys(("time_limit_ms", "memory_bytes", "output_bytes", "code_bytes", "processes", "cores"), "")
SETTINGS = {**UNCHANGED, "stdout": "", "case_visibility": "all"}


@pytest.fixture
def owner(student: User) -> User:
    """An instructor who is no staff."""
    make_instructor(student)
    User.objects.update(is_staff=False)
    student.refresh_from_db()
    return student


@pytest.fixture
def version(tmp_path: Path, settings: Settings, owner: User) -> ProblemVersion:
    """The owner's published problem "double"."""
    settings.STORE_DIR = tmp_path / "store"
    return _publish(tmp_path, owner)


@pytest.fixture
def manager(client: Client, owner: User) -> Client:
    """The owner, signed in."""
    client.force_login(owner)
    return client


def _publish(folder: Path, owner: User, answer: str = "42\n") -> ProblemVersion:
    return publish(_written(folder, {**FILES, "data/secret/1.ans": answer}), owner=owner)


def _written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / "double" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "double"


def _page(client: Client) -> str:
    return client.get("/problems/double/manage/").content.decode()


def test_versions_are_listed_with_who_when_and_digest(manager: Client, version: ProblemVersion, tmp_path: Path) -> None:
    assert version.created_by
    _publish(tmp_path, version.created_by, "43\n")
    shown = _page(manager)
    assert shown.index("Version 2") < shown.index("Version 1")
    assert version.digest[:12] in shown
    assert "just now" in shown
    assert "by student" in shown
    assert shown.count('<span class="tag">current</span>') == 1


def test_setting_is_judged_from_now_on_and_earlier_versions_stay(manager: Client, version: ProblemVersion) -> None:
    answer = manager.post(
        "/problems/double/manage/settings",
        {**SETTINGS, "time_limit_ms": "2.5", "memory_bytes": "128", "stdout": "pipe", "cores": "2"},
        follow=True,
    )
    shown = answer.content.decode()
    assert "Version 2 judges new submissions from now on. Earlier submissions keep their version." in shown
    assert "Chosen settings: time limit 2.5\N{NO-BREAK SPACE}s, memory 128\N{NO-BREAK SPACE}MiB" in shown
    current = Problem.objects.get().current_version
    assert current
    assert (current.time_limit_ms, current.memory_bytes, current.stdout, current.cores) == (2_500, 128 * MIB, "pipe", 2)
    version.refresh_from_db()
    assert (version.stdout, version.chosen_settings) == ("file", {})


def test_form_shows_what_was_chosen_and_what_the_package_says(manager: Client, version: ProblemVersion) -> None:
    manager.post("/problems/double/manage/settings", {**SETTINGS, "time_limit_ms": "2.5"})
    shown = _page(manager)
    assert 'name="time_limit_ms" value="2.5"' in shown
    assert "In force: 2.5\N{NO-BREAK SPACE}s, chosen here. The package says: 1\N{NO-BREAK SPACE}s." in shown
    assert "In force: 1 core, from the package." in shown
    assert 'placeholder="1"' in shown
    assert 'name="memory_bytes" value' not in shown
    assert "Points that count" not in shown


REPORT = {
    "calibration": {
        "slowest_in_time": {
            "name": "accepted/a.py",
            "language": "python",
            "cpu_time_us": 13_800,
            "is_measured": True,
        },
        "fastest_too_slow": {
            "name": "time_limit_exceeded/b.py",
            "language": "python",
            "cpu_time_us": 2_400_000,
            "is_measured": True,
        },
    }
}
SAVE = "/problems/double/manage/settings"


@pytest.fixture
def reported(version: ProblemVersion, owner: User) -> PackageUpload:
    """The report on the package: the slowest in time needs 13.8 ms, the fastest too slow 2.4 s."""
    report = from_row(ReportRecord, REPORT)
    return PackageUpload.objects.create(
        owner=owner, name="double.zip", size=9, status=Status.DONE, digest=version.digest, report=report
    )


def _limits() -> list[int]:
    return list(ProblemVersion.objects.order_by("number").values_list("time_limit_ms", flat=True))


@pytest.mark.usefixtures("reported")
def test_the_form_says_what_the_jury_needed(manager: Client) -> None:
    shown = _page(manager).replace("\N{NO-BREAK SPACE}", " ")
    assert "By the last report accepted/a.py, the slowest that must be in time, needs 13.8 ms." in shown
    assert "time_limit_exceeded/b.py, the fastest that must be too slow, needs 2.40 s or more." in shown
    assert "confirmed_ms" not in shown


@pytest.mark.usefixtures("reported")
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("0.012", "accepted/a.py must be in time and needs 13.8 ms: with a limit of 12 ms it would be too slow."),
        ("3", "time_limit_exceeded/b.py must be too slow and was stopped after 2.40 s: with a limit of 3 s it may"),
        ("200", "200 s is very long: accepted/a.py, the slowest that must be in time, needs 13.8 ms."),
    ],
)
def test_a_time_limit_that_the_report_speaks_against_has_to_be_meant(
    manager: Client, version: ProblemVersion, given: str, sentence: str
) -> None:
    sent = {**SETTINGS, "time_limit_ms": given}
    limit_ms = round(float(given) * 1_000)
    answer = manager.post(SAVE, sent)
    shown = answer.content.decode().replace("\N{NO-BREAK SPACE}", " ")
    assert answer.status_code == 422
    assert sentence in shown
    assert f'<input type="checkbox" name="confirmed_ms" value="{limit_ms}">' in shown
    assert manager.post(SAVE, {**sent, "confirmed_ms": str(limit_ms + 1)}).status_code == 422  # of another number
    assert _limits() == [version.time_limit_ms]
    assert manager.post(SAVE, {**sent, "confirmed_ms": str(limit_ms)}).status_code == 302
    assert _limits() == [version.time_limit_ms, limit_ms]
    assert manager.post(SAVE, {**sent, "cores": "2"}).status_code == 302  # it is not changed


@pytest.mark.usefixtures("reported")
def test_a_time_limit_that_leaves_little_room_is_saved_with_a_warning(manager: Client) -> None:
    answer = manager.post(SAVE, {**SETTINGS, "time_limit_ms": "0.02"}, follow=True)
    shown = answer.content.decode().replace("\N{NO-BREAK SPACE}", " ")
    assert "accepted/a.py needs 13.8 ms of 20 ms: the limit should be 2 times what it needs." in shown
    assert "Version 2 judges new submissions from now on." in shown


def test_the_packages_own_limit_is_checked_too_where_it_comes_back(manager: Client, reported: PackageUpload) -> None:
    manager.post(SAVE, {**SETTINGS, "time_limit_ms": "0.5"})
    slower = {**REPORT["calibration"]["slowest_in_time"], "cpu_time_us": 1_100_000}
    reported.report = from_row(ReportRecord, {"calibration": {"slowest_in_time": slower, "fastest_too_slow": None}})
    reported.save()
    assert manager.post(SAVE, SETTINGS).status_code == 422


@pytest.mark.usefixtures("version")
def test_without_a_report_only_a_very_long_limit_is_doubted(manager: Client) -> None:
    assert "By the last report" not in _page(manager)
    assert manager.post(SAVE, {**SETTINGS, "time_limit_ms": "0.012"}).status_code == 302
    assert manager.post(SAVE, {**SETTINGS, "time_limit_ms": "59"}).status_code == 302
    answer = manager.post(SAVE, {**SETTINGS, "time_limit_ms": "60"})
    assert "is very long, and no report says what the jury" in answer.content.decode()
    assert "At most 300" in manager.post(SAVE, {**SETTINGS, "time_limit_ms": "400"}).content.decode()


def test_the_downloaded_package_has_the_chosen_limit(manager: Client, version: ProblemVersion, tmp_path: Path) -> None:
    manager.post(SAVE, {**SETTINGS, "time_limit_ms": "2.5", "memory_bytes": "128"})
    for number, expected in ((1, (1_000, 64 * MIB)), (2, (2_500, 128 * MIB))):
        answer = manager.get(f"/problems/double/manage/versions/{number}/zip")
        with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as archive:
            archive.extractall(tmp_path / str(number))
        limits = load_package(tmp_path / str(number) / "double").limits
        assert (limits.time_limit_ms, limits.memory_bytes) == expected


def test_emptied_setting_is_as_the_package_says_again(manager: Client, version: ProblemVersion) -> None:
    manager.post("/problems/double/manage/settings", {**SETTINGS, "processes": "1"})
    manager.post("/problems/double/manage/settings", SETTINGS)
    assert Problem.objects.get().current_version == version
    assert ProblemVersion.objects.count() == 2


def test_visibility_of_cases_is_the_problems_and_no_new_version(manager: Client, version: ProblemVersion) -> None:
    manager.post("/problems/double/manage/settings", {**SETTINGS, "case_visibility": "totals"})
    assert Problem.objects.get().case_visibility == "totals"
    assert ProblemVersion.objects.count() == 1


def test_points_that_count_are_chosen_for_a_scoring_problem(manager: Client, version: ProblemVersion) -> None:
    ProblemVersion.objects.update(is_scoring=True)
    assert "Points that count" in _page(manager)
    manager.post("/problems/double/manage/settings", {**SETTINGS, "score_policy": "accepted"})
    current = Problem.objects.get().current_version
    assert current
    assert current.score_policy == "accepted"


def test_dialect_of_points_is_chosen_where_it_makes_a_difference(manager: Client, owner: User, tmp_path: Path) -> None:
    scoring = {
        "problem.yaml": "name: Twice\ntype: scoring\n",
        "data/secret/2.in": "4\n",
        "data/secret/2.ans": "8\n",
        "data/secret/testdata.yaml": "accept_score: 30\n",
    }
    publish(_written(tmp_path, FILES), owner=owner)
    assert "Meaning of accept_score" not in _page(manager)
    published = publish(_written(tmp_path, scoring), owner=owner)
    assert (published.score_dialect, published.max_score) == ("kattis", 61)
    assert "From the package: accept_score is for each test case, as on Kattis" in _page(manager)
    manager.post("/problems/double/manage/settings", {**SETTINGS, "score_dialect": "domjudge"})
    current = Problem.objects.get().current_version
    assert current
    assert (current.score_dialect, current.max_score, current.groups[0].max_score) == ("domjudge", 30, 30)
    again = publish(_written(tmp_path, {"data/secret/2.ans": "9\n"}), owner=owner)
    assert (again.score_dialect, again.max_score) == ("domjudge", 30)  # what was chosen stays
    manager.post("/problems/double/manage/settings", SETTINGS)
    current = Problem.objects.get().current_version
    assert current
    assert (current.score_dialect, current.max_score) == ("kattis", 61)


def test_limits_on_calls_are_settings_and_told_on_the_problems_page(manager: Client, version: ProblemVersion) -> None:
    chosen = {**SETTINGS, "write_calls": "2000", "write_factor": "1.5"}
    assert manager.post("/problems/double/manage/settings", chosen).status_code == 302
    current = Problem.objects.get().current_version
    assert current
    assert (current.write_calls, current.read_calls, current.write_factor) == (2_000, 0, 1.5)
    told = manager.get("/problems/double/").content.decode()
    assert "at most 2,000" in told
    assert "at most 1.5 \N{MULTIPLICATION SIGN} the reference" in told
    assert "The package says: any number." in _page(manager)


def test_problem_can_be_opened_and_closed_again(manager: Client, version: ProblemVersion) -> None:
    assert "From the package: rounded for contestants" in _page(manager)
    manager.post("/problems/double/manage/settings", {**SETTINGS, "exact_numbers": "True"})
    opened = Problem.objects.get().current_version
    assert opened
    assert opened.exact_numbers
    assert '<option value="True" selected>' in _page(manager)
    assert "Chosen settings: numbers of secret cases exact for everybody: the problem is open" in _page(manager)
    manager.post("/problems/double/manage/settings", SETTINGS)
    assert Problem.objects.get().current_version == version
    assert manager.post("/problems/double/manage/settings", {**SETTINGS, "exact_numbers": "x"}).status_code == 422


@pytest.mark.parametrize(
    "wrong",
    [
        {"time_limit_ms": "0"},
        {"write_calls": "-1"},
        {"write_factor": "many"},
        {"time_limit_ms": "soon"},
        {"memory_bytes": "-1"},
        {"cores": "1000"},
        {"stdout": "printer"},
        {"case_visibility": ""},
        {"processes": "NaN"},
        {"output_bytes": "Infinity"},
    ],
)
def test_wrong_setting_is_said_beside_its_field(
    manager: Client, version: ProblemVersion, wrong: dict[str, str]
) -> None:
    answer = manager.post("/problems/double/manage/settings", {**SETTINGS, **wrong})
    assert answer.status_code == 422
    assert "errorlist" in answer.content.decode()
    assert ProblemVersion.objects.count() == 1


def test_owner_chooses_who_sees_the_problem(manager: Client, version: ProblemVersion) -> None:
    def choose(audience: str) -> tuple[str, int, int]:
        sent = {"listing-audience": audience, "listing-statistics": "boards"}
        page = manager.post("/problems/double/manage/listing", sent, follow=True).content.decode()
        assert page.count("checked") == 1
        everybody, owner = (client.get("/problems/double/").status_code for client in (Client(), manager))
        return Problem.objects.get().audience, everybody, owner

    assert "the students of an assignment with it see it from the opening on" in _page(manager)
    assert choose("hidden") == ("hidden", 404, 200)
    assert '<span class="tag">hidden</span>' in _page(manager)
    assert choose("assigned") == ("assigned", 404, 200)
    assert '<span class="tag">assignments only</span>' in _page(manager)
    assert choose("") == ("assigned", 404, 200)
    assert choose("everybody") == ("everybody", 200, 200)


def test_problem_is_archived_and_back(manager: Client, version: ProblemVersion) -> None:
    def change(what: str) -> str:
        answer = manager.post("/problems/double/manage/change", {"change": what}, follow=True)
        return answer.content.decode()

    change("archive")
    assert Client().get("/problems/double/").status_code == 404
    assert "/problems/double/" not in manager.get("/problems/").content.decode()
    assert "archived" in manager.get("/problems/mine/").content.decode()
    change("unarchive")
    assert "/problems/double/" in Client().get("/problems/").content.decode()
    change("delete everything")
    assert Problem.objects.count() == 1


def test_earlier_version_is_judged_again(manager: Client, version: ProblemVersion, tmp_path: Path) -> None:
    assert version.created_by
    _publish(tmp_path, version.created_by, "43\n")
    answer = manager.post("/problems/double/manage/versions/1/current", follow=True)
    assert "Version 1 judges new submissions from now on." in answer.content.decode()
    assert Problem.objects.get().current_version == version
    assert manager.post("/problems/double/manage/versions/7/current").status_code == 404


def test_package_of_a_version_is_downloaded_as_a_zip(
    manager: Client, version: ProblemVersion, caplog: pytest.LogCaptureFixture
) -> None:
    answer = manager.get("/problems/double/manage/versions/1/zip")
    assert answer["Content-Disposition"] == 'attachment; filename="double-1.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as archive:
        assert archive.read("double/data/secret/1.ans") == b"42\n"
    shutil.rmtree(settings.STORE_DIR)
    for page in ("manage/versions/1/zip", "edit/"):
        caplog.clear()
        assert manager.get(f"/problems/double/{page}").status_code == 503, "ours to repair"
        assert f"has no version {version.digest[:12]}" in caplog.text


def test_only_owner_and_staff_manage_a_problem(
    client: Client, version: ProblemVersion, other_student: User, instructor: User
) -> None:
    make_instructor(other_student)
    User.objects.filter(pk=other_student.pk).update(is_staff=False)
    posts = ("settings", "change", "versions/1/current")
    for user in (None, other_student):
        if user:
            client.force_login(user)
        assert client.get("/problems/double/manage/").status_code == 404
        for name in posts:
            assert client.post(f"/problems/double/manage/{name}", {**SETTINGS, "change": "hide"}).status_code == 404
    assert "double" not in client.get("/problems/mine/").content.decode()
    client.force_login(instructor)
    assert client.get("/problems/double/manage/").status_code == 200


def test_page_of_a_mistake_can_be_loaded_again(manager: Client, version: ProblemVersion) -> None:
    address = "/problems/double/manage/settings"
    assert manager.post(address, {**SETTINGS, "cores": "-1"}).status_code == 422
    assert manager.get(address)["Location"] == "/problems/double/manage/"
    assert manager.get("/problems/double/manage/versions/1/current")["Location"] == "/problems/double/manage/"
    assert manager.put(address).status_code == 405


def test_page_of_a_problem_leads_its_owner_to_its_management(
    manager: Client, version: ProblemVersion, other_student: User
) -> None:
    assert '"/problems/double/manage/"' in manager.get("/problems/double/").content.decode()
    manager.force_login(other_student)
    assert "/manage/" not in manager.get("/problems/double/").content.decode()


def test_remarks_on_a_package_are_for_its_owner_and_staff(
    manager: Client, version: ProblemVersion, other_student: User, instructor: User
) -> None:
    ProblemVersion.objects.update(warnings=["problem.yaml: colour is no key."])
    for user, sees in ((version.created_by, True), (instructor, True), (other_student, False), (None, False)):
        manager.logout()
        if user:
            manager.force_login(user)
        assert ("colour is no key" in manager.get("/problems/double/").content.decode()) == sees, user


def test_problem_without_a_version_can_still_be_managed(manager: Client, owner: User) -> None:
    Problem.objects.create(slug="double", title="Empty", owner=owner)
    assert "No versions yet." in _page(manager)
    assert manager.post("/problems/double/manage/settings", SETTINGS).status_code == 422


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"time_limit_ms": "0"}, "At least 0.01\N{NO-BREAK SPACE}s."),
        ({"time_limit_ms": "soon"}, "Enter a number, such as 2."),
        ({"time_limit_ms": "1.2345"}, "Enter at most 3 digits after the decimal point."),
        ({"memory_bytes": "99999999"}, "At most 65,536\N{NO-BREAK SPACE}MiB."),
        ({"cores": "1.5"}, "Enter a whole number, such as 2."),
        ({"cores": "65"}, "At most 64."),
    ],
)
def test_wrong_setting_is_said_in_the_sites_words(
    manager: Client, version: ProblemVersion, wrong: dict[str, str], said: str
) -> None:
    shown = manager.post("/problems/double/manage/settings", {**SETTINGS, **wrong}).content.decode()
    assert f"<li>{said}</li>" in shown
    top = shown.split("Versions</h2>")[0]
    assert "Settings not saved." in top
    assert f'href="#id_{next(iter(wrong))}"' in top
    assert "Settings not saved." not in _page(manager)


def test_settings_stay_within_what_the_largest_worker_has(manager: Client, version: ProblemVersion) -> None:
    now = timezone.now()
    long_ago = now - timedelta(days=1)
    for name, cores, memory_mib, seen in (("a", 1, 512, now), ("b", 4, 2_048, now), ("gone", 64, 65_536, long_ago)):
        WorkerNode.objects.create(
            name=name, started_at=now, last_seen_at=seen, cores=cores, memory_bytes=memory_mib * MIB
        )
    shown = _page(manager)
    assert "The largest worker has 4 cores" in shown
    assert "The largest worker has 2\N{NO-BREAK SPACE}GiB" in shown
    address = "/problems/double/manage/settings"
    for wrong, said in (({"cores": "5"}, "4 cores"), ({"memory_bytes": "2049"}, "2\N{NO-BREAK SPACE}GiB")):
        answer = manager.post(address, {**SETTINGS, **wrong})
        assert answer.status_code == 422
        assert f"No worker has more than {said}." in answer.content.decode()
    assert manager.post(address, {**SETTINGS, "cores": "4", "memory_bytes": "2048"}).status_code == 302


def test_settings_are_not_bounded_by_workers_that_nobody_knows(manager: Client, version: ProblemVersion) -> None:
    assert "largest worker" not in _page(manager)
    assert manager.post("/problems/double/manage/settings", {**SETTINGS, "cores": "64"}).status_code == 302
