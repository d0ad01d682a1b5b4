"""The page of a run, and the card of an experiment: results and the text around them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from judge.grading.measures import BY_NAME
from judge.models import ExperimentRun
from web import access
from web.presentation.experiments import listing
from web.presentation.experiments.pictures import Picture, picture
from web.presentation.experiments.run import RunShown, run_shown
from web.presentation.experiments.texts import in_words, instead, run_question
from web.presentation.result.sentences import language_name
from web.presentation.visible import with_code

_CARD_BARS = 4
_MACHINE = {  # by the names in judge.grading.experiment.results.describe
    "cores": gettext_lazy("cores"),
    "pinned_to": gettext_lazy("pinned to"),
    "cpu_model": gettext_lazy("cpu model"),
    "kernel": gettext_lazy("kernel"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPage:
    """A run with its variants. `experiment`: the one that it comes from, if this reader may see it."""

    shown: RunShown
    variants: list[listing.VariantShown]
    experiment: listing.ExperimentShown | None
    is_own: bool
    may_repeat: bool
    may_change: bool

    @property
    def run(self) -> ExperimentRun:
        return self.shown.run

    @property
    def question(self) -> SafeString:
        return with_code(run_question(self.run))

    @property
    def mechanism(self) -> SafeString:
        return with_code(in_words(self.shown.spec.mechanism))

    @property
    def instead(self) -> str:
        """Why its text is not in the reader's language; "" if it is."""
        return instead(self.run.key, self.shown.spec)

    @property
    def surroundings(self) -> list[tuple[str, str]]:
        """Toolchains and machine, by name."""
        run = self.run
        chains = [(language_name(language), str(words)) for language, words in run.toolchains.items()]
        return chains + [(str(_MACHINE.get(name, name)), str(words)) for name, words in run.machine.items()]

    @property
    def is_changed(self) -> bool:
        """Return whether something else was run than the experiment is now."""
        return self.experiment is not None and self.experiment.spec != self.shown.spec

    @property
    def changed_variants(self) -> list[str]:
        """The names of those that the experiment does not have like this."""
        return [row.variant.name for row in self.variants if row.is_changed]


def run_page(run: ExperimentRun, user: listing.Reader) -> RunPage:
    """Return the page for this reader, who may read the run."""
    view = run_shown(run, user)
    experiment = listing.find_experiment(run.key, user)
    original = experiment.spec.variants if experiment else ()
    return RunPage(
        shown=view,
        variants=listing.variants_shown(view.spec.variants, original),
        experiment=experiment,
        is_own=user.pk is not None and run.user_id == user.pk,
        may_repeat=access.may_run_again(user, view.spec),
        may_change=access.may_run_changed(view.spec),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """An experiment in the list, with a picture of the run to show, if there is one."""

    shown: listing.ExperimentShown
    picture: Picture | None


def cards_of(experiments: Sequence[listing.ExperimentShown], user: listing.Reader) -> list[Card]:
    """Return the cards of these experiments."""
    runs, cards = listing.best_runs(experiments, user), []
    for experiment in experiments:
        run, drawn = runs.get(experiment.key), None
        if run is not None:  # by what the first claim is about
            claim = next(iter(experiment.spec.claims), None)
            destination = claim.destination if claim else experiment.spec.destinations[0]
            cells = [cell for cell in run_shown(run, user).results.cells if cell.destination == destination]
            drawn = picture(BY_NAME[claim.metric if claim else "cpu_time_us"], cells[:_CARD_BARS])
        cards.append(Card(shown=experiment, picture=drawn))
    return cards
