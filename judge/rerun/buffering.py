"""How a program is started so that its output is buffered, whatever it does to flush it.

Writes are gathered by the preload of `sandbox/native/coalesce.c` in every language. Where a runtime spends time on its
own side of each flush, which no preload can take away, the program is run by a few lines in its language that take the
flushes away first (`Language.buffering_program`). What is still different then shows in the comparison: a mixture of
ways to write, for one, or what an object prints when it is destroyed after the end.
"""

from judge.languages import Language


def buffered_argv(language: Language, argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command line that starts a program so that it does not flush; `argv`, without arguments, as it is."""
    return (*argv[:-1], "-c", language.buffering_program, argv[-1]) if language.buffering_program else argv
