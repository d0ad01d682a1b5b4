"""The part of the form in which a problem asks for one file of a program: by language a main program, the name of the
contestant's file, and the code that it begins with.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judge.grading.languages import LANGUAGES, Language, is_usable
from problems.editing.draft import MOST_CHARACTERS, TypedFunction, plain_lines, program_name

_CODE = {"spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}
_USUAL_STEM = "solution"
_USES = {  # how a main program uses the contestant's file: {stem} is its name without ending
    "python": "from {stem} import solve",
    "rust": "mod {stem};",
    "cpp": "int solve(int n);",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class FunctionFields:
    """The fields of one language. `program_name` is the main program's file, `use` a line of it."""

    language: Language
    program: forms.BoundField
    file_name: forms.BoundField
    starter: forms.BoundField
    program_name: str
    use: str


def add_fields(form: forms.Form) -> None:
    """Give the form the fields of every language."""
    for language in LANGUAGES.values():
        usual = usual_name(language)
        form.fields[f"program_{language.id}"] = _text(_("Main program"), rows=10)
        form.fields[f"file_name_{language.id}"] = forms.CharField(
            label=_("Name of the students' file"),
            required=False,
            widget=forms.TextInput(attrs={"size": 24, "placeholder": usual, **_CODE}),
        )
        form.fields[f"starter_{language.id}"] = _text(_("Code that students begin with"), rows=5)


def remove_fields(form: forms.Form, language: str) -> None:
    """Take away the fields of a language whose files the form does not show."""
    for name in ("program", "file_name", "starter"):
        del form.fields[f"{name}_{language}"]


def initial_of(functions: Mapping[str, TypedFunction]) -> dict[str, str]:
    """Return the fields' values for what a package has."""
    return {
        f"{field}_{language}": getattr(typed, field)
        for language, typed in functions.items()
        for field in ("program", "file_name", "starter")
    }


def fields_of(form: forms.Form) -> list[FunctionFields]:
    """Return the fields that the form has, by language."""
    return [
        FunctionFields(
            language=language,
            program=form[f"program_{language.id}"],
            file_name=form[f"file_name_{language.id}"],
            starter=form[f"starter_{language.id}"],
            program_name=program_name(language.in_packages),
            use=_USES[language.id].format(stem=_USUAL_STEM),
        )
        for language in _shown(form)
    ]


def check(form: forms.Form) -> None:
    """Say at the fields what is wrong with the names that the main programs and the students' files have."""
    for language in _shown(form):
        typed = typed_function(form.cleaned_data, language)
        if typed is None or typed.is_empty:
            continue
        field, name = f"file_name_{language.id}", typed.file_name
        if not is_usable(language, name) or name == program_name(language.in_packages):
            why = _("Choose another name: letters, digits and _ with the ending %(ending)s, such as %(usual)s.")
            form.add_error(field, why % {"ending": language.extensions[0], "usual": usual_name(language)})
        # in some languages only the main program's mention makes the file part of the program
        elif (
            typed.program.strip()
            and not language.compiles_each_file
            and not language.in_packages.refers_to(typed.program, name)
        ):
            why = _("The main program does not use the file %(name)s. It needs a line such as: %(line)s")
            line = _USES[language.id].format(stem=name.rpartition(".")[0])
            form.add_error(f"program_{language.id}", why % {"name": name, "line": line})


def typed_functions(form: forms.Form) -> dict[str, TypedFunction]:
    """Return what a valid form says, by language."""
    functions = {language.id: typed_function(form.cleaned_data, language) for language in _shown(form)}
    return {language: typed for language, typed in functions.items() if typed is not None}


def typed_function(cleaned: Mapping[str, Any], language: Language) -> TypedFunction | None:
    """Return what the fields of a language say; None if one of them is refused."""
    values = [cleaned.get(f"{field}_{language.id}") for field in ("program", "starter", "file_name")]
    if None in values:
        return None
    program, starter, name = (plain_lines(str(value)) for value in values)
    if program.strip() or starter.strip():
        name = name or usual_name(language)
    return TypedFunction(program=program, starter=starter, file_name=name)


def usual_name(language: Language) -> str:
    """Return the name that the students' file has if nobody gives it one."""
    return f"{_USUAL_STEM}{language.extensions[0]}"


def _shown(form: forms.Form) -> list[Language]:
    return [language for language in LANGUAGES.values() if f"program_{language.id}" in form.fields]


def _text(label: Any, *, rows: int) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows, **_CODE})
    return forms.CharField(label=label, required=False, strip=False, max_length=MOST_CHARACTERS, widget=widget)
