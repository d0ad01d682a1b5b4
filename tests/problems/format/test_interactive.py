"""Interactive packages: what makes one, what it needs, and the conversations that its page shows."""

from pathlib import Path

import pytest

from problems.format.interactions import read_turns
from problems.loading.loading import load_package
from problems.package import Package, Spoken
from tests.problems.conftest import Write
from tests.problems.loaded import errors_of

INTERACTOR = "import sys\nsys.exit(42)\n"
YAML = (
    "problem_format_version: 2025-09\nname: Guess\nuuid: 1b6d6f19-105f-4b3b-9c31-e87a7524d243\n"
    "type: interactive\nlimits: {time_limit: 2}\n"
)
INTERACTIVE = {
    "problem.yaml": YAML,
    "output_validator/interactor.py": INTERACTOR,
    "data/sample/1.interaction": "> 5\n< lower\n> 3\n< correct\n",
}


def interactions_of(package: Package) -> list[str]:
    return [interaction.name for interaction in package.interactions]


def test_a_2025_package_says_it_by_its_type(new: Write) -> None:
    package = load_package(new(INTERACTIVE))
    assert package.is_interactive
    assert package.output_validator is not None
    assert package.output_validator.entry == "interactor.py"
    assert interactions_of(package) == ["sample/1"]
    assert package.warnings == ()


def test_a_legacy_package_says_it_by_its_validation(legacy: Write) -> None:
    files = {
        "problem.yaml": "name: Guess\nvalidation: custom interactive\nlimits: {time_limit: 2}\n",
        "output_validators/interactor.py": INTERACTOR,
        "data/sample/1.interaction": ">5\n<correct\n",
    }
    package = load_package(legacy(files))
    assert (package.is_interactive, interactions_of(package), package.warnings) == (True, ["sample/1"], ())


def test_other_packages_are_not_interactive(new: Write) -> None:
    package = load_package(new({}))
    assert (package.is_interactive, package.interactions) == (False, ())


@pytest.mark.parametrize("types", ["[pass-fail, interactive]", "[scoring, interactive]", "interactive"])
def test_it_stands_beside_the_way_of_scoring(new: Write, types: str) -> None:
    assert load_package(new({**INTERACTIVE, "problem.yaml": YAML.replace("interactive", types)})).is_interactive


def test_it_may_be_multi_pass_too(new: Write) -> None:
    changes = {**INTERACTIVE, "problem.yaml": YAML.replace("interactive", "[interactive, multi-pass]")}
    package = load_package(new(changes))
    assert (package.is_interactive, package.most_passes) == (True, 2)
    assert interactions_of(package) == ["sample/1"]


def test_multi_pass_problems_show_conversations_too(new: Write) -> None:
    conversation = "< 1\n> 2\n---\n< 2\n> 1\n"
    changes = {
        **INTERACTIVE,
        "problem.yaml": YAML.replace("interactive", "multi-pass"),
        "data/sample/1.interaction": conversation,
    }
    package = load_package(new(changes))
    assert (package.is_interactive, package.most_passes, interactions_of(package)) == (False, 2, ["sample/1"])
    assert package.warnings == ()


def test_a_problem_needs_somebody_to_talk_to(new: Write) -> None:
    assert errors_of(new({**INTERACTIVE, "output_validator/interactor.py": None})) == [
        "problem.yaml: type: is interactive, but output_validator/ holds no program for a submission to talk to"
    ]
    yaml = YAML.replace("interactive", "multi-pass")
    assert errors_of(new({**INTERACTIVE, "problem.yaml": yaml, "output_validator/interactor.py": None})) == [
        "problem.yaml: type: is multi-pass, but output_validator/ holds no program for a submission to talk to"
    ]


@pytest.mark.parametrize(
    ("yaml", "error"),
    [
        ("validation: custom interactive", "validation: is custom, but output_validators/ holds no program"),
        (
            "validation: default interactive",
            "validation: interactive needs a validator of the package: write custom interactive",
        ),
        ("type: interactive", "validation: is custom, but output_validators/ holds no program"),
        ("validation: custom interactive twice", "validation: 'twice' is not known"),
    ],
)
def test_what_is_wrong_with_a_legacy_one_is_told(legacy: Write, yaml: str, error: str) -> None:
    assert f"problem.yaml: {error}" in errors_of(legacy({"problem.yaml": f"name: Guess\n{yaml}\n"}))


