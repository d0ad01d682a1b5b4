"""Change a source by its grammar tree, so that it no longer does what made it slow.

A fix is a record in `catalogue` and a function of the source that returns byte ranges with their new text, in the
module of its language below `judge.grading.reading.rewriting`. The bounded reader runs it (`rewriting`), since the
source is untrusted. Whether a change compiles, keeps the output and gains anything is for `judge.grading.reruns.fix` to
try: here nothing is claimed.
"""
