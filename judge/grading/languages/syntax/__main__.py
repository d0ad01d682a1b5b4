"""`python -m judge.grading.languages.syntax LANGUAGE < SOURCE`: its places as JSON."""

import json
import sys
from dataclasses import asdict

from judge.grading.languages import language_by_id
from judge.grading.languages.syntax.bounds import bound_this_process

_MOST_PLACES = 5_000


def main() -> None:
    """Read, then tell."""
    read = language_by_id(sys.argv[1]).load_reader()  # while this process may still open files
    bound_this_process()
    places = read(sys.stdin.buffer.read())
    json.dump([asdict(place) for place in places[:_MOST_PLACES]], sys.stdout)


if __name__ == "__main__":
    main()
