"""The administrator's pages of people: find an account, give rights and take them back, remove a person."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from judge.models import Removal
from judge.removal import belongings_of
from web import access
from web.forms.people import RemovalForm, SearchForm
from web.identity import accounts
from web.presentation.paging import Paging, name_key
from web.presentation.setter.people import matching, people_shown, removal_shown

PAGING = Paging(size=50, column="username", read=name_key, is_descending=False)


@never_cache
def people(request: HttpRequest) -> HttpResponse:
    """Show all accounts, or those with a text in the name or the e-mail address, in the order of names."""
    form = SearchForm(request.GET)
    text = form.cleaned_data["q"] if form.is_valid() else ""
    matches = matching(access.manageable_people(request.user), text)
    page = PAGING.page(matches, request.GET, beside={"q": text} if text else {})
    context = {
        "form": form,
        "text": text,
        "page": page,
        "people": people_shown(page.rows),
        "being_removed": Removal.objects.count(),
        "nav": "people",
    }
    return render(request, "people/list.html", context, status=422 if form.errors else 200)


@never_cache
def person(request: HttpRequest, person_id: int) -> HttpResponse:
    """Show one account, and what an administrator can do about it."""
    user = _person(request, person_id)
    (row,) = people_shown([user])
    context = {"shown": row, "may_decide": access.may_decide_about(request.user, user), "nav": "people"}
    return render(request, "people/person.html", context)


def change_rights(request: HttpRequest, person_id: int) -> HttpResponse:
    """Make a student an instructor, or an account with rights a student's."""
    user = _person(request, person_id)
    change = request.POST.get("change", "")
    if change == "give":
        accounts.make_instructor(user)
        messages.success(request, _("%(name)s is an instructor now.") % {"name": user.get_username()})
    if change == "take" and access.may_decide_about(request.user, user):
        try:
            accounts.remove_instructor(user)
            messages.success(request, _("%(name)s is a student now.") % {"name": user.get_username()})
        except accounts.RightsStay as why:
            messages.error(request, str(why))
    return redirect("person", user.pk)


@never_cache
def remove_person(request: HttpRequest, person_id: int) -> HttpResponse:
    """Say what removing a person deletes and what stays; remove the person with their data."""
    user = _person(request, person_id)
    if not access.may_decide_about(request.user, user):
        return redirect("remove_account")
    owned = belongings_of(user)
    form = RemovalForm(request.POST if request.method == "POST" else None, person=user, needs_owner=owned.need_owner)
    if form.is_valid() and (is_done := form.remove()) is not None:
        words = _("%(name)s is removed, with all data.")
        if not is_done:
            words = _("%(name)s can no longer sign in. A worker deletes the data; it takes a while.")
        messages.success(request, words % {"name": user.get_username()})
        return redirect("people")
    context = {"person": user, "form": form, "removal": removal_shown(owned), "nav": "people"}
    return render(request, "people/remove.html", context, status=422 if form.errors else 200)


def _person(request: HttpRequest, person_id: int) -> User:
    return get_object_or_404(access.manageable_people(request.user), pk=person_id)
