"""Sharing a comparison by a link, and taking the link back."""

import secrets
from collections.abc import Sequence

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from judge.models import SharedComparison, SharedSide, Submission
from judge.submissions.intake import hold

MOST_SIDES = 6
MOST_LINKS = 100  # open ones of one person: what a class needs, and no heap without end
_TOKEN_BYTES = 24


class NotShared(Exception):
    """Why there is no link; the text is for the reader."""


@transaction.atomic
def share(owner: AbstractBaseUser, submissions: Sequence[Submission], *, shows_names: bool) -> SharedComparison:
    """Return a link to these submissions, in this order; an open one if there is one. Raises NotShared."""
    hold(owner)  # two presses of the button make one link
    keys = [submission.pk for submission in submissions]
    earlier = SharedComparison.objects.owned_by(owner).filter(shows_names=shows_names)
    for comparison in earlier.prefetch_related("sides"):
        if [side.submission_id for side in comparison.sides.all()] == keys:
            return comparison
    if SharedComparison.objects.owned_by(owner).count() >= MOST_LINKS:
        words = _("You share %(number)s comparisons already. Take back one that nobody needs any more.")
        raise NotShared(words % {"number": MOST_LINKS})
    link = SharedComparison.objects.create(
        token=secrets.token_urlsafe(_TOKEN_BYTES), owner_id=owner.pk, shows_names=shows_names
    )
    SharedSide.objects.bulk_create(
        SharedSide(shared=link, submission_id=key, position=position) for position, key in enumerate(keys)
    )
    return link


def revoke(shared: SharedComparison) -> None:
    """Take the link back: nobody reads it any more. It stays so."""
    SharedComparison.objects.filter(pk=shared.pk, revoked_at=None).update(revoked_at=timezone.now())


def shared_sides(shared: SharedComparison) -> list[Submission]:
    """Return its submissions in order, as far as its owner may still read them."""
    return sides_of([shared], owner=shared.owner)[shared.pk]


def sides_of(
    links: Sequence[SharedComparison], *, owner: AbstractBaseUser | AnonymousUser
) -> dict[int, list[Submission]]:
    """Return by link id the submissions of one owner's links, as `shared_sides` does, with one query for all."""
    keys = {shared.pk: [side.submission_id for side in shared.sides.all()] for shared in links}
    readable = Submission.objects.readable_by(owner).select_related("problem", "problem_version", "user")
    all_keys = {key for side_keys in keys.values() for key in side_keys}
    submissions = readable.defer("source", "original", "compile_message", "explanation").in_bulk(all_keys)
    return {link: [submissions[key] for key in side_keys if key in submissions] for link, side_keys in keys.items()}
