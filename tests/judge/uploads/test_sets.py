"""Sets of packages: a worker makes one upload of each package, as many as the sender may have."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from judge.models import PackageUpload, Status, WhenClean
from judge.queue import wakeup
from judge.queue.leases import LeaseLost
from judge.slots import Slot
from judge.submissions import records
from judge.uploads import archives, caps, importing, uploads
from problems.models import Problem
from problems.store.store import StoreUnavailable
from problems.translation import sentence_of
from tests.fakes import FakeSandbox, Scripted
from tests.judge.packed import FILES, packed
from tests.judge.uploads.sent import lying, received
from tests.problems.archives import LINK, Raw, zipped

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("silent_wakeup", "store")]
UploadMaker = Callable[..., PackageUpload]
CONTEST = zipped(
    {f"{name}/{file}": text for name in ("a", "b") for file, text in FILES.items()} | {"README.md": ""},
    [Raw("legacy.zip", packed(folder="legacy"))],
)


@pytest.fixture
def work(tmp_path: Path) -> Callable[[PackageUpload], PackageUpload]:
    """A function that has a worker look at an upload; what is verified would need a jail."""

    def do(upload: PackageUpload) -> PackageUpload:
        lease = records.claim(PackageUpload.objects.filter(pk=upload.pk), "node/0")
        assert lease is not None
        folder = tmp_path / "slot"
        importing.import_package(
            lease, FakeSandbox(lambda _command, _limits: Scripted()), Slot(number=0, cpu=None, folder=folder, lock=0)
        )
        assert not list(folder.rglob("upload-*"))
        upload.refresh_from_db()
        return upload

    return do


Work = Callable[[PackageUpload], PackageUpload]


def remarks(upload: PackageUpload) -> list[str]:
    return [sentence_of(remark) for remark in upload.columns["warnings"]]


def test_each_package_of_a_set_becomes_an_upload(author: User, work: Work) -> None:
    whole = work(received(author, CONTEST, when_clean=WhenClean.HIDE))
    parts = list(whole.parts.order_by("pk"))
    assert [part.name for part in parts] == ["a", "b", "legacy.zip"]
    assert {(part.owner, part.status, part.when_clean) for part in parts} == {(author, Status.QUEUED, "hide")}
    assert len({part.turn for part in parts}) == 3
    assert (archives.incoming() / parts[2].token).read_bytes() == packed(folder="legacy")
    assert (parts[2].size, parts[2].kept_bytes) == (len(packed(folder="legacy")), sum(map(len, FILES.values())))
    assert sorted(lying()) == sorted(part.token for part in parts)
    assert (whole.status, whole.token, whole.report, whole.mistakes) == (Status.DONE, "", None, ())
    assert remarks(whole) == ["These files belong to no package and are left out: README.md."]
    assert wakeup.unread_wakeups() == 4


def test_package_that_cannot_be_taken_out_is_an_upload_that_is_refused(author: User, work: Work) -> None:
    escape = [Raw("b/out", b"../a/problem.yaml", LINK), Raw("broken.zip", b"no zip")]
    whole = work(received(author, zipped({f"{name}/{file}": "" for name in "ab" for file in FILES}, escape)))
    fine, linked, broken = whole.parts.order_by("pk")
    assert (fine.status, linked.status, broken.status) == (Status.QUEUED, Status.DONE, Status.DONE)
    assert [one.why for one in linked.mistakes] == ["is a link that leads out of the package"]
    assert [(one.file, one.why) for one in broken.mistakes] == [("broken.zip", "is no zip archive")]
    assert linked.report is not None
    assert linked.finished_at
    assert not linked.is_clean
    assert lying() == [fine.token]


def test_set_in_a_set_is_refused(author: User, work: Work) -> None:
    whole = work(received(author, zipped({}, [Raw("inner.zip", CONTEST)])))
    inner = work(whole.parts.get())
    assert not inner.parts.exists()
    assert [one.why for one in inner.mistakes] == [
        "has no problem.yaml at its top, but in a, b: pack that folder alone"
    ]
    assert not lying()


def test_set_replaces_no_problem(author: User, work: Work) -> None:
    problem = Problem.objects.create(slug="double", title="Twice", owner=author)
    whole = work(received(author, CONTEST, replaces=problem))
    assert [one.why for one in whole.mistakes] == [
        "has no problem.yaml at its top, but in a, b: pack that folder alone"
    ]
    assert not whole.parts.exists()


@pytest.mark.parametrize("limit", ["MOST_UNDECIDED", "MOST_UNDECIDED_BYTES"])
def test_as_many_packages_are_taken_as_fit(
    author: User, work: Work, verified: UploadMaker, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    size = sum(map(len, FILES.values()))
    verified(kept_bytes=size)
    whole = received(author, CONTEST)
    monkeypatch.setattr(caps, limit, 3 if limit == "MOST_UNDECIDED" else 3 * size)
    work(whole)
    assert [part.name for part in whole.parts.order_by("pk")] == ["a", "b"]
    assert remarks(whole)[1].startswith("2 of the 3 packages fitted: one person may have")
    assert remarks(whole)[1].endswith("then send the others again: legacy.zip.")
    assert len(lying()) == 2


def test_set_of_which_nothing_fits_is_refused(
    author: User, work: Work, verified: UploadMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = received(author, CONTEST)
    for _ in range(3):
        verified()
    monkeypatch.setattr(caps, "MOST_UNDECIDED", 3)
    work(whole)
    (mistake,) = whole.mistakes
    assert mistake.why.startswith("0 of the 3 packages fitted")
    assert not whole.parts.exists()
    assert not lying()


def test_set_of_more_packages_than_one_person_may_have_is_refused(
    author: User, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caps, "MOST_UNDECIDED", 2)
    whole = work(received(author, CONTEST))
    assert [one.why for one in whole.mistakes] == ["holds 3 packages; at most 2 are taken at once"]
    assert not lying()


def test_set_that_was_discarded_meanwhile_makes_no_uploads(
    author: User, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = received(author, CONTEST)
    keep = archives.keep

    def discarded(*archive: object) -> int:
        uploads.discard(whole)
        return keep(*archive)  # type: ignore[arg-type]

    monkeypatch.setattr(archives, "keep", discarded)
    with pytest.raises(LeaseLost):
        work(whole)
    assert not whole.parts.exists()
    assert not lying()


def test_storage_that_is_away_costs_an_attempt_and_leaves_nothing(
    author: User, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = received(author, CONTEST)
    keep, kept = archives.keep, list[int]()

    def away(*archive: object) -> int:
        if kept:
            raise StoreUnavailable("gone")
        kept.append(keep(*archive))  # type: ignore[arg-type]
        return kept[0]

    monkeypatch.setattr(archives, "keep", away)
    with pytest.raises(StoreUnavailable):
        work(whole)
    whole.refresh_from_db()
    assert (whole.status, lying()) == (Status.JUDGING, [whole.token])
    assert not whole.parts.exists()


@pytest.mark.usefixtures("every_send_counts")
def test_set_that_was_taken_apart_counts_no_more(author: User, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caps, "MOST_UNDECIDED", 4)
    work(received(author, CONTEST))
    received(author)
    assert caps.Kept.of(author).uploads == 4


def test_set_sent_twice_is_taken_apart_once(author: User, work: Work) -> None:
    whole = work(received(author, CONTEST))
    assert received(author, CONTEST).pk == whole.pk
