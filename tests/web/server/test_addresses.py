"""The names of addresses."""

import pytest

from web.server.request_log import named


@pytest.mark.parametrize(
    ("path", "name", "parameters"),
    [
        ("/submissions/12/", "submission", {"submission_id": 12}),
        ("/problems/", "problem_list", {}),
        ("/no/such/page/", "", {}),
    ],
)
def test_a_path_has_a_name_and_parameters(path: str, name: str, parameters: dict[str, object]) -> None:
    assert named(path) == (name, parameters)
