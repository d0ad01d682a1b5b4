"""Two packages, and the form in which they are changed, as a browser uses it."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.test import Client

from judge.models import PackageUpload
from judge.uploads import archives
from problems.archive.upload import staged_package
from problems.loading.loading import load_package
from problems.models import Problem
from problems.package import Package

LEGACY = {
    "problem.yaml": "# by hand\nname: Twice\nuuid: abc\nlimits: {memory: 64, code: 7}\nauthor: [Ada, Bob]\n",
    ".timelimit": "2\n",
    "problem_statement/problem.en.md": "Read *n*.\r\n\r\nPrint 2n.",
    "problem_statement/problem.de.tex": "Lies $n$.\n",
    "problem_statement/tree.png": "png",
    "data/sample/1.in": "2\r\n",
    "data/sample/1.ans": "4",
    "data/sample/2.in": "3\n",
    "data/sample/2.ans": "6\n",
    "data/sample/2.desc": "three\n",
    "data/sample/3.in": "\x00",
    "data/sample/3.ans": "0\n",
    "data/secret/01.in": "21\n",
    "data/secret/01.ans": "42\n",
    "data/secret/01.5.in": "1\n",
    "data/secret/01.5.ans": "2\n",
    "data/secret/01.hint": "half of 42\n",
    "data/secret/02.in": "5\n",
    "data/secret/02.ans": "10\n",
    "generators/make.py": "print(1)\n",
    "attachments/notes.txt": "hello\n",
    "input_validators/check.py": "import sys\nsys.exit(42)\n",
    "submissions/accepted/a.py": "print(2 * int(input()))\n",
    "submissions/wrong_answer/b.py": "print(0)\n",
}
STRICT = {
    "problem.yaml": (
        "problem_format_version: 2025-09\nuuid: 0b9c\nname: {en: Twice, de: Doppelt}\ntype: pass-fail\n"
        "credits: {authors: Ada}\nlicense: cc by\n"
    ),
    "statement/problem.en.md": "Read *n*, print 2n.\n",
    "statement/problem.de.md": "Lies *n*.\n",
    "data/secret/test_group.yaml": "output_validator_args: [case_sensitive]\nfull_feedback: true\n",
    "data/secret/1.in": "21\n",
    "data/secret/1.ans": "42\n",
    "submissions/accepted/a.py": "print(2 * int(input()))\n",
}
Publisher = Callable[[Mapping[str, str]], Problem]
Files = dict[str, bytes]


def fields(page: str) -> dict[str, Any]:
    """What a browser would send of the page if nothing was changed."""
    found: dict[str, Any] = {}
    form = page.split("data-typed")[1]
    for tag in re.findall(r"<input[^>]*>", form):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        is_chosen = not re.search(r'type="(radio|checkbox|file)"', tag) or " checked" in tag
        if name and is_chosen and "csrf" not in name[1]:
            found.setdefault(name[1], []).append(value[1] if value else "")
    for name, text in re.findall(r'<textarea[^>]*?name="([^"]*)".*?>\n(.*?)</textarea>', form, re.DOTALL):
        found.setdefault(name, []).append(text.replace("&amp;", "&").replace("&lt;", "<").replace("\n", "\r\n"))
    for name, options in re.findall(r'<select name="([^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        found[name] = [chosen[1] if chosen else ""]
    return found


def as_shown(client: Client, query: str = "") -> dict[str, Any]:
    """The form as it is shown, ready to be sent."""
    answer = client.get(f"/problems/twice/edit/{query}")
    assert answer.status_code == 200
    return fields(answer.content.decode())


def change(client: Client, tmp_path: Path, query: str = "", **changes: Any) -> tuple[Package, Files]:
    """The package that a worker would load, and its files."""
    answer = client.post(f"/problems/twice/edit/{query}", {**as_shown(client, query), **changes})
    assert answer.status_code == 302, re.findall(
        r'class="errorlist.*?</ul>|role="alert".*?</div>', answer.content.decode(), re.DOTALL
    )
    taken = PackageUpload.objects.latest("pk")
    assert taken.replaces == Problem.objects.get()
    with staged_package(archives.incoming() / taken.token, staging_root=tmp_path, name=taken.name) as staged:
        files = {
            path.relative_to(staged.folder).as_posix(): path.read_bytes()
            for path in staged.folder.rglob("*")
            if path.is_file()
        }
        return load_package(staged.folder), files


def before(files: Mapping[str, str]) -> Files:
    """The files as bytes."""
    return {name: text.encode() for name, text in files.items()}


def package_folder(files: Files, root: Path) -> Path:
    """The folder, with these files written."""
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root
