"""Leave prints out of a program whose output holds more than the answer, and show by runs what becomes of it.

How it works: the lines that a finding names are tried together, then all prints in loops, then each line that prints to
stdout, by itself, until the case is accepted without it. What
the changed program writes is another output, so nothing is compared: the checker decides, on all cases.
"""

from collections.abc import Iterator
from contextlib import ExitStack

from judge.grading.bounded import read_source, reader_in
from judge.grading.fixes import LEFTOVER, Rewritten
from judge.grading.languages import language_by_id
from judge.grading.reading.places import Deed, Stream, lines_of
from judge.grading.reruns.reasons import REFUSED
from judge.grading.reruns.variants import Candidate, Seen, Shop
from judge.grading.verdicts import Verdict
from problems.package import TestCase

_MOST_TRIED = 6  # lines, each with a compilation and a run


def is_more_than_the_answer(run: Seen, case: TestCase) -> bool:
    """Return whether the output was refused and is longer than the answer, so that a print may have been left in."""
    is_refused = run.measured.verdict in REFUSED and run.outcome.stream != "stderr"
    return is_refused and run.measured.stdout_bytes > case.answer.stat().st_size


def without_leftovers(shop: Shop, case: TestCase, stack: ExitStack) -> Candidate | None:
    """Return the program without the first prints without which the case is accepted; None if there are none."""
    for rewritten in _changes(shop):
        if shop.is_closing:
            break
        own = stack.enter_context(ExitStack())
        variant = shop.open(rewritten.source.encode(), own)
        run = variant.run_changed(case) if variant is not None else None
        if variant is not None and run is not None and run.measured.verdict is Verdict.AC:
            return Candidate(rewritten=rewritten, variant=variant, stack=own, run=run)
        own.close()
    return None


def _changes(shop: Shop) -> Iterator[Rewritten]:
    """Yield the source without the lines that were found, without all prints in loops if there are others, and without
    each line that prints; those in loops come first.
    """
    job, tried = shop.job, set[tuple[int, ...]]()
    reader = reader_in(shop.sandbox, shop.work_root, job.cpu)
    code = read_source(reader, job.source, language_by_id(job.language)).code
    prints = code.find(Deed.PRINT, Deed.WRITE, streams=(Stream.STDOUT,))
    repeated = lines_of(tuple(place for place in prints if place.is_repeated))
    once = [line for line in lines_of(prints) if line not in repeated]
    singles = [(line,) for line in (*repeated, *once)][:_MOST_TRIED]
    together = [lines for lines in (job.leftover_lines, repeated if once else ()) if lines]
    for lines in together + singles:
        if lines not in tried and (rewritten := shop.rewrite([f"{LEFTOVER.code}:{','.join(map(str, lines))}"])):
            yield rewritten
        tried.add(lines)
