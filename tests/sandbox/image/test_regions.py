"""Locales and time zones in a run jail: the usual ones are there, and the host's own are not."""

import json
import subprocess
from pathlib import Path

import pytest

from sandbox.doctor.doctor import examine
from sandbox.image import runtimes
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, JailSpec, Limits, Mount
from tests.sandbox.jailed import output

LIMITS = Limits(cpu_time_ms=5_000, wall_time_ms=15_000)
CPP = """
#include <clocale>
#include <cstdlib>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <locale>
#include <sstream>

int main(int count, char **names) {
    for (int i = 1; i < count; i++) {
        std::locale::global(std::locale(names[i]));
        std::ostringstream text;
        text << 1234567.5;
        std::cout << std::setlocale(LC_ALL, nullptr) << ' ' << text.str() << '\\n';
    }
    std::locale::global(std::locale("ko_KR.UTF-8"));
    std::wostringstream wide;
    wide << std::toupper(L'\\u00e4', std::locale());
    std::cout << (wide.str() == L"\\u00c4") << '\\n';
    const std::time_t noon = 1700000000;
    char text[99];
    for (const char *zone : {"", "Asia/Seoul", "America/New_York"}) {
        if (*zone) setenv("TZ", zone, 1), tzset();
        std::strftime(text, sizeof text, "%A %H:%M %Z", std::localtime(&noon));
        std::cout << text << '\\n';
    }
}
"""


def test_python_has_the_usual_locales(jail: OpenJail, folder: Path) -> None:
    code = """
import locale, time
print(locale.setlocale(locale.LC_ALL, ""))
for name in ("ko_KR", "en_US", "ja_JP", "zh_CN", "de_DE", "fr_FR"):
    print(locale.setlocale(locale.LC_ALL, f"{name}.UTF-8"), time.strftime("%B", time.gmtime(0)))
print(locale.setlocale(locale.LC_ALL, "ko_KR.utf8"), sorted("하가나", key=locale.strxfrm))
locale.setlocale(locale.LC_ALL, "en_US.UTF-8")
print(locale.format_string("%d", 1234567, grouping=True))
"""
    assert output(jail, code, folder).splitlines() == [
        "C.UTF-8",
        "ko_KR.UTF-8 1월",
        "en_US.UTF-8 January",
        "ja_JP.UTF-8 1月",
        "zh_CN.UTF-8 一月",
        "de_DE.UTF-8 Januar",
        "fr_FR.UTF-8 janvier",
        "ko_KR.utf8 ['가', '나', '하']",
        "1,234,567",
    ]


def test_python_has_every_time_zone(jail: OpenJail, folder: Path) -> None:
    code = """
import datetime, os, time, zoneinfo
moment = datetime.datetime(2026, 7, 1, tzinfo=datetime.timezone.utc)
for name in ("Asia/Seoul", "America/New_York", "Europe/London", "ROK", "UTC"):
    print(name, moment.astimezone(zoneinfo.ZoneInfo(name)).strftime("%d %H:%M %Z"))
os.environ["TZ"] = "Asia/Seoul"
time.tzset()
print(time.strftime("%H:%M %Z", time.localtime(0)), len(zoneinfo.available_timezones()) > 500)
"""
    assert output(jail, code, folder).splitlines() == [
        "Asia/Seoul 01 09:00 KST",
        "America/New_York 30 20:00 EDT",
        "Europe/London 01 01:00 BST",
        "ROK 01 09:00 KST",
        "UTC 01 00:00 UTC",
        "09:00 KST True",
    ]


def test_a_compiled_program_has_them_too(sandbox: NsjailSandbox, folder: Path) -> None:
    program = folder / "program"
    program.mkdir(mode=0o755)
    (program / "main.cpp").write_text(CPP)
    subprocess.run(["g++", "-std=c++20", "-o", program / "main", program / "main.cpp"], check=True, timeout=120)
    names = ("ko_KR.UTF-8", "en_US.UTF-8", "de_DE.UTF-8", "")
    with sandbox.open_jail(JailSpec(mounts=(Mount(source=program, target="/program"),))) as jail:
        command = Command(argv=("/program/main", *names), stdout=folder / "out", stderr=folder / "err")
        assert jail.run(command, LIMITS).exit_code == 0, (folder / "err").read_text()
    assert (folder / "out").read_text().splitlines() == [
        "ko_KR.UTF-8 1.23457e+06",
        "en_US.UTF-8 1.23457e+06",
        "de_DE.UTF-8 1,23457e+06",
        "C.UTF-8 1.23457e+06",
        "1",
        "화요일 22:13 UTC",
        "수요일 07:13 KST",
        "화요일 17:13 EST",
    ]


def test_nothing_tells_the_hosts_own_time_zone(
    sandbox: NsjailSandbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    code = """
import json, os, time
own = ("/etc/localtime", "/etc/timezone", "/etc/locale.conf", "/etc/default/locale", "/usr/share/zoneinfo/localtime",
    "/usr/share/zoneinfo/posixrules", "/usr/lib/locale/locale-archive")
below = [os.path.join(folder, name) for folder, _, names in os.walk("/usr/share/zoneinfo") for name in names]
print(json.dumps([time.tzname, sorted(os.environ), [path for path in own if os.path.lexists(path)],
    [path for path in below if os.path.islink(path) or path.endswith((".py", ".pyc"))]]))
"""
    with sandbox.open_jail(JailSpec()) as jail:
        zone, variables, own, odd = json.loads(output(jail, code, folder))
    assert zone == ["UTC", "UTC"]
    assert variables == ["HOME", "LANG", "PATH", "TMPDIR"]
    assert own == odd == []


def test_equal_files_lie_in_memory_once(sandbox: NsjailSandbox, folder: Path) -> None:
    code = """
import os
print(os.path.samefile("/usr/share/zoneinfo/ROK", "/usr/share/zoneinfo/Asia/Seoul"))
print(os.path.samefile("/usr/lib/locale/en_US.utf8/LC_COLLATE", "/usr/lib/locale/de_DE.utf8/LC_COLLATE"))
"""
    with sandbox.open_jail(JailSpec()) as jail:
        assert output(jail, code, folder) == "True\nTrue\n"


def test_a_host_without_them_can_judge_and_the_doctor_names_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setattr(runtimes, "LOCALES", folder / "none")
    monkeypatch.setattr(runtimes, "zones", lambda: None)
    assert list(runtimes.regional_files()) == []
    (check,) = [check for check in examine(folder) if check.name == "locales and time zones"]
    assert not check.ok
    assert not check.needed
    assert "no locales but C.UTF-8, no time zones but UTC" in check.detail
