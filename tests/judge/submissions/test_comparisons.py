"""Links to comparisons: made once, in their order, and taken back."""

import pytest
from django.contrib.auth.models import User

from judge.models import SharedComparison, Status, Submission
from judge.submissions import comparisons
from problems.models import Problem, ProblemVersion

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("owner")


@pytest.fixture
def sent(owner: User) -> list[Submission]:
    """Three submissions of the owner's to one problem."""
    problem = Problem.objects.create(slug="sum", title="Sum")
    version = ProblemVersion.objects.create(
        problem=problem,
        digest="0" * 64,
        title="Sum",
        time_limit_ms=1_000,
        memory_bytes=2**28,
        output_bytes=2**23,
        code_bytes=2**16,
        test_case_count=1,
    )
    return [
        Submission.objects.create(
            user=owner, problem=problem, problem_version=version, language="cpp", source=b"", status=Status.DONE
        )
        for _ in range(3)
    ]


def test_a_link_keeps_the_order_and_cannot_be_guessed(owner: User, sent: list[Submission]) -> None:
    wanted = [sent[2], sent[0], sent[1]]
    shared = comparisons.share(owner, wanted, shows_names=False)
    assert comparisons.shared_sides(shared) == wanted
    assert len(shared.token) == 32
    assert shared.token != comparisons.share(owner, sent, shows_names=False).token


def test_the_same_comparison_has_one_link_until_it_is_taken_back(owner: User, sent: list[Submission]) -> None:
    first = comparisons.share(owner, sent, shows_names=False)
    assert comparisons.share(owner, sent, shows_names=False) == first
    assert comparisons.share(owner, sent, shows_names=True) != first
    comparisons.revoke(first)
    first.refresh_from_db()
    assert first.revoked_at is not None
    assert comparisons.share(owner, sent, shows_names=False) != first


def test_what_the_owner_may_no_longer_read_is_left_out(owner: User, sent: list[Submission]) -> None:
    shared = comparisons.share(owner, sent, shows_names=False)
    Submission.objects.filter(pk=sent[1].pk).update(user=User.objects.create_user("another"))
    assert comparisons.shared_sides(shared) == [sent[0], sent[2]]
    User.objects.filter(pk=owner.pk).update(is_staff=True)
    assert comparisons.shared_sides(SharedComparison.objects.get()) == sent


def test_a_person_has_no_links_without_end(
    owner: User, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparisons, "MOST_LINKS", 1)
    made = comparisons.share(owner, sent, shows_names=False)
    with pytest.raises(comparisons.NotShared, match="already"):
        comparisons.share(owner, sent[:2], shows_names=False)
    comparisons.revoke(made)
    comparisons.share(owner, sent[:2], shows_names=False)
