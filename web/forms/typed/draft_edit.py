"""The form for changing an existing problem: filled from its package, and asking only for changes."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judge.grading.languages import LANGUAGES
from problems.convert.native import seconds_of
from problems.editing.draft import Draft, TypedSample, own_files
from problems.editing.editable import Editable
from problems.format.problemyaml import LICENSES
from problems.languages import PACKAGE_LANGUAGES
from problems.package import Attachment
from web.forms.fields import set_choices
from web.forms.typed import functions
from web.forms.typed.draft import COMPARISONS, FLAGS, OWN, TESTLIB, ProblemForm

KEEP = "keep"


class EditForm(ProblemForm):
    """A problem whose package is there."""

    number = forms.IntegerField(widget=forms.HiddenInput)  # of the version that was on the page
    removed_cases = forms.MultipleChoiceField(required=False)
    removed = forms.MultipleChoiceField(required=False)
    test_folder = forms.ChoiceField(label=_("Add them to"), required=False)

    def __init__(
        self,
        data: Any = None,
        files: Any = None,
        *,
        now: Editable,
        number: int,
        language: str,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        statement = now.statement(language)
        as_now = {
            "title": now.title(language),
            "statement": statement.text if statement else "",
            "form": statement.format if statement else "markdown",
            "language": language,
            "samples": list(now.samples),
            "time_limit": seconds_of(now.time_limit_ms) if now.time_limit_ms else None,
            "memory_mib": now.memory_mib,
            "comparison": KEEP,
            "author": now.line(now.author_key),
            "source": now.line("source"),
            "license": now.line("license"),
            **functions.initial_of(now.functions),
            "number": number,
        }
        super().__init__(data, files, initial={**as_now, **(initial or {})})
        self.now = now
        self._number = number
        self.opened_language = language
        if statement:
            self.fields["language"].widget = forms.HiddenInput()
        self._offer(now)

    def clean(self) -> dict[str, Any]:
        """Refuse a package other than the one that was on the page, and one without tests."""
        cleaned = super().clean()
        if "number" in cleaned and cleaned["number"] != self._number:
            why = _("Version %(number)s was published meanwhile. Reload this page to change it.")
            self.add_error(None, why % {"number": self._number})
        removed = set(cleaned.get("removed_cases", ()))
        remaining = [case for case in self.now.package.test_cases if case.name not in removed and not case.is_sample]
        if not remaining and cleaned.get("tests") == {} and not cleaned.get("samples"):
            self.add_error("tests", _("Judging needs a test case: keep one, add tests or a sample."))
        there = {sample.name for sample in self.now.samples}
        cleaned["samples"] = tuple(
            sample if sample.name in there else TypedSample(input=sample.input, answer=sample.answer)
            for sample in cleaned.get("samples", ())
        )
        statement = self.now.statement(cleaned.get("language", ""))
        if statement and not self.opened_language:
            self.add_error("language", _("A statement in this language exists. Open it to change it."))
        if statement and statement.text.strip() and not str(cleaned.get("statement", "-")).strip():
            self.add_error("statement", _("Write the statement."))
        time_limit, step = cleaned.get("time_limit"), self.now.resolution_ms
        if time_limit is not None and step and round(time_limit * 1_000) % step:
            why = _("In this package a time limit is a multiple of %(step)s s.")
            self.add_error("time_limit", why % {"step": seconds_of(step)})
        return cleaned

    def draft(self, scratch: Path) -> Draft:
        """Return the draft, with the files to remove."""
        draft = super().draft(scratch)
        folder = self.cleaned_data["test_folder"]
        return replace(
            draft,
            tests={f"{folder}/{name}" if folder else name: pair for name, pair in draft.tests.items()},
            removed_cases=frozenset(self.cleaned_data["removed_cases"]),
            removed=frozenset(self.cleaned_data["removed"]),
        )

    def _offer(self, now: Editable) -> None:
        """Offer choices as this package has them."""
        for language in LANGUAGES.keys() - now.functions.keys():
            functions.remove_fields(self, language)
        own = [(OWN, _("a new checker of the problem's own")), (TESTLIB, _("a new testlib checker"))]
        choices = [choice for choice in COMPARISONS if choice[0] not in (OWN, TESTLIB)] if now.takes_flags else []
        unchanged = (KEEP, _("unchanged: %(comparison)s") % {"comparison": checked_by(now)})
        set_choices(self, "comparison", [unchanged, *choices, *own])
        set_choices(self, "removed_cases", [(case.name, case.name) for case in (*now.tests, *now.other_samples)])
        set_choices(self, "removed", [(name, name) for name in removable(now)])
        set_choices(self, "test_folder", [(name, name or _("the top level")) for name in now.test_folders])
        if now.test_folders:
            self.fields["test_folder"].initial = now.test_folders[0]
        for name, key in (("author", now.author_key), ("source", "source"), ("license", "license")):
            if now.line(key) is None:
                del self.fields[name]
        license_now = now.line("license")
        if license_now and license_now not in LICENSES:
            license_field: Any = self.fields["license"]
            set_choices(self, "license", [*license_field.choices, (license_now, license_now)])
        self.is_multilingual = len({statement.language for statement in now.package.statements}) > 1

    def has_accepted(self) -> bool:
        """Return whether an accepted submission is added, or stays."""
        removed = set(self.cleaned_data.get("removed", ()))
        return super().has_accepted() or any(
            program.expected == {"AC"} and f"submissions/{program.name}" not in removed
            for program in self.now.package.submissions
        )

    def test_names(self) -> tuple[str, ...]:
        """Return the names of the tests in the folder to which new ones are added."""
        place = re.compile(re.escape(f"secret/{self.cleaned_data['test_folder']}".rstrip("/")) + "/([^/]+)")
        return tuple(match[1] for case in self.now.tests if (match := place.fullmatch(case.name)))


def checked_by(now: Editable) -> str:
    """Return how outputs are judged now, in words."""
    checker = now.package.output_validator
    if checker is not None:
        words = _("the interactor %(name)s") if now.package.is_interactive else _("the checker %(name)s")
        return words % {"name": checker.name}
    flags = now.flags
    names = {value: name for name, value in FLAGS.items()}
    comparison = next((words for name, words in COMPARISONS if name == names.get(flags)), None)
    return str(comparison or _("the default checker with %(flags)s") % {"flags": " ".join(flags)})


def removable(now: Editable) -> tuple[str, ...]:
    """Return the files and folders that the form offers to remove."""
    package = now.package
    return (
        *(f"submissions/{program.name}" for program in package.submissions),
        *now.input_validators,
        *(f"{picture_folder(now, picture.name)}/{picture.name}" for picture in package.pictures),
        *(f"attachments/{attachment.name}" for attachment in attachments(now)),
    )


def attachments(now: Editable) -> list[Attachment]:
    """Return the files to download that the form shows as such: not the code that students begin with."""
    templates = {name for language in now.functions for name in own_files(PACKAGE_LANGUAGES[language], now.files)[1]}
    return [attachment for attachment in now.package.attachments if f"attachments/{attachment.name}" not in templates]


def picture_folder(now: Editable, name: str) -> str:
    """Return the folder in which the picture lies."""
    folder = now.statement_folder
    other = "statement" if folder == "problem_statement" else "problem_statement"
    return folder if f"{folder}/{name}" in now.files else other
