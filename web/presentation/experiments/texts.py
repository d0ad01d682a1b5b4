"""The texts of the experiments that ship with Tally, and the words for destinations, in the reader's language."""

from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from judge.experiments.interleaving import QUESTION, TITLE
from judge.grading.experiment.library import ready_experiments
from judge.grading.experiment.spec import ExperimentSpec
from judge.grading.experiment.texts import texts_in
from problems.translation import said_again
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
    return texts_in(_language()).get(text) or said_again(text, (TITLE, QUESTION)) or text


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
