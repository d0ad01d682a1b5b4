"""The page of a submission as somebody reads it, and a profile to be shown there."""

import re

from django.test import Client
from django.urls import reverse

from judge.models import Submission
from web.live.hub import DONE
from web.presentation.pages.etag import submission_look

PROFILE = {
    "syscalls": {"write": 3_000_001, "read": 17},
    "streams": {
        "stdin": {"calls": 17, "bytes": 68_000},
        "stdout": {"calls": 3_000_001, "bytes": 20_700_007},
        "stderr": {"calls": 0, "bytes": 0},
        "files": {"calls": 3, "bytes": 832},
    },
}


def page_of(client: Client, submission: Submission) -> str:
    """The page of a submission, as this person gets it."""
    response = client.get(reverse("submission", args=[submission.pk]))
    assert response.status_code == 200
    return response.content.decode().replace("\u00a0", " ")


def words_of(page: str) -> str:
    """What it says, without its markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def mark_of(submission_id: int) -> str:
    """The mark that its live page's stream would send now."""
    look = submission_look(submission_id)
    return look.see([look.key]).get(look.key, DONE)
