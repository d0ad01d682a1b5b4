"""What the form does not take, whom it is not shown to, and what it says of it."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judge.models import PackageUpload
from problems import versions
from problems.store.publishing import publish
from tests.web.views.problems.edit.form import (
    LEGACY,
    STRICT,
    Publisher,
    as_shown,
    before,
    change,
    fields,
    package_folder,
)
from web.identity.accounts import make_instructor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server", "own_store")]


def test_last_test_cannot_go(owner: Client, published: Publisher) -> None:
    published(STRICT)
    answer = owner.post("/problems/twice/edit/", {**as_shown(owner), "removed_cases": ["secret/1"]})
    assert "Judging needs a test case" in answer.content.decode()


def test_only_what_the_page_offers_can_be_removed(owner: Client, published: Publisher) -> None:
    published(LEGACY)
    for name in ("problem.yaml", "../../etc/passwd", "generators/make.py"):
        answer = owner.post("/problems/twice/edit/", {**as_shown(owner), "removed": [name]})
        assert "Select a valid choice" in answer.content.decode()
    assert not PackageUpload.objects.exists()


def test_version_that_came_meanwhile_is_not_overwritten(
    owner: Client, published: Publisher, student: User, tmp_path: Path
) -> None:
    published(LEGACY)
    shown = as_shown(owner)
    publish(package_folder(before({**LEGACY, "attachments/more.txt": "x"}), tmp_path / "2/twice"), owner=student)
    answer = owner.post("/problems/twice/edit/", {**shown, "title": "Mine"})
    assert "Version 2 was published meanwhile" in answer.content.decode()
    assert 'value="Mine"' in answer.content.decode()


def test_undecided_upload_is_pointed_at(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published(LEGACY)
    change(owner, tmp_path, title="Two")
    address = reverse("package_upload", args=[PackageUpload.objects.get().pk])
    assert f'href="{address}"' in owner.get("/problems/twice/edit/").content.decode()


def test_rows_for_samples_come_without_scripts(owner: Client, published: Publisher) -> None:
    published(LEGACY)
    answer = owner.post(
        "/problems/twice/edit/",
        {**as_shown(owner), "more": "sample", "title": "Two", "removed": ["attachments/notes.txt"]},
    )
    shown = fields(answer.content.decode())
    assert answer.status_code == 200
    assert shown["sample_name"] == ["1", "2", ""]
    assert shown["title"] == ["Two"]
    assert shown["removed"] == ["attachments/notes.txt"]


def test_problem_yaml_that_could_be_harmed_is_not_edited(owner: Client, published: Publisher) -> None:
    published({**LEGACY, "problem.yaml": "name: A\nname: B\n"})
    page = owner.get("/problems/twice/edit/").content.decode()
    assert "The form cannot edit this package" in page
    assert 'href="/problems/twice/replace"' in page
    assert 'href="/problems/twice/manage/versions/1/zip"' in page


def test_only_owner_and_staff_edit(client: Client, published: Publisher, other_student: User, instructor: User) -> None:
    published(LEGACY)
    assert client.get("/problems/twice/edit/").status_code == 404
    make_instructor(other_student)
    User.objects.filter(pk=other_student.pk).update(is_staff=False)
    client.force_login(User.objects.get(pk=other_student.pk))
    assert client.get("/problems/twice/edit/").status_code == 404
    assert client.post("/problems/twice/edit/", {}).status_code == 404
    client.force_login(instructor)
    assert client.get("/problems/twice/edit/").status_code == 200
    assert 'href="/problems/twice/edit/"' in client.get("/problems/twice/manage/").content.decode()


def test_time_limit_that_the_format_does_not_take_is_refused(
    owner: Client, published: Publisher, tmp_path: Path
) -> None:
    published(STRICT)
    answer = owner.post("/problems/twice/edit/", {**as_shown(owner), "time_limit": "0.5"})
    assert "In this package a time limit is a multiple of 1 s." in answer.content.decode()
    package, _ = change(owner, tmp_path, time_limit="3")
    assert package.limits.time_limit_ms == 3_000


def test_settings_that_count_instead_are_named(owner: Client, published: Publisher, student: User) -> None:
    versions.choose(published(LEGACY), {"time_limit_ms": 3_500}, student)
    page = owner.get("/problems/twice/edit/").content.decode()
    assert "problem's settings</a> override the package: time limit 3.5\N{NO-BREAK SPACE}s" in page
    assert as_shown(owner)["time_limit"] == ["2"]
