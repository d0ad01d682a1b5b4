"""The visitors of bench/web_load.py, for Locust: `locust -f bench/load/web_users.py Looker --urls ... --people FILE`.

Locust patches Python's sockets and threads (gevent), so only its own process may load this file. Each visitor keeps to
one instance, the first to the first one, the second to the second, and so on round.
"""

import json
from itertools import count
from pathlib import Path
from typing import Any

from locust import FastHttpUser, between, events, task
from locust.argument_parser import LocustArgumentParser
from locust.env import Environment

PROBLEM = "sumoftwo"
SOURCE = "print(sum(map(int, input().split())))\n"
_numbers = count()


@events.init_command_line_parser.add_listener  # type: ignore[untyped-decorator]  # locust's
def add_arguments(parser: LocustArgumentParser) -> None:
    """Where the site is, and who visits it."""
    parser.add_argument("--urls", nargs="+", default=[])
    parser.add_argument("--people", type=Path)


class Visitor(FastHttpUser):
    """A signed-in user."""

    abstract = True
    network_timeout = 10.0
    connection_timeout = 10.0

    def __init__(self, environment: Environment) -> None:
        options = environment.parsed_options
        assert options is not None
        number = next(_numbers)
        self.host = options.urls[number % len(options.urls)]
        super().__init__(environment)
        people: list[dict[str, Any]] = json.loads(options.people.read_text())
        self.person = people[number % len(people)]
        self.headers = {"Cookie": f"sessionid={self.person['session']}; csrftoken={self.person['token']}"}

    def look(self, path: str, name: str) -> None:
        """Open a page."""
        with self.client.get(path, headers=self.headers, name=name, allow_redirects=False, catch_response=True) as page:
            if page.status_code != 200:
                page.failure(f"status {page.status_code}")


class Looker(Visitor):
    """The simple load: no page, no query."""

    wait_time = between(0.2, 0.4)

    @task
    def healthz(self) -> None:
        """Is it up?"""
        self.look("/healthz", "healthz")


class Student(Visitor):
    """The typical load: pages with many queries, sometimes a submission."""

    wait_time = between(1, 3)

    @task(2)
    def problems(self) -> None:
        """What is there?"""
        self.look("/problems/", "problems")

    @task(4)
    def problem(self) -> None:
        """Read one."""
        self.look(f"/problems/{PROBLEM}/", "problem")

    @task(4)
    def result(self) -> None:
        """Look at one's last submission."""
        self.look(f"/submissions/{self.person['submission']}/", "submission")

    @task(2)
    def results(self) -> None:
        """Look at the list of them."""
        self.look("/submissions/", "submissions")

    @task(1)
    def submit(self) -> None:
        """Send a program in."""
        fields = {"csrfmiddlewaretoken": self.person["token"], "language": "python", "source": SOURCE}
        path = f"/problems/{PROBLEM}/submit"
        with self.client.post(
            path, fields, headers=self.headers, name="submit", allow_redirects=False, catch_response=True
        ) as answer:
            if answer.status_code != 302:
                answer.failure(f"status {answer.status_code}")
