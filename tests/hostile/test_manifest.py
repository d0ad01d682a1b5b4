"""A manifest is understood whole or refused: with the file, the table or case, and the key of all that is wrong."""

from pathlib import Path

import pytest

from tests.hostile.corpus.corpora import CASE, make_corpus
from tests.hostile.corpus.corpus import FOLDER, PROGRAMS
from tests.hostile.corpus.keys import CASE as CASE_KEYS
from tests.hostile.corpus.manifest import FAULT, IMPLEMENTED, ManifestErrors, read_manifest, read_own

_UNKNOWN = {  # where -> the table's first line in the small corpus, or the text to add
    "the top": ("schema = 1", "schema = 1\nnonsense = 1"),
    "[verdicts]": ('AC = "accepted"', 'AC = "accepted"\nnonsense = "what"'),
    "[defaults]": ("tests = 1", "tests = 1\nnonsense = 1"),
    "[limits]": ("time_ms = 1000", "time_ms = 1000\nnonsense = 1"),
    "[problem.aplusb]": ('answer = "3\\n"', 'answer = "3\\n"\nnonsense = "what"'),
    "[canary]": ('host_file = "a file"', 'host_file = "a file"\nnonsense = "what"'),
    "[invariant]": ('no_files = "no file is left"', 'no_files = "no file is left"\nnonsense = "what"'),
    "[[case]] honest": ('id = "honest"', 'id = "honest"\nnonsense = 1'),
    "[[case]] honest: limits": ('id = "honest"', 'id = "honest"\nlimits = { nonsense = 1 }'),
}
_DESCRIBED = {
    "[[generated]] it": '[[generated]]\nid = "it"\nhow = "somehow"\nexpect = "something"\n',
    "[[fault]] it": '[[fault]]\nid = "it"\ndo = "something"\nexpect = "something"\nwithin_s = 5\n',
    "[[web]] it": '[[web]]\nid = "it"\ninput = "something"\nexpect = "something"\n',
}
_WRONG_TYPES = {
    "deadline_ms": '"soon"',
    "tests": "true",
    "repeat": "0",
    "parallel": "-1",
    "limits": "3",
    "forbid": '"^LEAK"',
    "invariants": "[1]",
    "sequence": "1",
    "order": '"1"',
    "checker": '["exact"]',
    "fault": "9",
    "note": "false",
    "requires": '"network"',
    "phase": '"link"',
    "syntax_check": "0",
    "destination": '"printer"',
    "cold": "[]",
    "problem": "7",
}
_UNFIT = {  # what is added to the case -> the complaint
    'sequence = "s"': "sequence: goes with sequence and order only, both together",
    "order = 1": "order: goes with sequence and order only, both together",
    "forbid = ['(']": 'forbid: "(" is no regular expression',
    'invariants = ["no_noise"]': 'invariants: nothing here looks at "no_noise"',
    'problem = "sorting"': "problem: there is no [problem.sorting]",
    'checker = "all of them: exact, fuzzy"': 'checker: "fuzzy" is not one that the grader ships',
    'fault = "unplug it"': 'fault: "unplug it" is nothing that is done here',
    'requires = "interactive"': "requires: the problem has no interactor",
    "limits = { wall_ms = 500 }": "limits: wall_ms: 500 is asked for; the grader allows",
}


def _errors(folder: Path) -> list[str]:
    with pytest.raises(ManifestErrors) as raised:
        read_manifest(folder)
    return raised.value.errors


def _with(line: str) -> str:
    return CASE + line + "\n"


@pytest.mark.parametrize("where", _UNKNOWN)
def test_an_unknown_key_is_named_with_its_table_and_file(where: str, tmp_path: Path) -> None:
    without, instead = _UNKNOWN[where]
    (error,) = _errors(make_corpus(tmp_path, without=without, instead=instead))
    assert error == f"{tmp_path / 'manifest.toml'}: {where}: nonsense: is not known here"


@pytest.mark.parametrize("where", _DESCRIBED)
def test_an_unknown_key_of_a_described_entry_is_named(where: str, tmp_path: Path) -> None:
    assert read_manifest(make_corpus(tmp_path, CASE + _DESCRIBED[where])).described[where[2:-5].rstrip("]")] == ("it",)
    (error,) = _errors(make_corpus(tmp_path, CASE + _DESCRIBED[where] + "nonsense = 1\n"))
    assert error.endswith(f": {where}: nonsense: is not known here")


