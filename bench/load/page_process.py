"""`python -m bench.load.page_process`: answer requests as a web process does, and tell the CPU time that each took.

How it works: it reads one JSON mapping per line from stdin (`path`, `cookie`, `times`) and answers each with one line.
The request goes through the ASGI application of the tree that it is started in, as from a browser that takes gzip. CPU
time is user plus system time of the whole process, so what a server adds around the application is not in it. With
`"times": 0` one request is answered and its SQL statements are counted; with `"profile"` it says where the time is.
"""

import asyncio
import cProfile
import json
import pstats
import sys
import time
from collections import Counter
from typing import Any

from asgiref.sync import SyncToAsync

import web.asgi
from bench.load.asgi import Exchange
from bench.rows_of.asked import Ears

# The parts of a page's time by the file of a function; what is called in C counts for its caller. The first one fits.
_PARTS = {
    "django/template/defaultfilters": "template filters",
    "django/template": "templates",
    "django/forms": "form fields",
    "django/urls": "addresses",
    "django/db/models/sql": "writing SQL",
    "django/db/models/expressions": "writing SQL",
    "django/db/models/lookups": "writing SQL",
    "django/db/models/functions": "writing SQL",
    "django/db/models/fields/related_lookups": "writing SQL",
    "django/db": "queries and rows",
    "psycopg": "queries and rows",
    "web/server/db_pool": "queries and rows",
    "django/utils/translation": "translation",
    "gettext.py": "translation",
    "django/templatetags/i18n": "translation",
    "asgiref/local": "translation",
    "django/utils/formats": "escaping and formats",
    "django/utils/numberformat": "escaping and formats",
    "django/utils/html": "escaping and formats",
    "django/utils/safestring": "escaping and formats",
    "/html/__init__": "escaping and formats",
    "gzip.py": "compression",
    "django/middleware/gzip": "compression",
    "django/utils/text": "compression",
    "pygments": "highlighting",
    "web/templatetags": "our values for pages",
    "web/presentation": "our values for pages",
    "judge/grading": "our values for pages",
    "web/views": "our values for pages",
    "judge/submissions": "our values for pages",
    "middleware": "layers around the view",
    "csp/": "layers around the view",
    "axes/": "layers around the view",
    "allauth/": "layers around the view",
    "django/contrib/sessions": "layers around the view",
    "django/contrib/auth": "layers around the view",
    "django/core/handlers": "layers around the view",
    "django/http": "layers around the view",
    "web/identity": "layers around the view",
    "web/server": "layers around the view",
    "web/guard": "layers around the view",
    "asgiref": "layers around the view",
    "django/utils/functional": "values made late",
    "django/utils/choices": "form fields",
    "web/forms": "form fields",
    "web/submission_filter": "form fields",
    "web/addresses": "addresses",
}
_REST = "the rest"


async def main() -> None:
    """Answer until stdin ends."""
    for line in sys.stdin:
        print(json.dumps(await _answer(json.loads(line))), flush=True)


async def _answer(asked: dict[str, Any]) -> dict[str, Any]:
    if asked["times"] == 0:
        return await _counted(asked)
    if asked.get("profile"):
        return {"parts": await _profiled(asked)}
    spent = []
    for _ in range(asked["times"]):
        before = time.process_time_ns()
        await _ask(asked)
        spent.append((time.process_time_ns() - before) / 1_000)
    return {"cpu_us": spent}


async def _counted(asked: dict[str, Any]) -> dict[str, Any]:
    """To be asked for last: the connections stay heard."""
    ears = Ears()
    with ears.listening():
        size = await _ask(asked)
    return {"statements": len(ears.heard), "bytes": size}


async def _profiled(asked: dict[str, Any]) -> dict[str, float]:
    """Return the share of each part in per cent. The profiler makes calls dearer, so these are shares, not times."""
    profiles: list[cProfile.Profile] = []

    handle = SyncToAsync.thread_handler

    def profiled(*given: Any, **named: Any) -> Any:
        profiles.append(cProfile.Profile(time.thread_time))  # else waiting for the database counts
        return profiles[-1].runcall(handle, *given, **named)

    SyncToAsync.thread_handler = profiled  # type: ignore[method-assign]  # where a request's thread begins its work
    try:
        for _ in range(asked["times"]):
            await _ask(asked)
    finally:
        SyncToAsync.thread_handler = handle  # type: ignore[method-assign]
    spent: Counter[str] = Counter()
    for (file, _, _), (_, _, own, _, callers) in pstats.Stats(*profiles).stats.items():  # type: ignore[attr-defined]
        if file == "~":  # in C
            for (caller, _, _), numbers in callers.items():
                spent[_part(caller)] += numbers[2]
        else:
            spent[_part(file)] += own
    return {part: round(100 * own / sum(spent.values()), 1) for part, own in spent.most_common()}


def _part(file: str) -> str:
    return next((part for piece, part in _PARTS.items() if piece in file), _REST)


async def _ask(asked: dict[str, Any]) -> int:
    size = 0

    def take(body: bytes) -> None:
        nonlocal size
        size += len(body)

    headers = [(b"cookie", asked["cookie"].encode()), (b"accept-encoding", b"gzip, deflate, br")]
    exchange = Exchange(asked["path"], headers=headers, take=take)
    await exchange.go_through(web.asgi.application)
    if exchange.status != 200:
        raise SystemExit(f"{asked['path']} was answered with {exchange.status}")
    return size


if __name__ == "__main__":
    asyncio.run(main())
