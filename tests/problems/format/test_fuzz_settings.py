"""Whatever stands in a package's YAML files, it is read or refused as the setter's fault, and nothing else happens."""

import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml
from hypothesis import given, strategies as st

from problems.archive.upload import staged_package
from problems.loading.loading import load_package
from problems.package import Package, PackageErrors
from tests.fuzzing import examples
from tests.problems.archives import Raw, zipped
from tests.problems.conftest import LEGACY, NEW, write_files
from tests.problems.convert.cms.test_cms import TASK, TESTS as CMS_TESTS
from tests.problems.convert.dmoj.test_dmoj import LIST, TESTS, inner
from tests.problems.format.odd_yaml import odd_mappings

WORDS = """
0 100|-inf +inf|min|sum|avg|ignore_sample first_error|custom interactive multi-pass score|default|break|continue|
unbounded|pass-fail|scoring|multi-pass|interactive|submit-answer|secret/a|sample|AC|TLE|WA RTE|lower|all|python3|
cc by|{{n}}|en|2025-09|legacy|2023-07-draft|accepted/*|secret/{a,b}*|float_tolerance 1e-6|\x00|\ud7ff
"""
PROBLEM_KEYS = """
problem_format_version type name uuid version credits source license rights_owner embargo_until limits keywords
languages allow_file_writing constants author source_url validation validator_flags grading
"""
INNER_KEYS = """
time_limit time_multipliers time_resolution time_multiplier time_safety_margin memory output code compilation_time
validation_passes ac_to_time_limit authors objective accept_score range on_reject value n name
"""
GROUP_KEYS = """
max_score score_aggregation static_validation_score require_pass args input_validator_args output_validator_args
static_validator_args full_feedback hint description on_reject grading grader_flags input_validator_flags
output_validator_flags accept_score reject_score range
"""
ENTRY_KEYS = """
language entrypoint authors model_solution permitted required score message use_for_time_limit sample secret/*
"""
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 1_000),
    st.just(10**99),
    st.floats(),
    st.sampled_from([*WORDS.strip("\n").replace("\n", "").split("|"), ""]),
    st.dates(),
)


def mappings(keys: str, values: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.dictionaries(st.sampled_from([*keys.split(), "bogus"]), values, max_size=6)


INNER = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3), mappings(INNER_KEYS, inner)), max_leaves=6
)
FILES = st.fixed_dictionaries(
    {},
    optional={
        "problem.yaml": mappings(PROBLEM_KEYS, INNER),
        "data/testdata.yaml": mappings(GROUP_KEYS, INNER),
        "data/secret/test_group.yaml": mappings(GROUP_KEYS, INNER),
        "data/secret/a/test_group.yaml": mappings(GROUP_KEYS, INNER),
        "data/secret/a/testdata.yaml": mappings(GROUP_KEYS, INNER),
        "data/secret/1.yaml": mappings(GROUP_KEYS, INNER),
        "submissions/submissions.yaml": mappings("accepted accepted/*", mappings(ENTRY_KEYS, INNER)),
    },
)


def loads(files: dict[str, str]) -> Package | list[str]:
    """The package, or what is said to be wrong with it."""
    with TemporaryDirectory() as folder:
        try:
            return load_package(write_files(Path(folder) / "aplusb", files))
        except PackageErrors as errors:
            return [str(error) for error in errors.errors]


@pytest.mark.parametrize("base", [LEGACY, NEW], ids=["legacy", "new"])
@given(given_files=FILES)
@examples(150)
def test_any_settings_make_a_package_or_are_refused_by_name(
    base: dict[str, str], given_files: dict[str, object]
) -> None:
    texts = {name: yaml.safe_dump(data, allow_unicode=True) for name, data in given_files.items()}
    found = loads({**base, "data/secret/a/1.in": "1 2\n", "data/secret/a/1.ans": "3\n", **texts})
    if isinstance(found, Package):
        assert found.test_cases
        assert all(case.digest for case in found.test_cases)
    else:
        assert all(": " in error for error in found)


ODD_FILES = st.fixed_dictionaries(
    {},
    optional={
        "problem.yaml": odd_mappings(PROBLEM_KEYS),
        "data/testdata.yaml": odd_mappings(GROUP_KEYS),
        "data/secret/test_group.yaml": odd_mappings(GROUP_KEYS),
        "data/secret/1.yaml": odd_mappings(GROUP_KEYS),
        "submissions/submissions.yaml": odd_mappings("accepted accepted/* wrong_answer"),
    },
)
DMOJ_KEYS = """
archive test_cases pretest_test_cases checker interactive points input_format output_format binary_data unbuffered
output_limit_length validator generator hints meta case_points
"""
CMS_KEYS = """
name title time_limit memory_limit n_input infile outfile primary_language score_mode score_type score_type_parameters
public_testcases output_only nome timeout memlimit total_value
"""


@pytest.mark.parametrize("base", [LEGACY, NEW], ids=["legacy", "new"])
@given(odd_files=ODD_FILES)
@examples(300)
def test_odd_yaml_in_a_package_is_read_or_refused_by_name(base: dict[str, str], odd_files: dict[str, str]) -> None:
    found = loads({**base, **odd_files})
    assert isinstance(found, Package) or all(": " in error for error in found)


@given(
    st.one_of(
        odd_mappings(DMOJ_KEYS).map(lambda odd: {"p/init.yml": LIST + odd, "p/tests.zip": inner(TESTS)}),
        odd_mappings(CMS_KEYS).map(
            lambda odd: {"p/task.yaml": TASK + odd, **{f"p/{k}": v for k, v in CMS_TESTS.items()}}
        ),
    )
)
@examples(300)
def test_odd_yaml_of_another_format_is_read_or_refused_by_name(files: dict[str, str | bytes]) -> None:
    archive = io.BytesIO(
        zipped({}, [Raw(name, text if isinstance(text, bytes) else text.encode()) for name, text in files.items()])
    )
    found: Package | list[str]
    with TemporaryDirectory() as folder:
        try:
            with staged_package(archive, staging_root=Path(folder), name="p.zip") as staged:
                found = load_package(staged.folder)
        except PackageErrors as errors:
            found = [str(error) for error in errors.errors]
    assert isinstance(found, Package) or all(": " in error for error in found)
