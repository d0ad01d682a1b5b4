"""The texts of the experiments that ship with Tally, and the words for destinations, in the reader's language."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import get_language, gettext as _, gettext_lazy

from judge.experiments.interleaving import QUESTION, TITLE, values_of
from judge.grading.experiment.library import ready_experiments, texts_in
from judge.grading.experiment.spec import ExperimentSpec, spec_from_json
from judge.models import ExperimentRun
from problems.jsonvalues import to_json
from sandbox.types import Destination
from web.presentation.statement import name_for_readers

DESTINATIONS = {
    Destination.FILE.value: gettext_lazy("file"),
    Destination.PIPE.value: gettext_lazy("pipe"),
    Destination.TERMINAL.value: gettext_lazy("terminal"),
}
_OWN = "en"


def in_words(text: str) -> str:
    """Return a text of an experiment in the reader's language; one that does not ship with Tally as it was written."""
    return texts_in(_language()).get(text, text)


def run_title(run: ExperimentRun) -> str:
    """Return the title of a run, which may be one of `ExperimentRunQuerySet.for_list`."""
    if run.compared is not None:
        return _(TITLE) % values_of(run.compared)
    return in_words(vars(run).get("title") or run.spec.title)


def run_question(run: ExperimentRun) -> str:
    """Return the question of a run."""
    return _(QUESTION) % values_of(run.compared) if run.compared is not None else in_words(run.spec.question)


def spec_in_words(spec: ExperimentSpec) -> ExperimentSpec:
    """Return an experiment with those of its texts in the reader's language that ship with Tally."""
    return spec_from_json(_told(to_json(spec), texts_in(_language())))


def _told(value: Any, texts: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {texts.get(key, key): _told(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_told(item, texts) for item in value]
    return texts.get(value, value) if isinstance(value, str) else value


def destination_name(destination: str) -> str:
    """Return the word for a destination."""
    return str(DESTINATIONS.get(destination, destination))


def instead(key: str, spec: ExperimentSpec) -> str:
    """Return the sentence of an experiment that ships with Tally, but has no text in the reader's language; else ""."""
    if key not in ready_experiments() or _language() == _OWN or spec.title in texts_in(_language()):
        return ""
    names = {"missing": name_for_readers(_language()), "shown": name_for_readers(_OWN)}
    return _("This experiment has no text in %(missing)s; this is the %(shown)s one.") % names


def _language() -> str:
    return (get_language() or _OWN).split("-")[0]
