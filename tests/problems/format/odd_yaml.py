"""YAML of which each value is odd: of no kind that its tag names, recursive, or not YAML at all."""

from hypothesis import strategies as st

ODD_VALUES = (
    r"""
!!bool maybe|!!bool yes|!!int ''|!!int -|!!int 0b|!!int 0o|!!int 1:99|!!float .|!!float e|!!float inf|!!float 1:1:1.5
!!null x|!!timestamp 1|!!timestamp 0000-00-00|2024-13-45|0001-01-01t00:00:00+23:59|2001-1-1 1:1:1.123456789 +99
!!binary é|!!set {a}|!!omap [a]|!!pairs [a: b]|!!python/name:os.system|!!python/object:x.Y {}|!x y|!<x> y|! y|!!merge <<
1:1:1|1:1:1.5|0x_|0b_|0o17|017|089|+.inf|-.INF|.nan|1e400|1.0e+400|1_0|_1|1__|-|+|=|<<|~|y|on|{<<: {a: b}}|{=: a}
"\UFFFFFFFF"|"\ud800"|"\0"|"\x85"|"\_"|"\/"|&a [*a]|&a {b: *a}|&a {*a : b}|*a|&a|&a &b c|[&a x, *a]|{? [a] : b}
{? {a: b} : c}|{? !!set {a} : b}|{null: a, ~: b}|{1: a, "1": b}|{2001-01-01: a}|{.nan: a, .nan: b}|"|'|[|{|%|@|`|- -|? a
""".strip()
    .replace("\n", "|")
    .split("|")
)
_ALPHABET = st.text("ab01.:-+_~!&*?<>=|%@#,'\"\\[]{} \n\t\r\0\x85\u2028é\ufeffUxu", max_size=40)
YAML_TEXTS = st.lists(st.one_of(st.sampled_from(ODD_VALUES), _ALPHABET), max_size=6).map("\nk: ".join)


def odd_mappings(keys: str) -> st.SearchStrategy[str]:
    """Texts of mappings with these keys, of which each is as likely odd as not."""
    values = st.one_of(st.sampled_from(ODD_VALUES), st.sampled_from(["1", "x", "[1, 2]", "{a: b}", "true"]))
    lines = st.dictionaries(st.sampled_from([*keys.split(), "bogus"]), values, max_size=4)
    return lines.map(lambda chosen: "".join(f"{key}: {value}\n" for key, value in chosen.items()))
