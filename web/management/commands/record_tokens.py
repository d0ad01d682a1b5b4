"""`manage.py record_tokens`: read the sources that ship with Tally, and keep the tokens by which pages colour them.

It needs the sandbox, as `manage.py grade` does, and no database. Run it when a source of the home page's example or of
an experiment has changed.
"""

import json
from collections.abc import Iterator
from typing import Any

from judge.grading.bounded import read_source, reader_in
from judge.grading.experiment.library import ready_experiments
from judge.grading.languages import LANGUAGES
from judge.management.terminal import GradingCommand, open_sandbox
from web.presentation.sources import OUR_TOKENS, digest_of
from web.presentation.welcome.example import EXAMPLE


class Command(GradingCommand):
    """Writes the file that pages read."""

    exit_codes = "0: recorded; 3: the sandbox failed."
    help = "Read the sources that ship with Tally again and keep their tokens."

    def handle(self, *args: Any, **options: Any) -> None:
        with self.fail_plainly():
            reader = reader_in(*open_sandbox())
            read = {
                digest_of(language, source): read_source(reader, source.encode(), LANGUAGES[language]).tokens
                for language, source in our_sources()
            }
        lines = (f"{json.dumps(key)}: {json.dumps(tokens, separators=(',', ':'))}" for key, tokens in read.items())
        OUR_TOKENS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        self.stdout.write(f"recorded the tokens of {len(read)} sources")


def our_sources() -> Iterator[tuple[str, str]]:
    """Yield the language and the source of each program that a page shows before anybody runs it."""
    for program in json.loads(EXAMPLE.read_bytes())["programs"]:
        yield program["language"], program["source"]
    for spec in ready_experiments().values():
        for variant in spec.variants:
            yield variant.language, variant.source
