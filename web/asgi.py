"""The site as an ASGI application, for uvicorn. Each address caps its request's size.

Of the processes that uvicorn starts, each imports this module.
"""

import gc
import os
import resource
import warnings
from functools import cache, partial

import django
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "web.settings")
django.setup(set_prefix=False)

from django.core.handlers.asgi import ASGIHandler  # noqa: E402 - needs Django set up
from django.template.loader import render_to_string  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from web.server.body_limit import BodyLimit  # noqa: E402
from web.server.database_watch import database_watch  # noqa: E402
from web.server.db_pool import pool_connections  # noqa: E402
from web.server.request_limit import RequestLimit  # noqa: E402
from web.server.request_log import Observed, named  # noqa: E402
from web.server.serving import end_with_parent  # noqa: E402

# WhiteNoise 6 answers with plain files, which Django reads in a thread; each first one would be a line in the log.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

end_with_parent()
pool_connections()
# A live page has a socket open all the while, and 1,024 descriptors is what many systems begin with.
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)

_RECOGNISED_BYTES = 64 * 1024  # 16 Ki characters, and what a form adds to them
_FORM_BYTES = settings.MAX_FORM_BYTES  # what a form adds to the files in it: a typed problem's is mostly text


def _cap(path: str) -> int:
    name = named(path)[0]
    if name == "recognise":
        return _RECOGNISED_BYTES
    takes_packages = name in {"upload", "replace", "new_problem", "edit_problem"}
    return settings.MAX_PACKAGE_BYTES + _FORM_BYTES if takes_packages else settings.MAX_FORM_BYTES


def _page(name: str) -> bytes:
    return render_to_string(f"errors/{name}.html").encode()


_limited = RequestLimit(
    ASGIHandler(),
    settings.REQUESTS_AT_ONCE,
    busy=cache(partial(_page, "busy")),
    away=cache(partial(_page, "503")),
    files=settings.STATIC_URL,
    watch=database_watch,
)
application = Observed(BodyLimit(_limited, _cap, partial(_page, "413")))

# All that is there by now stays: looking for what may go among it would stop every request for 0.1 s, now and then.
get_resolver().url_patterns  # noqa: B018 - imports every view
gc.collect()
gc.freeze()