@pytest.mark.parametrize("key", _WRONG_TYPES)
def test_a_value_of_another_type_is_refused(key: str, tmp_path: Path) -> None:
    (error,) = _errors(make_corpus(tmp_path, _with(f"{key} = {_WRONG_TYPES[key]}")))
    assert f"[[case]] honest: {key}: " in error
    assert " is not " in error


def test_each_key_that_a_case_may_leave_out_was_tried_with_another_type() -> None:
    optional = {key for key, kind in CASE_KEYS.items() if not kind.is_required} - {"id", "category"}
    assert optional == _WRONG_TYPES.keys()


@pytest.mark.parametrize("key", ["file", "language", "category", "attempts", "verdicts"])
def test_a_case_says_what_it_must(key: str, tmp_path: Path) -> None:
    kept = [line for line in CASE.splitlines() if not line.startswith(f"{key} =")]
    (error,) = _errors(make_corpus(tmp_path, "\n".join(kept)))
    assert error.endswith(f"[[case]] honest: {key}: is missing")


@pytest.mark.parametrize("line", ["deadline_ms = 300000\n", "compile_time_ms = 10000\n", "schema = 1\n"])
def test_what_all_cases_need_is_there(line: str, tmp_path: Path) -> None:
    (error,) = _errors(make_corpus(tmp_path, without=line))
    assert error.endswith(f": {line.split()[0]}: is missing")


@pytest.mark.parametrize("line", _UNFIT)
def test_what_does_not_fit_together_is_refused(line: str, tmp_path: Path) -> None:
    (error,) = _errors(make_corpus(tmp_path, _with(line)))
    assert f"[[case]] honest: {_UNFIT[line]}" in error


@pytest.mark.parametrize(
    ("verdicts", "why"),
    [
        ("[]", "at least one"),
        ('["IE"]', '"IE" can never'),
        ('["AC", "PE"]', '"PE" is not known'),
        ("[1]", "is not a list"),
    ],
)
def test_verdicts_are_those_of_the_format(verdicts: str, why: str, tmp_path: Path) -> None:
    (error,) = _errors(make_corpus(tmp_path, CASE.replace('["AC"]', verdicts)))
    assert "[[case]] honest: verdicts: " in error
    assert why in error


@pytest.mark.parametrize("name", ["absent.py", "../honest.py", "/etc/hostname", ""])
def test_a_program_lies_in_the_corpus(name: str, tmp_path: Path) -> None:
    (tmp_path / "honest.py").touch()
    (tmp_path / "corpus").mkdir()
    (error,) = _errors(make_corpus(tmp_path / "corpus", CASE.replace("honest.py", name)))
    assert f"[[case]] honest: file: there is no program {name} in" in error


def test_a_language_that_the_grader_lacks_is_refused(tmp_path: Path) -> None:
    (error,) = _errors(make_corpus(tmp_path, CASE.replace('"python"', '"cobol"')))
    assert error.endswith('[[case]] honest: language: "cobol" is not one that the grader has')


def test_two_cases_of_one_id_are_refused_and_two_of_one_file_are_not(tmp_path: Path) -> None:
    (error,) = _errors(make_corpus(tmp_path, CASE + CASE))
    assert error.endswith("[[case]] honest: id: 2 cases have it")
    cases = read_manifest(make_corpus(tmp_path, CASE + CASE.replace('id = "honest"', 'id = "again"'))).cases
    assert [case["id"] for case in cases] == ["honest", "again"]


def test_one_place_of_a_sequence_is_for_one_case(tmp_path: Path) -> None:
    second = CASE.replace('id = "honest"', 'id = "again"')
    place = 'sequence = "s"\norder = 1\n'
    (error,) = _errors(make_corpus(tmp_path, CASE + place + second + place))
    assert error.endswith('[[case]]: order: 2 cases of the sequence "s" have 1')


def test_a_corpus_without_cases_is_refused(tmp_path: Path) -> None:
    assert _errors(make_corpus(tmp_path, ""))[0].endswith("the top: case: is missing")
    assert (
        "there is none" in _errors(make_corpus(tmp_path, "", without="schema = 1", instead="schema = 1\ncase = []"))[0]
    )


@pytest.mark.parametrize("content", [b"schema = ", b"\xff"])
def test_a_file_that_is_no_toml_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "manifest.toml").write_bytes(content)
    assert str(tmp_path / "manifest.toml") in _errors(tmp_path)[0]


