"""Say in the reader's language how a case ended: rows keep it in English, as the sandbox knows no translator."""

from problems.translation import gettext_noop, said_again

# Those of sandbox/jail/classify.py, of judge/grading/running/cases.py and budget.py, and of checkers/checking.py.
_ENDINGS = (
    gettext_noop("CPU time limit of %(limit)s"),
    gettext_noop("wall time limit of %(limit)s"),
    gettext_noop("memory limit of %(limit)s"),
    gettext_noop("output limit of %(limit)s on %(stream)s"),
    gettext_noop("killed by a signal"),
    gettext_noop("killed by %(signal)s"),
    gettext_noop("exit code %(code)s"),
    gettext_noop("non-zero exit code"),
    gettext_noop("more write calls than the problem allows"),
    gettext_noop("more read calls than the problem allows"),
    gettext_noop("%(made)s write calls where at most %(most)s are allowed"),
    gettext_noop("%(made)s read calls where at most %(most)s are allowed"),
    gettext_noop("token %(number)s: expected the end of the output, got %(got)s"),
    gettext_noop("token %(number)s: expected %(expected)s, got the end of the output"),
    gettext_noop("token %(number)s: expected %(expected)s, got %(got)s"),
)


def ending_in_words(detail: str) -> str:
    """Return a case's detail in the reader's language; one of another program's words as it is."""
    return said_again(detail, _ENDINGS) or detail
