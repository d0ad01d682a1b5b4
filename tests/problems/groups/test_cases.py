"""Test cases with all that goes with them, and test data for the validators themselves."""

import pytest

from problems.loading.loading import load_package
from tests.problems.conftest import Files, Write
from tests.problems.loaded import NEW_YAML, case_of, errors_of


def test_arguments_may_lie_in_a_file(new: Write) -> None:
    assert case_of(load_package(new({"data/secret/1.args": "--depth 3\n  x\n"}))).args == ("--depth", "3", "x")


def test_files_of_a_test_case_are_by_name(new: Write) -> None:
    files = {"data/secret/1.files/words.txt": "x", "data/secret/1.files/2.in": "y", "data/secret/1.files/a.ans": "z"}
    folder = new(files)
    package = load_package(folder)
    root = folder / "data/secret/1.files"
    assert case_of(package).files == (
        ("2.in", root / "2.in"),
        ("a.ans", root / "a.ans"),
        ("words.txt", root / "words.txt"),
    )
    assert [case.name for case in package.test_cases] == ["sample/1", "secret/1"]


@pytest.mark.parametrize(
    ("files", "error"),
    [
        (
            {"data/secret/1.files/sub/a.txt": "x"},
            "data/secret/1.files/sub/a.txt: lies in a folder: a program finds its files beside itself only",
        ),
        (
            {"data/secret/1.yaml": f"args: [{'x' * 33_000}]"},
            "data/secret/1.in: args: are more than 1,000, or longer than 32 KiB together",
        ),
        (
            {"data/secret/1.yaml": f"output_validator_args: [{'x' * 33_000}]", "output_validator/x.py": "x"},
            "data/secret/1.in: output_validator_args: are more than 1,000, or longer than 32 KiB together",
        ),
        (
            {"data/secret/1.args": "x " * 1_001},
            "data/secret/1.in: args: are more than 1,000, or longer than 32 KiB together",
        ),
        ({"data/secret/1.args": "x" * 33_000}, "data/secret/1.args: has more than 32 KiB"),
        ({"data/secret/1.args": "a\0b"}, "data/secret/1.args: must not hold the character NUL"),
        (
            {"include/cpp/sub/a.h": "x"},
            "include: sub/a.h: of include/ lies in a folder: a program in cpp finds such files beside itself only",
        ),
    ],
)
def test_what_no_program_could_be_given_is_an_error(new: Write, files: Files, error: str) -> None:
    assert errors_of(new(files)) == [error]


@pytest.mark.parametrize(
    "files",
    [
        {"data/secret/1.yaml": f"args: [{'x' * 31_000}]\ninput_validator_args: [{'y' * 31_000}]"},
        {f"data/secret/1.files/{number:0200}": "x" for number in range(150)},
        {f"data/secret/1.files/{number}": "x" for number in range(905)},
        {"data/secret/1.args": "x " * 999} | {f"data/secret/1.files/{number}": "x" for number in range(405)},
    ],
)
def test_what_is_too_much_together_is_one_error(new: Write, files: Files) -> None:
    why = "more than 1,800 arguments and names of files, or of 60 KiB together; a file's name counts twice"
    assert errors_of(new(files)) == [f"data/secret/1.in: has {why}"]


def test_what_belongs_to_no_test_case_is_a_warning(new: Write) -> None:
    assert load_package(new({"data/secret/2.files/x": "x", "data/secret/3.args": "x"})).warnings == (
        "data/secret/2.files: is not used: there is no test case of this name",
        "data/secret/3.args: is not used: there is no test case of this name",
    )


def test_legacy_annotations_are_read(legacy: Write) -> None:
    case = case_of(load_package(legacy({"data/secret/1.desc": "largest\n", "data/secret/1.hint": b"\xff think"})))
    assert (case.description, case.hint) == ("largest", "\ufffd think")


def test_package_with_samples_only_is_a_warning(new: Write) -> None:
    package = load_package(new({"data/secret/1.in": None, "data/secret/1.ans": None}))
    assert package.warnings == ("data/secret: has no test case: the samples alone decide, and everybody can see them",)


# --- the digest of a case


def digest_of(new: Write, files: Files) -> str:
    return case_of(load_package(new(files))).digest


