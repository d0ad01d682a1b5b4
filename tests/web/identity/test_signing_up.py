"""Who may make an account: open, by invitation, closed; how many from one address; invitations made and taken back."""

import io
import threading
import unicodedata
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import HttpResponse, QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from judge.models import Assignment, Invitation, SignUp, Submission
from problems.models import Problem
from web.forms.account import SignupForm
from web.forms.rejudges import RejudgeChoiceForm
from web.identity import signing_up
from web.identity.accounts import account_named

pytestmark = pytest.mark.django_db
SCHOOL, ELSEWHERE = "192.0.2.1", "192.0.2.2"
MakeInvitation = Callable[..., Invitation]


@pytest.fixture
def invite(instructor: User) -> MakeInvitation:
    """A function that makes an invitation of the instructor's; keyword arguments replace its columns."""

    def make(**columns: object) -> Invitation:
        until = timezone.now() + timedelta(days=1)
        given = {"owner": instructor, "note": "the class", "most_uses": 2, "expires_at": until, **columns}
        return Invitation.objects.create(**given)

    return make


def sign_up(name: str, address: str = SCHOOL, client: Client | None = None, **more: str) -> HttpResponse:
    form = {"username": name, "password1": "a pass phrase", "password2": "a pass phrase", **more}
    return (client or Client()).post("/signup/", form, REMOTE_ADDR=address)  # type: ignore[return-value]


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_name_in_hangul_is_one_name_however_it_is_typed(
    client: Client, instructor: User, problem: Problem, make_submission: Callable[..., Submission]
) -> None:
    name, apart = "홍길동_3", unicodedata.normalize("NFD", "홍길동_3")
    assert name != apart
    assert sign_up(apart).status_code == 302
    assert is_there(name)
    assert sign_up(name).status_code == 422
    for typed in (name, apart):
        sent = {"username": typed, "password": "a pass phrase"}
        assert Client().post("/login/", sent).status_code == 302
    client.force_login(instructor)
    make_submission()
    sent_by_them = make_submission(user=User.objects.get(username=name))
    found = client.get("/submissions/", {"user": apart}).context["form"]
    assert not found.errors
    assert found.keys(None, 2) == [sent_by_them.pk]
    assert account_named(apart) == User.objects.get(username=name)
    call_command("make_instructor", apart, stdout=io.StringIO())
    assert User.objects.get(username=name).is_staff
    with pytest.raises(CommandError, match="has no second factor"):
        call_command("remove_second_factor", apart)
    asked = QueryDict(f"asked=on&users={apart},nobody-{apart}")
    form = RejudgeChoiceForm(problem, asked)
    assert form.errors["users"] == [f"Unknown users: nobody-{name}."]


def is_there(name: str) -> bool:
    return User.objects.filter(username=name).exists()


# How many from one address


def test_one_address_makes_so_many_accounts_within_an_hour(settings: Settings) -> None:
    settings.SIGN_UPS_PER_ADDRESS = 3
    assert [sign_up(f"s{number}").status_code for number in range(5)] == [302] * 3 + [429] * 2
    refused = sign_up("s5")
    assert (
        "Too many accounts were created from your address within an hour. Try again in 60 minutes"
        in refused.content.decode()
    )
    assert 3_500 < int(refused["Retry-After"]) <= 3_600
    assert not is_there("s5")
    assert sign_up("elsewhere", ELSEWHERE).status_code == 302
    SignUp.objects.filter(address=SCHOOL).update(created_at=timezone.now() - timedelta(hours=1, seconds=1))
    assert sign_up("s5").status_code == 302
    assert SignUp.objects.filter(address=SCHOOL).count() == 1  # what counts no more is forgotten


def test_addresses_of_one_ipv6_network_are_one(settings: Settings) -> None:
    settings.SIGN_UPS_PER_ADDRESS = 1
    assert sign_up("a", "2001:db8::1").status_code == 302
    assert sign_up("b", "2001:db8::2").status_code == 429
    assert sign_up("c", "2001:db8:0:1::2").status_code == 302


def test_mistakes_in_the_form_and_looking_at_it_count_nothing(settings: Settings) -> None:
    settings.SIGN_UPS_PER_ADDRESS = 1
    for _ in range(3):
        assert sign_up("<b>").status_code == 422
        assert Client().get("/signup/", REMOTE_ADDR=SCHOOL).status_code == 200
    assert sign_up("ada").status_code == 302


def test_an_invited_class_signs_up_from_one_address(settings: Settings, invite: MakeInvitation) -> None:
    settings.SIGN_UPS_PER_ADDRESS = 1
    token = invite(most_uses=5).token
    assert [sign_up(f"s{number}", invitation=token).status_code for number in range(6)] == [302] * 5 + [403]
    assert sign_up("ada").status_code == 302
    assert Invitation.objects.get().uses == 5


# Who may


