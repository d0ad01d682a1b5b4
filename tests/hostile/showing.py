"""Store and show a case as the site does: its form, the row of a finished grading, and the pages.

The program is sent by the form; the row is claimed and written as a worker does it, with the events of the grading.
"""

from pathlib import Path

from django.test import Client
from django.urls import reverse

from judge.grading.verdicts import Verdict
from judge.models import Status, Submission
from judge.submissions import records
from judge.submissions.records import GradingRecord
from tests.hostile.corpus.corpus import Case, forbidden_in
from tests.hostile.corpus.limits import KIB
from tests.hostile.grading import Graded
from tests.hostile.pages import Live, get, publish_sum, send

_WORKER = "hostile@here/0"


class Site:
    """A site with one problem, and a contestant who is signed in at `client`."""

    def __init__(self, client: Client, folder: Path, code_bytes: int) -> None:
        self._client = client
        publish_sum(folder, code_kib=code_bytes // KIB)

    def takes(self, case: Case) -> bool:
        """Whether the form takes the program; then it waits in the queue."""
        return send(self._client, case).status_code == 302

    def problems(self, case: Case, graded: Graded) -> list[str]:
        """What is wrong with what is stored and shown of a grading, one sentence each."""
        if not self.takes(case):
            is_fine = case.may_be_refused or Verdict.CE in case.verdicts  # an empty source
            return [] if is_fine else ["the form refuses it"]
        submission = Submission.objects.latest("pk")
        lease = records.claim(Submission.objects.filter(pk=submission.pk), _WORKER)
        assert lease is not None
        record = GradingRecord(lease)
        for event in graded.events:
            record.write(event)
        submission.refresh_from_db()
        return [*_wrong_in_row(case, graded, submission), *self._wrong_on_pages(case, submission)]

    def _wrong_on_pages(self, case: Case, submission: Submission) -> list[str]:
        found = []
        for name, arguments in (
            ("submission", [submission.pk]),
            ("submission_live", [submission.pk]),
            ("submission_list", []),
        ):
            live = Live(get(self._client, reverse(name, args=arguments)))
            found += [f"live on the page {name}: {text}" for text in live.acting]
            shown = "\n".join(live.beside_source).encode("utf-8", "surrogateescape")
            found += [f"the page {name} shows: {text}" for text in forbidden_in(shown, case.forbid)]
        return found


def _wrong_in_row(case: Case, graded: Graded, submission: Submission) -> list[str]:
    found = []
    if (submission.status, submission.attempt, submission.verdict) != (Status.DONE, 1, graded.verdict):
        found.append(f"stored: {submission.status} {submission.verdict}, attempt {submission.attempt}")
    if bytes(submission.source) != case.source:
        found.append("another source is stored than was sent")
    if submission.results.count() != len(graded.judged):
        found.append(f"{submission.results.count()} test cases are stored, {len(graded.judged)} were run")
    return found