def test_a_conversation_needs_no_test_case(new: Write) -> None:
    files = {**INTERACTIVE, "data/sample/1.in": None, "data/sample/1.ans": None}
    package = load_package(new(files))
    assert interactions_of(package) == ["sample/1"]
    assert [case.name for case in package.test_cases] == ["secret/1"]


def test_conversations_come_in_order(new: Write) -> None:
    files = {**INTERACTIVE, "data/sample/0.interaction": "> 1\n", "data/sample/a/1.interaction": "> 1\n"}
    assert interactions_of(load_package(new(files))) == ["sample/0", "sample/1", "sample/a/1"]


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        (
            {"data/sample/1.interaction": None},
            "data/sample/1.in: has no .interaction file: of an interactive problem, the page shows no input and "
            "no answer",
        ),
        (
            {"data/sample/1.interaction": "> 5\nlower\n"},
            "data/sample/1.interaction: has a line that begins with neither < nor >: it is shown as said by nobody",
        ),
        ({"data/secret/1.interaction": "> 5\n"}, "data/secret/1.interaction: is not shown: only samples are"),
        (
            {"data/sample/1.in.statement": "5\n"},
            "data/sample/1.in.statement: is one of several files to show as the input: .in.statement and .interaction",
        ),
        (
            {"problem.yaml": YAML.replace("type: interactive\n", "")},
            "data/sample/1.interaction: is not shown: the problem is neither interactive nor multi-pass",
        ),
    ],
)
def test_what_a_page_does_not_show_is_a_warning(new: Write, changes: dict[str, str | None], warning: str) -> None:
    assert load_package(new({**INTERACTIVE, **changes})).warnings == (warning,)


DOWNLOADS = {"data/sample/1.in.download": "1\n", "data/sample/1.ans.download": "1\n"}


def test_downloads_that_the_format_wants_beside_a_conversation_are_no_oddity(new: Write) -> None:
    assert load_package(new({**INTERACTIVE, **DOWNLOADS})).warnings == ()


def test_files_to_show_without_a_sample_are_a_warning(new: Write) -> None:
    assert load_package(new({"data/sample/2.in.statement": "1\n", "data/sample/2.ans.statement": "1\n"})).warnings == (
        "data/sample/2.ans.statement: is not shown: there is no sample of this name",
        "data/sample/2.in.statement: is not shown: there is no sample of this name",
    )


@pytest.mark.parametrize(
    ("content", "turns"),
    [
        (">1\n>2\n<a\n>3\n", [("program", "1\n2"), ("interactor", "a"), ("program", "3")]),
        ("> 1\r\n<  a\r\n", [("program", "1"), ("interactor", " a")]),
        ("\n> 1\n\n> 2\n", [("program", "1\n2")]),
        (">\n<", [("program", ""), ("interactor", "")]),
        ("hm\n> 1\n", [("", "hm"), ("program", "1")]),
        ("", []),
    ],
)
def test_lines_become_turns(tmp_path: Path, content: str, turns: list[tuple[str, str]]) -> None:
    path = tmp_path / "1.interaction"
    path.write_bytes(content.encode())
    assert read_turns(path) == (tuple(Spoken(speaker=speaker, text=text) for speaker, text in turns), False)


def test_a_long_conversation_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "1.interaction"
    path.write_bytes(b"> 1\n" * 20_000)
    (turn,), is_cut = read_turns(path)
    assert is_cut
    assert len(turn.text) < 64 * 1024


def test_a_limit_on_reads_is_not_used_in_a_conversation(new: Write) -> None:
    limits = YAML.replace("{time_limit: 2}", "{time_limit: 2, read_calls: 50, write_calls: 60, write_factor: 1.5}")
    package = load_package(new({**INTERACTIVE, "problem.yaml": limits}))
    assert (package.limits.read_calls, package.limits.write_calls, package.limits.write_factor) == (0, 60, 1.5)
    assert [warning.partition(": is")[0] for warning in package.warnings] == ["problem.yaml: limits.read_calls"]