def test_closed_site_says_so_and_makes_no_account(settings: Settings, invite: MakeInvitation) -> None:
    settings.SIGN_UP = "closed"
    page = Client().get("/signup/")
    assert page.status_code == 200
    assert "This site accepts no new accounts." in page.content.decode()
    assert "password1" not in page.content.decode()
    for token in ("", invite().token):
        answer = sign_up("ada", invitation=token)
        assert answer.status_code == 403
        assert "This site accepts no new accounts." in answer.content.decode()
    assert not is_there("ada")
    assert Invitation.objects.get().uses == 0


def test_site_by_invitation_says_that_one_is_needed(settings: Settings) -> None:
    settings.SIGN_UP = "invitation"
    page = Client().get("/signup/?next=/submissions/").content.decode()
    assert "An account needs an invitation here." in page
    assert "password1" not in page
    assert '"/login/?next=/submissions/"' in page
    assert sign_up("ada").status_code == 403
    assert not is_there("ada")


@pytest.mark.parametrize("mode", ["open", "invitation"])
def test_invitation_makes_an_account(settings: Settings, invite: MakeInvitation, mode: str) -> None:
    settings.SIGN_UP = mode
    client, invitation = Client(), invite()
    page = client.get(f"/signup/?invitation={invitation.token}&next=/submissions/").content.decode()
    assert "You are invited." in page
    assert f'name="invitation" value="{invitation.token}"' in page
    answer = sign_up("ada", client=client, invitation=invitation.token, next="/submissions/")
    assert (answer.status_code, answer["Location"]) == (302, "/submissions/")
    assert "_auth_user_id" in client.session
    invitation.refresh_from_db()
    assert invitation.uses == 1


@pytest.mark.parametrize(
    "columns",
    [
        {"expires_at": timezone.now() - timedelta(seconds=1)},
        {"uses": 2},
        {"revoked_at": timezone.now()},
        {"token": "another"},
    ],
)
@pytest.mark.parametrize("mode", ["open", "invitation"])
def test_invitation_that_cannot_be_used_is_told(
    settings: Settings, invite: MakeInvitation, mode: str, columns: dict[str, object]
) -> None:
    settings.SIGN_UP = mode
    token = invite(**columns).token
    asked = "guessed" if token == "another" else token
    page = Client().get(f"/signup/?invitation={asked}")
    assert "This invitation has expired, is used up or was revoked." in page.content.decode()
    assert sign_up("ada", invitation=asked).status_code == 403
    assert not is_there("ada")


@pytest.mark.parametrize("token", ["\0", "é", "x" * 65, "' OR 1=1", " "])
def test_token_that_is_none_is_told(settings: Settings, token: str) -> None:
    settings.SIGN_UP = "invitation"
    assert sign_up("ada", invitation=token).status_code == 403


