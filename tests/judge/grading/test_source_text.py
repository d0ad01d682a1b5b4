"""A source in another encoding than UTF-8: what the compiler gets, and what Python's declaration of it becomes."""

import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from judge.grading.experiment.checks import problems_of
from judge.grading.experiment.spec import ExperimentSpec, Variant
from judge.grading.jury_job import jury_job
from judge.grading.languages import CPP, PYTHON, language_by_id
from judge.grading.source_text import FalseDeclaration, SourceRefused, SourceText, in_utf8, take_source
from problems.encodings import Encoding
from problems.package import JurySubmission, PackageError
from sandbox.jail.nsjail import NsjailSandbox
from tests.fuzzing import examples
from tests.judge.juries import SUM, verified, with_submissions
from tests.judge.packages import make_package


def test_utf8_stays_as_it_is_mark_and_line_ends_included() -> None:
    for raw in (b"x = 1\r\n", "# 가\n".encode("utf-8-sig"), "# coding: utf-8\n# 가\n".encode("utf-8-sig")):
        assert in_utf8(raw, PYTHON) == SourceText(content=raw)


def test_the_rest_is_converted_and_keeps_its_line_ends() -> None:
    raw = "// 합\r\nint main() {}\r\n".encode("cp949")
    converted = "// 합\r\nint main() {}\r\n".encode()
    assert in_utf8(raw, CPP) == SourceText(content=converted, encoding=Encoding.CP949, original=raw)


@pytest.mark.parametrize(
    ("source", "declared"),
    [
        ("# -*- coding: {} -*-\n# 합\n", "# -*- coding: utf-8 -*-\n# 합\n"),
        ("# 합, coding={}\n", "# 합, coding=utf-8\n"),
        ("#!/usr/bin/python3\r\n# coding: {}\r\n# 합", "#!/usr/bin/python3\r\n# coding: utf-8\r\n# 합"),
        ("\r\n \t# vim: set fileencoding={} :\n# 합", "\r\n \t# vim: set fileencoding=utf-8 :\n# 합"),
        ("# coding: {}\n# coding: euc-kr\n# 합", "# coding: utf-8\n# coding: euc-kr\n# 합"),
        ("x = 1\n# coding: {}, 합\n", None),  # below code it declares nothing
        ("#\n#\n# coding: {}, 합\n", None),
        ("# coding {}, 합\n", None),
        ('s = "# coding: {}"  # 합\n', None),
    ],
)
@pytest.mark.parametrize(
    ("encoding", "names"),
    [("cp949", "cp949 CP949 ms949 uhc euc-kr EUC_KR ks_c-5601-1987 utf-8 UTF8"), ("utf-16", "utf-16 U16 utf-16le u8")],
)
def test_python_is_told_that_its_source_is_utf8_now(
    source: str, declared: str | None, encoding: str, names: str
) -> None:
    for name in names.split():
        text = source.format(name)
        content = in_utf8(text.encode(encoding), PYTHON).content.decode()
        assert content == (declared or text)
        compile(content.encode(), "main.py", "exec")
        assert in_utf8(text.encode(encoding), CPP).content.decode() == text, "a comment of Python's only"


@pytest.mark.parametrize(
    "name", ["utf-8", "UTF-8", "utf_8", "utf8", "U8", "utf-8-sig", "utf-8-unix", "cp65001", "Utf_8_sig"]
)
def test_utf8_may_be_declared_by_each_of_its_names(name: str) -> None:
    raw = f"# coding: {name}\nx = '가'\n".encode()
    compile(raw, "main.py", "exec")
    assert in_utf8(raw, PYTHON) == SourceText(content=raw)


@pytest.mark.parametrize("name", ["cp949", "euc-kr", "ascii", "us-ascii", "646"])
def test_plain_ascii_may_be_declared_as_what_contains_it(name: str) -> None:
    raw = f"# coding: {name}\nprint(1)\n".encode()
    assert in_utf8(raw, PYTHON) == SourceText(content=raw)
    with pytest.raises(FalseDeclaration):
        in_utf8(raw + "# 가\n".encode(), PYTHON)


@pytest.mark.parametrize(
    ("source", "encoding", "name", "line"),
    [
        (b"# coding: utf-7\nprint(1)", "UTF-8", "utf-7", 1),
        (b"#!/usr/bin/python3\n# -*- coding: UNICODE_ESCAPE -*-\n", "UTF-8", "UNICODE_ESCAPE", 2),
        (b"# vim: set fileencoding=latin-1 :\n", "UTF-8", "latin-1", 1),
        (b"\f\n\t#coding:raw_unicode_escape", "UTF-8", "raw_unicode_escape", 2),
        (b"#\r# coding: rot13\r", "UTF-8", "rot13", 2),
        (b"\r# coding: utf-7\nprint(1)", "UTF-8", "utf-7", 2),  # not so for tokenize.detect_encoding
        (b"\xef\xbb\xbf# coding: hz\n", "UTF-8", "hz", 1),
        (b"# coding: no-such-codec\n", "UTF-8", "no-such-codec", 1),
        (b"# coding: " + b"x" * 9_000, "UTF-8", "x" * 40, 1),
        (b"# coding: utf8-sig\n", "UTF-8", "utf8-sig", 1),  # none of CPython's names
        ("# coding: cp949\n# 합\n".encode(), "UTF-8", "cp949", 1),
        ("# coding: johab\n# 합\n".encode("cp949"), "CP949", "johab", 1),
        ("# coding: utf-16\n# 합\n".encode("cp949"), "CP949", "utf-16", 1),
        ("# coding: cp949\n# 합\n".encode("utf-16"), "UTF-16", "cp949", 1),
    ],
)
def test_any_other_declaration_is_refused_by_name(source: bytes, encoding: str, name: str, line: int) -> None:
    with pytest.raises(SourceRefused) as refused:
        take_source(source, PYTHON, 20_000)
    assert str(refused.value) == (
        f"Line {line} of the source declares the encoding {name}, but the source was sent in {encoding}. Delete this"
        " declaration, or save the source as UTF-8 and declare utf-8."
    )
    assert take_source(source, CPP, 20_000).content, "a comment of Python's only"


