"""Text of unknown encoding: UTF-8 first, then CP949, UTF-16 by its mark only; names of one archive together."""

import pytest
from hypothesis import given, strategies as st

from problems.encodings import Encoding, UnknownEncoding, composed, decode, decode_names, likely_encoding

HANGUL = "// 두 수의 합, 똠방각하\n"  # the last word is in CP949 and not in EUC-KR


@pytest.mark.parametrize(
    ("raw", "text", "encoding"),
    [
        (b"", "", Encoding.UTF_8),
        (b"int main() {}", "int main() {}", Encoding.UTF_8),
        (HANGUL.encode(), HANGUL, Encoding.UTF_8),
        (HANGUL.encode("utf-8-sig"), f"\ufeff{HANGUL}", Encoding.UTF_8),
        (HANGUL.encode("cp949"), HANGUL, Encoding.CP949),
        ("가".encode("euc-kr"), "가", Encoding.CP949),
        (HANGUL.encode("utf-16"), HANGUL, Encoding.UTF_16),
        (b"\xfe\xff" + HANGUL.encode("utf-16-be"), HANGUL, Encoding.UTF_16),
        (b"\xff\xfe", "", Encoding.UTF_16),
        ("짜".encode("cp949"), "\u00a5", Encoding.UTF_8),  # valid in both: the order decides
    ],
)
def test_the_order_decides(raw: bytes, text: str, encoding: Encoding) -> None:
    assert decode(raw) == (text, encoding)


@pytest.mark.parametrize(
    ("raw", "has_mark"),
    [
        (b"caf\xe9\r\n", False),  # Latin-1
        (b"\xe4", False),
        (b"\x80", False),
        ("가".encode("cp949")[:1], False),  # cut in two
        ("日本語テキスト".encode("shift-jis"), False),
        (b"\xff\xfea", True),  # an odd byte
        (b"\xff\xfe\x00\xd8", True),  # half a pair of surrogates
        (b"\xfe\xff\xdc\x00", True),
    ],
)
def test_what_is_no_text_is_refused_and_never_guessed(raw: bytes, has_mark: bool) -> None:
    with pytest.raises(UnknownEncoding) as refused:
        decode(raw)
    assert refused.value.has_mark is has_mark


@given(st.binary(max_size=60) | st.binary(max_size=30).map(lambda raw: b"\xff\xfe" + raw))
def test_any_bytes_are_text_or_refused(raw: bytes) -> None:
    try:
        text, encoding = decode(raw)
    except UnknownEncoding:
        return
    text.encode()  # no surrogates
    if encoding is not Encoding.UTF_16:
        assert text.encode(encoding) == raw


def test_names_of_one_archive_are_read_in_one_encoding() -> None:
    names = ["책/입력.in", "첫째", "a.in"]
    raws = [name.encode("cp949") for name in names]
    assert raws[1].decode() == "\u00f9\u00b0", "valid UTF-8 by accident"
    assert decode_names(raws) == names
    assert decode_names([name.encode() for name in names]) == names
    assert decode_names([]) == []


def test_a_name_of_another_encoding_than_the_others_is_read_too() -> None:
    assert decode_names(["입력.in".encode("cp949"), "값.out".encode(), b"\xff"]) == ["입력.in", "값.out", None]


def test_hangul_in_parts_is_composed() -> None:
    assert composed("\u1112\u1161\u11ab\u1100\u1173\u11af") == "한글"


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        ("두 수의 합을 구하라.\n1 ≤ n, “따옴표”".encode("cp949"), "CP949"),
        ("합\n".encode("utf-16"), "UTF-16"),
        ("합\n".encode("utf-16-be"), ""),  # without its mark it is not told from other bytes
        ("Le café d'été à Genève, naïve\n".encode("latin-1"), "Windows-1252"),
        ("Äpfel, Größe: 5 €".encode("cp1252"), "Windows-1252"),
        ("Äpfel und Ärger".encode("cp1252"), "Windows-1252"),  # also valid in CP949
        (b"\x89PNG\r\n\x1a\n\0\0", ""),
        (b"\x8d\x81", ""),
    ],
)
def test_the_encoding_of_other_text_is_guessed_for_people(raw: bytes, encoding: str) -> None:
    assert likely_encoding(raw) == encoding
