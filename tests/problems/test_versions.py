"""Versions of a problem: continuing numbers, settings over the package's own, and going back."""

import threading
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection

from problems import versions
from problems.models import Problem, ProblemVersion
from problems.package import PackageErrors
from problems.store.publishing import TAKEN_SLUGS, publish
from tests.problems.conftest import NEW, Write, write_files

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("store")]


def test_chosen_setting_is_a_new_version_of_the_same_package(new: Write, alice: User) -> None:
    first = publish(new({}), owner=alice)
    second = versions.choose(first.problem, {"time_limit_ms": 9_000, "stdout": "pipe"}, alice)
    assert (second.number, second.digest, second.time_limit_ms, second.stdout) == (2, first.digest, 9_000, "pipe")
    assert second.chosen_settings == {"time_limit_ms": 9_000, "stdout": "pipe"}
    assert (second.statement_html, second.samples) == (first.statement_html, first.samples)
    first.refresh_from_db()
    assert (first.time_limit_ms, first.chosen_settings) == (2_000, {})
    assert Problem.objects.get().current_version == second


def test_choosing_nothing_goes_back_to_what_the_package_says(new: Write, alice: User) -> None:
    first = publish(new({}), owner=alice)
    versions.choose(first.problem, {"cores": 2}, alice)
    assert versions.choose(first.problem, {}, alice) == first
    assert ProblemVersion.objects.count() == 2


def test_version_of_before_the_settings_can_be_changed(new: Write, alice: User) -> None:
    first = publish(new({}), owner=alice)
    ProblemVersion.objects.update(own_settings={})
    second = versions.choose(first.problem, {"cores": 2}, alice)
    assert second.chosen_settings == {"cores": 2}
    assert versions.choose(first.problem, {}, alice) == first


def test_choice_stays_when_the_package_is_replaced(new: Write, alice: User) -> None:
    first = publish(new({}), owner=alice)
    versions.choose(first.problem, {"memory_bytes": 2**27}, alice)
    third = publish(new({"data/secret/1.ans": "6\n"}), owner=alice)
    assert (third.number, third.memory_bytes, third.time_limit_ms) == (3, 2**27, 2_000)
    assert third.chosen_settings == {"memory_bytes": 2**27}


def test_problem_is_open_when_its_package_says_so_and_earlier_versions_stay_as_they_are(
    new: Write, alice: User
) -> None:
    closed = publish(new({}), owner=alice)
    yaml = NEW["problem.yaml"]
    assert "limits: {time_limit: 2}" in yaml
    given = yaml.replace("limits: {time_limit: 2}", "limits: {time_limit: 2, exact_numbers: true}")
    opened = publish(new({"problem.yaml": given}), owner=alice)
    closed.refresh_from_db()
    assert (closed.exact_numbers, opened.exact_numbers) == (False, True)
    again = versions.choose(opened.problem, {"exact_numbers": False}, alice)
    assert (again.exact_numbers, again.chosen_settings) == (False, {"exact_numbers": False})


def test_going_back_makes_an_earlier_version_current_with_its_settings(new: Write, alice: User) -> None:
    first = publish(new({}), owner=alice)
    publish(new({"problem.yaml": NEW["problem.yaml"].replace("A plus B", "Sums")}), owner=alice)
    versions.choose(first.problem, {"cores": 2}, alice)
    assert versions.go_back(first.problem, 1) == first
    problem = Problem.objects.get()
    assert (problem.current_version, problem.title) == (first, "A plus B")
    with pytest.raises(ProblemVersion.DoesNotExist):
        versions.go_back(problem, 9)


def test_problem_without_a_version_has_no_settings(alice: User) -> None:
    problem = Problem.objects.create(slug="empty", title="Empty", owner=alice)
    with pytest.raises(ProblemVersion.DoesNotExist):
        versions.choose(problem, {"cores": 2}, alice)


@pytest.mark.parametrize("slug", sorted(TAKEN_SLUGS))
def test_address_of_the_site_is_no_name(new: Write, alice: User, slug: str) -> None:
    with pytest.raises(PackageErrors, match="is an address of the site"):
        publish(new({}), owner=alice, slug=slug)


@pytest.mark.django_db(transaction=True)
def test_versions_published_at_once_get_numbers_of_their_own(tmp_path: Path, alice: User) -> None:
    folders = [write_files(tmp_path / f"{n}/sums", {**NEW, "data/secret/1.ans": f"{n}\n"}) for n in range(4)]
    start = threading.Barrier(len(folders))

    def run(folder: Path) -> None:
        start.wait()
        publish(folder, owner=alice)
        connection.close()

    threads = [threading.Thread(target=run, args=(folder,)) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ProblemVersion.objects.values_list("number", flat=True)) == [1, 2, 3, 4]
    assert Problem.objects.get().current_version is not None