_PIECES = ["#", " ", "\t", "\f", "\v", "\r", "\n", "\r\n", "coding", ":", "=", "nosuch", "ä", "x", "\\", '"""', "-"]


@given(st.lists(st.sampled_from(_PIECES), max_size=12))
@examples(3_000)
def test_a_declaration_is_what_cpython_takes_for_one(pieces: list[str]) -> None:
    source = "".join(pieces)
    try:
        in_utf8(source.encode(), PYTHON)
        refused = False
    except FalseDeclaration:
        refused = True
    assert refused == _is_unknown_to_cpython(source.encode())


def _is_unknown_to_cpython(source: bytes) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(source, "main.py", "exec")
    except SyntaxError as error:
        return str(error).startswith(("unknown encoding", "encoding problem"))
    return False


def test_a_long_first_line_that_declares_nothing_stays() -> None:
    source = "#" + "coding " * 9_000 + "합\n"
    assert in_utf8(source.encode("cp949"), PYTHON).content.decode() == source


def test_both_sizes_count() -> None:
    source = "#" + "가" * 30
    assert take_source(source.encode("cp949"), PYTHON, 91).content == source.encode()
    with pytest.raises(SourceRefused, match="As UTF-8 the source has 91 bytes; at most 90 are allowed"):
        take_source(source.encode("cp949"), PYTHON, 90)
    with pytest.raises(SourceRefused, match="The source has 82 bytes; at most 81 are allowed"):
        take_source(("#" * 40).encode("utf-16"), PYTHON, 81)


def test_jury_submissions_are_read_like_contestants(tmp_path: Path) -> None:
    package = make_package(tmp_path)
    files = {
        "합.py": "# coding: cp949\n# 합\n".encode("cp949"),
        "도움.py": "# 도움\n".encode("utf-16"),
        "odd.py": b"# caf\xe9\n",
        "data.txt": "값\n".encode("cp949"),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    submission = JurySubmission(
        path=tmp_path / "합.py",
        name="accepted/합",
        language="python",
        expected=frozenset({"AC"}),
        files=tuple((name, tmp_path / name) for name in files),
    )
    job = jury_job(package, submission, None)
    assert job.source == "# coding: utf-8\n# 합\n".encode()
    assert dict(job.files) == {
        "합.py": job.source,
        "도움.py": "# 도움\n".encode(),
        "odd.py": files["odd.py"],
        "data.txt": files["data.txt"],
    }
    assert language_by_id(job.language) is PYTHON


def test_a_jury_submission_that_declares_another_encoding_is_the_setters_fault(tmp_path: Path) -> None:
    package = with_submissions(make_package(tmp_path), {"accepted/a.py": "# coding: utf-7\nprint(1)\n"})
    with pytest.raises(PackageError) as refused:
        jury_job(package, package.submissions[0], None)
    assert str(refused.value) == (
        "submissions/accepted/a.py: declares the encoding utf-7 in line 1 but is UTF-8 text: delete the declaration,"
        " or save the file as UTF-8 and declare utf-8"
    )


@pytest.mark.jail
def test_verifying_says_so_and_runs_the_others(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    sources = {"accepted/a.py": SUM, "wrong_answer/b.py": "# coding: latin-1\nprint(7)"}
    report, _, told = verified(with_submissions(make_package(tmp_path), sources), sandbox, work_root)
    (error,) = report.errors
    assert error.startswith("submissions/wrong_answer/b.py: declares the encoding latin-1 in line 1 but is UTF-8 text")
    assert error.endswith("and declare utf-8")
    assert [one.verdict for one in told] == ["AC", None]
    assert told[1].text.startswith("not run: declares the encoding latin-1 in line 1")


def test_a_variant_of_an_experiment_is_held_to_it_too() -> None:
    variant = Variant(name="a", language="python", source="\n# coding: unicode_escape\nprint(1)")
    spec = ExperimentSpec(title="a", question="b", variants=(variant, replace(variant, name="b", language="cpp")))
    problems = problems_of(spec)
    assert list(problems) == ["variants.0.source"]
    assert problems["variants.0.source"].startswith("declares the encoding unicode_escape in line 2 but is UTF-8 text")
