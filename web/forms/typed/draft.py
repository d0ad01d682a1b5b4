"""The form for a problem written in the browser: a new one, or one whose package changes."""

from decimal import Decimal
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.utils.functional import lazy
from django.utils.translation import get_language, gettext_lazy as _, pgettext_lazy

from problems.convert.native import Content
from problems.editing.draft import Draft, plain_lines
from problems.editing.testfiles import read_tests
from problems.format.files import printable
from problems.format.flags import parse_flags
from problems.format.limits import MOST_TIME_LIMIT_S
from problems.format.problemyaml import LICENSES, license_in_words
from problems.format.programs import other_language_of
from problems.models import Problem
from problems.package import PackageError, PackageErrors
from problems.statement.statement_files import MOST_BYTES, PICTURE_TYPES
from problems.store.publishing import TAKEN_SLUGS, slug_of
from problems.translation import translated
from web.forms.fields import NameField
from web.forms.problems import when_clean_field
from web.forms.typed import functions
from web.forms.typed.files import (
    ALL_AT_ONCE,
    RULES,
    FilesField,
    ProgramField,
    SamplesField,
    SubmissionsField,
    contents,
    sorted_to_places,
    uses_testlib,
    why_not_run,
)
from web.presentation.units import data_size

_license_name = lazy(license_in_words, str)
OWN, TESTLIB, FLOATS = "own", "testlib", "floats"
FLAGS: dict[str, tuple[str, ...]] = {
    "words": (),
    "case": ("case_sensitive",),
    "exact": ("case_sensitive", "space_change_sensitive"),
}
COMPARISONS = [
    ("words", _("word by word, ignoring case and spacing")),
    ("case", _("word by word, case-sensitive")),
    ("exact", _("exactly, including case and spacing")),
    (FLOATS, _("numbers within a tolerance, other words ignoring case")),
    (OWN, _("the problem's own checker")),
    (TESTLIB, _("a testlib checker")),
]
JURY = {
    "accepted": _("Accepted"),
    "wrong_answer": _("Wrong answer"),
    "time_limit_exceeded": _("Too slow"),
    "run_time_error": _("Crashes"),
    "memory_limit_exceeded": _("Too much memory"),
    "output_limit_exceeded": _("Too much output"),
}
_CODE = {"spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}


class ProblemForm(forms.Form):
    """The fields that a new problem and a changed one have in common. `draft` returns the content of the form."""

    title = NameField(label=_("Name"), max_length=200)
    statement = forms.CharField(
        label=_("Text"), strip=False, required=False, widget=forms.Textarea({"rows": 18, **_CODE, "spellcheck": "true"})
    )
    form = forms.ChoiceField(label=_("Written in"), choices=[("markdown", "Markdown"), ("latex", "LaTeX")])
    language = forms.RegexField(
        r"^[a-z]{2,3}(-[A-Z]{2})?$",
        label=_("Language"),
        initial=get_language,  # of the page
        widget=forms.TextInput(attrs={"size": 6, **_CODE}),
        error_messages={"invalid": _("Enter a language code such as en, de or pt-BR.")},
    )
    all_files = FilesField(label=_("Files"))  # those for which `sorted_to_places` finds no place stay here
    pictures = FilesField(endings=(*PICTURE_TYPES, ".pdf"), label=_("Pictures"))  # a PDF is shown once it is drawn
    samples = SamplesField()
    tests = FilesField(label=_("Tests"))
    time_limit = forms.DecimalField(
        label=_("Time limit, s"),
        required=False,
        min_value=Decimal("0.01"),
        max_value=MOST_TIME_LIMIT_S,
        decimal_places=3,
    )
    memory_mib = forms.IntegerField(label=_("Memory limit, MiB"), required=False, min_value=4, max_value=65_536)
    comparison = forms.ChoiceField(label=_("Checker"), choices=COMPARISONS, initial="words", widget=forms.RadioSelect)
    tolerance = forms.CharField(
        label=_("Tolerance, absolute or relative"),
        required=False,
        initial="1e-6",
        widget=forms.TextInput(attrs={"size": 8, **_CODE}),
    )
    checker = ProgramField(label=_("Checker files"))
    input_validator = ProgramField(label=_("Input validator"), with_grammars=True)
    jury_accepted = SubmissionsField(label=JURY["accepted"])
    jury_wrong_answer = SubmissionsField(label=JURY["wrong_answer"])
    jury_time_limit_exceeded = SubmissionsField(label=JURY["time_limit_exceeded"])
    jury_run_time_error = SubmissionsField(label=JURY["run_time_error"])
    jury_memory_limit_exceeded = SubmissionsField(label=JURY["memory_limit_exceeded"])
    jury_output_limit_exceeded = SubmissionsField(label=JURY["output_limit_exceeded"])
    attachments = FilesField(label=_("Files to download"))
    author = NameField(label=_("Author"), max_length=300, required=False)
    source = NameField(label=pgettext_lazy("origin", "Source"), max_length=300, required=False)
    license = forms.ChoiceField(
        label=_("License"),
        required=False,
        choices=[("", _("Not specified")), *((name, _license_name(name)) for name in LICENSES)],
    )
    when_clean = when_clean_field()

    def __init__(self, data: Any = None, files: Any = None, **kwargs: Any) -> None:
        at_places = sorted_to_places(files)
        super().__init__(data, at_places, **kwargs)
        self._has_sorted_checker = "checker" in (at_places or ()) and "checker" not in files
        functions.add_fields(self)

    def places(self) -> list[forms.BoundField]:
        """Return the fields to which files are sorted, and those for files to download."""
        return [self[name] for name in dict.fromkeys([rule.place for rule in RULES] + ["attachments"])]

    def place_rules(self) -> list[dict[str, str]]:
        """Return the rules for the page's script."""
        return [{"place": rule.place, "pattern": rule.pattern} for rule in RULES]

    def has_wrong_files(self) -> bool:
        """Return whether a file is refused."""
        return any(field.errors for field in (self[ALL_AT_ONCE], *self.places()))

    def clean_all_files(self) -> None:
        """Refuse files whose names do not tell their places."""
        for name in self.cleaned_data[ALL_AT_ONCE]:
            words = _("The name of %(name)s does not tell what it is for. Choose it at its place below.")
            why = why_not_run(name) if other_language_of(name) else words % {"name": printable(name)}
            self.add_error(ALL_AT_ONCE, why)

    def jury(self) -> list[forms.BoundField]:
        """Return the fields for jury submissions, one per verdict."""
        return [self[f"jury_{folder}"] for folder in JURY]

    def functions(self) -> list[functions.FunctionFields]:
        """Return the fields of a problem that asks for one file of a program, by language."""
        return functions.fields_of(self)

    def has_functions(self) -> bool:
        """Return whether one of these fields is filled in or refused."""
        fields = self.functions()
        texts = [field for part in fields for field in (part.program, part.starter, part.file_name)]
        return any(text.value() or text.errors for text in texts)

    def typed(self) -> dict[str, Any]:
        """Return what was typed so far, as the initial values of another form, unchecked."""
        return {name: self[name].value() for name, field in self.fields.items() if not isinstance(field, FilesField)}

    def clean_statement(self) -> str:
        """Return the text as a file holds it."""
        text = plain_lines(str(self.cleaned_data["statement"]))
        if len(text.encode()) > MOST_BYTES:
            raise forms.ValidationError(_("The text exceeds %(most)s KiB.") % {"most": MOST_BYTES // 1024})
        return text

    def clean(self) -> dict[str, Any]:
        """Check fields that depend on each other."""
        cleaned = self.cleaned_data
        files: list[UploadedFile[bytes]] = [file for name in self.files for file in self.files.getlist(name)]
        size = sum(file.size or 0 for file in files)
        if size > settings.MAX_PACKAGE_BYTES:
            most = data_size(settings.MAX_PACKAGE_BYTES)
            why = _("The files have %(size)s in total; at most %(most)s are allowed.")
            self.add_error(None, why % {"size": data_size(size), "most": most})
        comparison, checker = cleaned.get("comparison"), cleaned.get("checker")
        # with the page's script off
        if self._has_sorted_checker and checker and comparison == self["comparison"].initial:
            comparison = cleaned["comparison"] = TESTLIB if uses_testlib(checker) else OWN
        if comparison == FLOATS:
            try:
                parse_flags(("float_tolerance", str(self.cleaned_data.get("tolerance", "")).strip()))
            except PackageError:
                self.add_error("tolerance", _("Enter a number of at least 0, such as 1e-6."))
        if comparison in (OWN, TESTLIB) and checker == {}:
            self.add_error("checker", _("Choose the checker's files."))
        elif comparison not in (OWN, TESTLIB) and checker:
            why = _("A checker is chosen but not used: select it as the comparison, or remove its files.")
            self.add_error("comparison", why)
        elif comparison == TESTLIB and checker and not uses_testlib(checker):
            self.add_error("checker", _("The checker does not include testlib.h."))
        functions.check(self)
        if cleaned.get("time_limit") is None and "time_limit" in cleaned and not self.has_accepted():
            self.add_error("time_limit", _("Enter a limit, or add an accepted submission from which Tally derives it."))
        return cleaned

    def draft(self, scratch: Path) -> Draft:
        """Return the draft of a valid form; unpack zips of tests below `scratch`.

        Raises PackageErrors for tests that are none.
        """
        cleaned = self.cleaned_data
        time_limit, validator, comparison = cleaned["time_limit"], cleaned["input_validator"], cleaned["comparison"]
        submissions: dict[str, Content] = {}
        for folder in JURY:
            submissions |= contents(cleaned[f"jury_{folder}"], folder)
        return Draft(
            title=cleaned["title"],
            statement=cleaned["statement"],
            format=cleaned["form"],
            language=cleaned["language"],
            samples=cleaned["samples"],
            tests=read_tests(list(contents(cleaned["tests"]).items()), scratch, self.test_names()),
            time_limit_ms=None if time_limit is None else max(1, round(time_limit * 1_000)),
            memory_mib=cleaned["memory_mib"],
            flags=("float_tolerance", cleaned["tolerance"].strip()) if comparison == FLOATS else FLAGS.get(comparison),
            checker=contents(cleaned["checker"]),
            input_validators=contents(validator, "validator" if len(validator) > 1 else ""),
            submissions=submissions,
            pictures=contents(cleaned["pictures"]),
            attachments=contents(cleaned["attachments"]),
            functions=functions.typed_functions(self),
            author=cleaned.get("author"),
            source=cleaned.get("source"),
            license=cleaned.get("license"),
        )

    def blame(self, wrong: PackageErrors) -> None:
        """Say what is wrong with the package at the fields that it comes from."""
        for error in wrong.errors:
            field = next((name for start, name in _PLACES if error.file.startswith(start)), "tests")
            if error.file == "problem.yaml":
                field = "time_limit" if "time" in error.key else ""
            file, key = translated(error.file), translated(error.key)
            where = f"{file}: {key}" if key else file
            self.add_error(field or None, f"{where} {translated(error.why)}.")

    def has_accepted(self) -> bool:
        """Return whether there is an accepted submission, also a refused one."""
        return bool(self.cleaned_data.get("jury_accepted")) or "jury_accepted" in self.errors

    def test_names(self) -> tuple[str, ...]:
        """Return the names of the tests that are there already, where new ones are added."""
        return ()


_PLACES = (
    ("submissions", "jury_accepted"),
    ("output_validator", "checker"),
    ("input_validator", "input_validator"),
    ("problem_statement", "statement"),
    ("statement", "statement"),
    ("attachments", "attachments"),
    ("include", ""),
)


class NewProblemForm(ProblemForm):
    """A problem that is not there yet."""

    slug = forms.RegexField(
        r"^[a-z0-9][a-z0-9_-]*$",
        label=_("Short name"),
        max_length=64,
        required=False,
        widget=forms.TextInput(attrs=_CODE),
        error_messages={"invalid": _("Use only lower-case letters, digits, hyphens and underscores.")},
    )

    def __init__(self, data: Any = None, files: Any = None, *, owner: User, **kwargs: Any) -> None:
        super().__init__(data, files, **kwargs)
        self._owner = owner

    def clean(self) -> dict[str, Any]:
        """Refuse a name in use, and a form without tests."""
        cleaned = super().clean()
        if "slug" in cleaned and "title" in cleaned:
            cleaned["slug"] = cleaned["slug"] or slug_of(cleaned["title"])
            slug = cleaned["slug"]
            if not slug:
                self.add_error("slug", _("Enter a short name: none can be derived from the name."))
            elif slug in TAKEN_SLUGS:
                self.add_error("slug", _("%(name)s is an address of this site. Choose another name.") % {"name": slug})
            elif (problem := Problem.objects.filter(slug=slug).first()) is not None:
                why = _("%(name)s is taken.")
                if problem.owner_id == self._owner.pk:
                    why = _("%(name)s is taken by a problem of yours: edit that one.")
                self.add_error("slug", why % {"name": slug})
        if not str(cleaned.get("statement", "-")).strip():
            self.add_error("statement", _("Write the statement."))
        if cleaned.get("tests") == {} and cleaned.get("samples") == ():
            self.add_error("tests", _("Judging needs a test case: add tests or a sample."))
        return cleaned