def test_equal_cases_have_one_digest(new: Write) -> None:
    package = load_package(new({"data/secret/a/1.in": "2 3\n", "data/secret/a/1.ans": "5\n"}))
    first, second = case_of(package), case_of(package, "secret/a/1")
    assert first.digest == second.digest != case_of(package, "sample/1").digest
    assert len(first.digest) == 64


def test_all_that_decides_the_verdict_is_in_the_digest(new: Write) -> None:
    changes: list[Files] = [
        {},
        {"data/secret/1.in": "2 4\n"},
        {"data/secret/1.ans": "6\n"},
        {"data/secret/1.yaml": "args: [a, b]"},
        {"data/secret/1.yaml": "args: [ab]"},
        {"data/secret/1.yaml": "output_validator_args: [case_sensitive]"},
        {"data/secret/1.yaml": None, "data/secret/1.files/a": "x"},
        {"data/secret/1.files/a": "y"},
        {"data/secret/1.files/a": None, "data/secret/1.files/b": "y"},
    ]
    digests = []
    for files in changes:
        folder = new(files)
        for name, content in files.items():
            if content is None:
                (folder / name).unlink(missing_ok=True)
        digests.append(case_of(load_package(folder)).digest)
    assert len(set(digests)) == len(changes)


def test_a_description_is_not_in_the_digest(new: Write) -> None:
    assert digest_of(new, {}) == digest_of(new, {"data/secret/1.yaml": "{description: x, hint: y}"})


# --- test data for the validators


def test_data_for_the_validators_is_read(new: Write) -> None:
    files = {
        "data/invalid_input/a.in": "x",
        "data/invalid_input/a.yaml": "description: letters",
        "data/invalid_inputs/b.in": "y",
        "data/invalid_output/c.in": "1 2\n",
        "data/invalid_output/c.ans": "3\n",
        "data/invalid_output/c.out": "4\n",
        "data/valid_output/d.in": "1 2\n",
        "data/valid_output/d.ans": "3\n",
        "data/valid_output/d.out": "3.0\n",
        "data/valid_output/test_group.yaml": "output_validator_args: [float_tolerance, 1e-6]",
        "data/sample/1.out": "3\n",
    }
    folder = new(files)
    package = load_package(folder)
    assert [case.name for case in package.invalid_inputs] == ["invalid_input/a", "invalid_inputs/b"]
    assert package.invalid_inputs[0].description == "letters"
    assert not package.invalid_inputs[0].answer.exists()
    assert [(case.name, output) for case, output in package.invalid_outputs] == [
        ("invalid_output/c", folder / "data/invalid_output/c.out")
    ]
    assert [(case.name, output, case.validator_args) for case, output in package.valid_outputs] == [
        ("sample/1", folder / "data/sample/1.out", ()),
        ("valid_output/d", folder / "data/valid_output/d.out", ("float_tolerance", "1e-6")),
    ]
    assert [case.name for case in package.test_cases] == ["sample/1", "secret/1"]
    assert package.warnings == ()


def test_outputs_left_in_a_legacy_package_are_no_examples(legacy: Write) -> None:
    assert load_package(legacy({"data/secret/1.out": "x"})).valid_outputs == ()


@pytest.mark.parametrize(
    ("missing", "error"),
    [
        ("in", "data/invalid_output/c.ans: is an answer without input: c.in is missing"),
        ("ans", "data/invalid_output/c.in: is an input without answer: c.ans is missing"),
        ("out", "data/invalid_output/c.in: has no output beside it: the file .out is missing"),
    ],
)
def test_incomplete_data_for_the_checker_is_an_error(new: Write, missing: str, error: str) -> None:
    files = {f"data/invalid_output/c.{ending}": "x" for ending in ("in", "ans", "out") if ending != missing}
    assert errors_of(new(files)) == [error]


def test_data_that_cannot_be_used_is_a_warning(new: Write) -> None:
    files = {
        "problem.yaml": f"{NEW_YAML}type: multi-pass\n",
        "output_validator/check.py": "x",
        **{f"data/valid_output/c.{ending}": "x" for ending in ("in", "ans", "out")},
        **{f"data/invalid_answers/c.{ending}": "x" for ending in ("in", "ans")},
    }
    assert load_package(new(files)).warnings == (
        "data/invalid_answers: is not used: Tally runs no validators of answers",
        "data/valid_output: is not used: the problem is interactive or multi-pass",
    )