def test_a_folder_without_a_manifest_is_refused(tmp_path: Path) -> None:
    assert "No such file" in _errors(tmp_path)[0]


@pytest.mark.parametrize("list_name", ["forbid", "invariants"])
def test_the_defaults_are_checked_like_a_case(list_name: str, tmp_path: Path) -> None:
    line = {
        "forbid": "forbid = ['(?m)^LEAK', 'OJ-CANARY-[A-Z]+-[0-9a-f]{32}']",
        "invariants": 'invariants = ["no_procs", "no_files"]',
    }
    (error,) = _errors(make_corpus(tmp_path, without=line[list_name], instead=f"{list_name} = ['no_(noise']"))
    assert f"[defaults]: {list_name}: " in error


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ('stdin = "1\\n"', "answer: give it or answer_rule"),
        ('stdin = "1\\n"\nstdin_rule = "2 lines \'x\'"\nanswer = "1"', "stdin: give it or stdin_rule"),
        ('stdin_rule = "many lines"\nanswer = "1"', 'stdin_rule: "many lines" is no rule that is known here'),
        ('stdin_rule = "999999999 lines \'x\'"\nanswer = "1"', "stdin_rule: 1999999998 bytes; at most"),
        ('stdin = "1"\nanswer = "1"\nhidden_stdin = "2"', "hidden_stdin: does not hold {canary}"),
        ('interactor = "a dialogue"', 'interactor: "a dialogue" is not of the form'),
        ('interactor = "support/no.py (secret 1..9 as argument)"', "interactor: there is no file support/no.py"),
        ('interactor = "support/asker.py (secret 9..1 as argument)"', "interactor: no secret is in 9..1"),
        (
            'interactor = "support/asker.py (secret 1..9 as argument)"\nanswer = "1"',
            "answer: a problem with an interactor",
        ),
    ],
)
def test_a_problem_that_cannot_be_made_is_refused(table: str, why: str, tmp_path: Path) -> None:
    (error,) = _errors(make_corpus(tmp_path, more=f"[problem.odd]\n{table}\n"))
    assert f"[problem.odd]: {why}" in error


def test_problems_are_made_by_their_rules(tmp_path: Path) -> None:
    more = """
[problem.padded]
stdin_rule = "'1 2\\\\n' followed by 3 bytes of spaces"
answer_rule = "2 lines 'ab'"
[problem.asked]
interactor = "support/asker.py (secret 10..12 as argument, at most 9 queries)"
"""
    problems = read_manifest(make_corpus(tmp_path, more=more)).problems
    assert (problems["padded"].stdin, problems["padded"].answer) == ("1 2\n   ", "ab\nab\n")
    assert problems["asked"].interactor == tmp_path / "support" / "asker.py"
    assert 10 <= problems["asked"].secret <= 12


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    cases = _with("repeats = 2\ntest = 3") + CASE.replace('"honest"', '"again"').replace("honest.py", "absent.py")
    errors = _errors(make_corpus(tmp_path, cases))
    assert [error.split(": ")[1:3] for error in errors] == [
        ["[[case]] honest", "repeats"],
        ["[[case]] honest", "test"],
        ["[[case]] again", "file"],
    ]


def test_more_cases_use_the_tables_of_the_first_file_and_have_no_others(tmp_path: Path) -> None:
    base = read_manifest(make_corpus(tmp_path))
    own = tmp_path / "own.toml"
    own.write_text('slow = ["told.py"]' + CASE.replace('id = "honest"\n', "").replace('category = "control"\n', ""))
    more = read_own(own, tmp_path, base)
    assert (more.cases[0]["id"], more.cases[0]["category"], more.slow) == ("honest.py", "own", frozenset({"told.py"}))
    assert more.problems == base.problems
    own.write_text("[excluded]\nthat = 1\n" + CASE)
    with pytest.raises(ManifestErrors, match="the top: excluded: is not known here"):
        read_own(own, tmp_path, base)


def test_our_copy_of_the_acceptance_corpus_is_understood_and_all_its_invariants_are_looked_at() -> None:
    ours = read_manifest(FOLDER, PROGRAMS)
    assert ours.invariants.keys() == IMPLEMENTED.keys()
    assert [case["id"] for case in ours.cases if FAULT.fullmatch(case.get("fault", ""))] == [
        "proc_10_clear_pdeathsig.cpp"
    ]


def test_programs_that_no_case_names_are_told(tmp_path: Path) -> None:
    assert read_manifest(make_corpus(tmp_path)).unnamed_programs() == ["told.py"]
