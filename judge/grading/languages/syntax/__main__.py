"""`python -m judge.grading.languages.syntax LANGUAGE < SOURCE`: its places as JSON.

It bounds itself before it reads anything.
"""

import json
import os
import resource
import sys
from contextlib import suppress
from dataclasses import asdict

from judge.grading.languages import language_by_id

_CPU_S = 2  # 128 KiB of real code take a tenth of that to half of it
_MEMORY_BYTES = 1 << 30
_NOBODY = 65534
_MOST_PLACES = 5_000


def main() -> None:
    """Read, then tell."""
    read = language_by_id(sys.argv[1]).load_reader()  # while this process may still open files
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if os.geteuid() == 0:
        with suppress(PermissionError):  # a worker without the capability for it
            os.setgroups([])
            os.setresgid(_NOBODY, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    places = read(sys.stdin.buffer.read())
    json.dump([asdict(place) for place in places[:_MOST_PLACES]], sys.stdout)


if __name__ == "__main__":
    main()
