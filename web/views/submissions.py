"""Sending a program in."""

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from judge import intake
from web.views.problems import open_problem, problem_page, problem_to_take_for, submit_form

_FIELDS = {"language": "language", "source": "source"}  # the code of a refusal -> the field it belongs beside


def submit(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the program into the queue and go to its page; what is wrong with it is said beside the form."""
    problem = problem_to_take_for(request.user, slug)
    form = submit_form(problem, request.user, request.POST, request.FILES)
    status = 422
    if form.is_valid():
        language, source = form.program()
        try:
            submission = intake.submit(user=cast(User, request.user), problem=problem, language=language, source=source)
        except intake.IntakeRefused as refusal:
            form.add_error(_FIELDS.get(refusal.code), refusal.message)
            status = 429 if refusal.code == "busy" else 422
        else:
            return redirect("submission", submission.pk)
    return problem_page(request, open_problem(request.user, slug), form, status=status)
