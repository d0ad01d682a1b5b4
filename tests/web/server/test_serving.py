"""`manage.py serve` as a process of its own."""

import os
import signal
from pathlib import Path

import pytest

from tests.processes import is_running
from tests.waiting import wait_for
from tests.web.served import served
from web.operations import services


@pytest.mark.timeout(180)
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("redis_server")
@pytest.mark.thorough
def test_all_its_processes_end_with_the_first_one(tmp_path: Path) -> None:
    with served(tmp_path, TALLY_WEB_PROCESSES="2") as site:
        wait_for(lambda: len(site.children()) == 2, "it has two processes")
        children = site.children()
        os.kill(site.pid, signal.SIGKILL)
        wait_for(lambda: not any(map(is_running, children)), "they end with the first one")
        assert not services.answers(f"http://127.0.0.1:{site.port}")
