"""What a web process does before its first request."""

import subprocess
import sys

import pytest

_ASKED = """
import gc
import web.asgi
import web.urls
known = [web.urls.urlpatterns, web.asgi._cap]
print(*(any(each is one for each in gc.get_objects()) for one in known))
mine = []
print(any(each is mine for each in gc.get_objects()))
"""


@pytest.mark.thorough
def test_collecting_garbage_leaves_out_what_was_imported() -> None:
    said = subprocess.run([sys.executable, "-c", _ASKED], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["False", "False", "True"]


def test_the_address_that_the_editor_asks_takes_little() -> None:
    ask = "import web.asgi as site; print(*map(site._cap, ('/problems/x/recognise', '/problems/x/submit')))"
    asked = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True).stdout
    recognised, submitted = map(int, asked.split())
    assert 3 * 16 * 1024 < recognised == 64 * 1024 < submitted
