"""The default validator's flags."""

import pytest

from problems.format.flags import ValidatorFlags, parse_flags
from problems.package import PackageError


def test_no_flags_compare_words_without_case() -> None:
    flags = parse_flags(())
    assert flags == ValidatorFlags(
        case_sensitive=False,
        space_change_sensitive=False,
        float_absolute_tolerance=None,
        float_relative_tolerance=None,
    )
    assert not flags.compares_floats


def test_switches_and_tolerances_are_read_together() -> None:
    flags = parse_flags(("float_absolute_tolerance", "1e-3", "case_sensitive", "float_relative_tolerance", "0.1"))
    assert flags.case_sensitive
    assert not flags.space_change_sensitive
    assert flags.float_absolute_tolerance == 1e-3
    assert flags.float_relative_tolerance == 0.1
    assert flags.compares_floats


def test_float_tolerance_means_both() -> None:
    flags = parse_flags(("float_tolerance", "1e-6"))
    assert flags.float_absolute_tolerance == flags.float_relative_tolerance == 1e-6


def test_zero_tolerance_still_compares_floats() -> None:
    assert parse_flags(("float_absolute_tolerance", "0")).compares_floats


def test_unknown_flag_is_an_error_that_names_it() -> None:
    with pytest.raises(PackageError, match="bogus_flag") as caught:
        parse_flags(("bogus_flag",), file="data/test_group.yaml", key="output_validator_args")
    assert (caught.value.file, caught.value.key) == ("data/test_group.yaml", "output_validator_args")


def test_missing_number_is_an_error() -> None:
    with pytest.raises(PackageError, match="float_tolerance needs a number"):
        parse_flags(("case_sensitive", "float_tolerance"))


@pytest.mark.parametrize(
    "number", ["", "x", "-1e-6", "nan", "inf", "1_0", "1e9999", "0x1p3", "1,5", "٣", "1" * 5000, "case_sensitive"]
)
def test_unfit_number_is_an_error(number: str) -> None:
    with pytest.raises(PackageError, match="needs a number from 0 up"):
        parse_flags(("float_tolerance", number))