def test_name_that_somebody_takes_in_the_same_moment_is_told_and_uses_nothing_up(
    invite: MakeInvitation, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = SignupForm.save

    def save(form: SignupForm, *, commit: bool) -> User:
        User.objects.create_user("ada")
        made: User = real(form, commit=commit)
        return made

    monkeypatch.setattr(SignupForm, "save", save)
    answer = sign_up("ada", invitation=invite().token)
    assert answer.status_code == 422
    assert "already exists" in answer.content.decode()
    assert Invitation.objects.get().uses == 0


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_no_more_get_through_than_are_left(settings: Settings, invite: MakeInvitation) -> None:
    settings.SIGN_UP, settings.SIGN_UPS_PER_ADDRESS = "invitation", 2
    token = invite(most_uses=2).token
    assert _together(token) == [False] * 4 + [True] * 2
    settings.SIGN_UP = "open"
    assert _together("") == [False] * 4 + [True] * 2
    assert Invitation.objects.get().uses == SignUp.objects.count() == 2


def _together(token: str) -> list[bool]:
    """Six sign up at the same time; whether each got an account."""
    got: list[bool] = []
    start = threading.Barrier(6)

    def one(number: int) -> None:
        name = f"s{number}-{token}"[:20]
        form = SignupForm({"username": name, "password1": "a pass phrase", "password2": "a pass phrase"})
        assert form.is_valid()
        start.wait()
        try:
            signing_up.sign_up(form, token, SCHOOL)
        except signing_up.SignUpRefused:
            got.append(False)
        else:
            got.append(is_there(name))
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(got)


# From the invitation to an assignment


@pytest.mark.parametrize("mode", ["open", "invitation"])
def test_invited_student_goes_on_to_the_assignment_and_joins(
    settings: Settings, invite: MakeInvitation, instructor: User, mode: str
) -> None:
    settings.SIGN_UP = mode
    assignment = Assignment.objects.create(title="Buffers", owner=instructor)
    join = reverse("join_assignment", args=[assignment.pk, assignment.token])
    token = invite(assignment=assignment).token
    client = Client()
    page = client.get(f"/signup/?invitation={token}").content.decode()
    assert f'name="next" value="{join}"' in page
    assert f'"/login/?next={join}"' in page  # for who has an account
    answer = sign_up("ada", client=client, invitation=token, next=join)
    assert answer["Location"] == join
    assert "Join Buffers?" in client.get(join).content.decode()
    client.post(join)
    assert assignment.students.get().username == "ada"
    assert browser(User.objects.get(username="ada")).get(f"/signup/?invitation={token}")["Location"] == join


def test_join_link_of_a_site_by_invitation_leads_to_what_to_do(settings: Settings, instructor: User) -> None:
    settings.SIGN_UP = "invitation"
    assignment = Assignment.objects.create(title="Buffers", owner=instructor)
    join = reverse("join_assignment", args=[assignment.pk, assignment.token])
    client = Client()
    login = client.get(join)["Location"]
    assert login == f"/login/?next={join}"
    assert f'"/signup/?next={join}"' in client.get(login).content.decode()
    page = client.get(f"/signup/?next={join}").content.decode()
    assert "An account needs an invitation here." in page
    assert f'"/login/?next={join}"' in page


# The page of invitations


def test_instructor_makes_one_sees_its_use_and_takes_it_back(settings: Settings, instructor: User) -> None:
    settings.SIGN_UP = "invitation"
    assignment = Assignment.objects.create(title="Buffers", owner=instructor)
    teacher = browser(instructor)
    assert "You have created no invitations yet." in teacher.get("/invitations/").content.decode()
    said = {"note": "first year", "most_uses": "2", "days": "3", "assignment": str(assignment.pk)}
    assert teacher.post("/invitations/", said)["Location"] == "/invitations/"
    made = Invitation.objects.get()
    assert timedelta(days=2.9) < made.expires_at - timezone.now() < timedelta(days=3.1)
    assert len(made.token) >= 22
    link = f"http://testserver/signup/?invitation={made.token}"
    page = teacher.get("/invitations/").content.decode()
    assert link in page
    assert "Leads to Buffers." in page
    assert sign_up("ada", invitation=made.token).status_code == 302
    assert "1 of 2 accounts created" in teacher.get("/invitations/").content.decode()
    assert teacher.post(f"/invitations/{made.pk}/revoke")["Location"] == "/invitations/"
    assert link not in teacher.get("/invitations/").content.decode()
    assert sign_up("bob", invitation=made.token).status_code == 403
    assert is_there("ada")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"note": ""}, "This field is required."),
        ({"note": "a\0b"}, "Null characters are not allowed."),
        ({"most_uses": "0"}, "greater than or equal to 1"),
        ({"most_uses": "1001"}, "less than or equal to 1000"),
        ({"days": "367"}, "less than or equal to 366"),
        ({"assignment": "1"}, "Select a valid choice."),
    ],
)
def test_mistakes_of_the_form_are_told(instructor: User, said: dict[str, str], sentence: str) -> None:
    answer = browser(instructor).post("/invitations/", {"note": "x", "most_uses": "2", "days": "3", **said})
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not Invitation.objects.exists()


def test_invitations_are_for_instructors_and_each_sees_ones_own(
    student: User, instructor: User, invite: MakeInvitation
) -> None:
    invitation = invite()
    reader = browser(student)
    assert reader.get("/invitations/").status_code == 403
    assert reader.post("/invitations/", {"note": "x", "most_uses": "2", "days": "3"}).status_code == 403
    assert reader.post(f"/invitations/{invitation.pk}/revoke").status_code == 404
    assert '"/invitations/"' not in reader.get("/assignments/").content.decode()
    colleague = User.objects.create_user("colleague")
    colleague.user_permissions.add(Permission.objects.get(codename="add_problem"))
    assert invitation.token not in browser(colleague).get("/invitations/").content.decode()
    assert browser(colleague).post(f"/invitations/{invitation.pk}/revoke").status_code == 404
    staff = browser(User.objects.create_user("staff", is_staff=True))
    assert f"by {instructor.username}" in staff.get("/invitations/").content.decode()
    assert '"/invitations/"' in staff.get("/assignments/").content.decode()
    assert staff.post(f"/invitations/{invitation.pk}/revoke").status_code == 302


def test_page_says_what_invitations_are_worth_here(
    settings: Settings, instructor: User, invite: MakeInvitation
) -> None:
    invite(uses=2)
    invite(expires_at=timezone.now() - timedelta(seconds=1))
    for mode, sentence in {
        "open": "Everyone can create an account here.",
        "invitation": "An account needs an invitation here.",
        "closed": "invitations cannot be used",
    }.items():
        settings.SIGN_UP = mode
        page = browser(instructor).get("/invitations/").content.decode()
        assert sentence in page
        assert "Used up." in page
        assert "<strong>Expired</strong>" in page


def test_invitations_come_in_pages(instructor: User, invite: MakeInvitation) -> None:
    notes = [invite(note=f"class {number:02}").note for number in range(30)]
    page = browser(instructor).get("/invitations/").content.decode()
    assert notes[29] in page
    assert notes[4] not in page
    assert "?before=" in page
