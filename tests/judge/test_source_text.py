"""A source in another encoding than UTF-8: what the compiler gets, and what Python's declaration of it becomes."""

from pathlib import Path

import pytest

from judge.grading.jury_job import jury_job
from judge.grading.languages import CPP, PYTHON, language_by_id
from judge.grading.source_text import SourceRefused, SourceText, in_utf8, take_source
from problems.encodings import Encoding
from problems.package import JurySubmission
from tests.judge.packages import make_package


def test_utf8_stays_as_it_is_mark_and_line_ends_included() -> None:
    for raw in (b"x = 1\r\n", "# 가\n".encode("utf-8-sig"), b"# coding: cp949\n"):
        assert in_utf8(raw, PYTHON) == SourceText(content=raw)


def test_the_rest_is_converted_and_keeps_its_line_ends() -> None:
    raw = "// 합\r\nint main() {}\r\n".encode("cp949")
    converted = "// 합\r\nint main() {}\r\n".encode()
    assert in_utf8(raw, CPP) == SourceText(content=converted, encoding=Encoding.CP949, original=raw)


@pytest.mark.parametrize(
    ("source", "declared"),
    [
        ("# -*- coding: cp949 -*-\n# 합\n", "# -*- coding: utf-8 -*-\n# 합\n"),
        ("# 합, coding=euc-kr\n", "# 합, coding=utf-8\n"),
        ("#!/usr/bin/python3\r\n# coding: ms949\r\n# 합", "#!/usr/bin/python3\r\n# coding: utf-8\r\n# 합"),
        ("\r\n \t# vim: set fileencoding=cp949 :\n# 합", "\r\n \t# vim: set fileencoding=utf-8 :\n# 합"),
        ("# coding: cp949\n# coding: euc-kr\n# 합", "# coding: utf-8\n# coding: euc-kr\n# 합"),
        ("x = 1\n# coding: cp949, 합\n", None),  # below code it declares nothing
        ("#\n#\n# coding: cp949, 합\n", None),
        ("# coding cp949, 합\n", None),
        ('s = "# coding: cp949"  # 합\n', None),
    ],
)
def test_python_is_told_that_its_source_is_utf8_now(source: str, declared: str | None) -> None:
    for encoding in ("cp949", "utf-16"):
        content = in_utf8(source.encode(encoding), PYTHON).content.decode()
        assert content == (declared or source)
        compile(content.encode(), "main.py", "exec")
        assert in_utf8(source.encode(encoding), CPP).content.decode() == source, "a comment of Python's only"


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
