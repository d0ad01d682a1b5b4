"""The report of peers: figures over bare execution, who is best in what, and who is missing."""

import pytest

from bench.peer.figures import figures_of
from bench.peer.measuring import BARE, GO_JUDGE, ISOLATE, ISOLATE_FRESH, NSJAIL, PROGRAMS, TALLY, Samples
from bench.peer.page import peer_figures
from bench.peer.runs import Run
from bench.peers import main, report_of

MACHINE = {
    "cores": 2,
    "cpu_model": "X",
    "kernel": "Linux 6.18",
    "cgroup_version": 1,
    "compilers": {},
    "load_at_start": 0,
}
VERSIONS = {TALLY: "", NSJAIL: "3.6", ISOLATE: "2.6", ISOLATE_FRESH: "2.6", GO_JUDGE: "1.12"}


def runs(wall_us: float, cpu_us: float) -> dict[str, list[Run]]:
    """The same for each program, nine times; the fifth is three times as long, which no median sees."""
    usual, disturbed = Run(wall_us=wall_us, cpu_us=cpu_us), Run(wall_us=3 * wall_us, cpu_us=3 * cpu_us)
    return {program: [disturbed if number == 4 else usual for number in range(9)] for program in PROGRAMS}


def samples() -> Samples:
    found = Samples(left_out={ISOLATE: "its program was not given"})
    found.runs = {
        BARE: runs(1_000, 1_000),
        TALLY: runs(1_800, 1_000),
        NSJAIL: runs(9_000, 1_100),
        GO_JUDGE: runs(1_700, 1_001),
    }
    found.crowded = {name: every["tiny"] for name, every in found.runs.items()}
    found.openings = {TALLY: [8_000.0] * 3}
    return found


def test_figures_are_medians_over_those_of_bare_execution() -> None:
    tally, nsjail, _ = figures_of(samples())
    assert (tally.name, nsjail.name) == (TALLY, NSJAIL)
    assert tally.tiny_over_bare_ms.value == tally.python_over_bare_ms.value == pytest.approx(0.8)
    assert tally.tiny_over_bare_ms.low == pytest.approx(0.8)
    assert tally.tiny_over_bare_ms.high > 1
    assert nsjail.writes_cpu_ratio.value == pytest.approx(1.1)
    assert nsjail.writes_wall_ratio.value == pytest.approx(9)
    assert nsjail.cpu_time_error_pct.value == nsjail.cpu_time_error_pct.low == pytest.approx(10)
    assert tally.cpu_time_error_pct.value == 0


def test_table_has_the_best_in_bold_and_says_who_is_better_than_tally_and_who_is_missing() -> None:
    report = {"machine": MACHINE, "rounds": 9, "took_s": 1, **report_of(samples(), VERSIONS)}
    shown = peer_figures(report)
    assert "| Tally | 0.80 ms | 0.80 ms | 0.80 ms | **8.00 ms** | **+0.0 %** | **1.00** | 1.80 |" in shown
    assert "| nsjail (3.6) | 8.00 ms | 8.00 ms | 8.00 ms | - | +10.0 % | 1.10 | 9.00 |" in shown
    assert "| go-judge (1.12) | **0.70 ms** | **0.70 ms** | **0.70 ms** | - | +0.1 % | **1.00** | **1.70** |" in shown
    assert "Better than Tally: go-judge in small C++, over bare (0.70 ms against 0.80 ms); go-judge in Python" in shown
    assert "nsjail in" not in shown
    assert "Not measured: isolate, box kept (its program was not given)." in shown
    report["sandboxes"] = report["sandboxes"][:2]
    assert "Nobody was better than Tally in any of them." in peer_figures(report)


def test_bars_compare_with_isolate_where_it_was_measured() -> None:
    found = samples()
    assert [bar["ratio"] for bar in report_of(found, VERSIONS)["bars"]] == [1.0]
    for name, opening in ((ISOLATE, []), (ISOLATE_FRESH, [4_000.0])):
        found.runs[name] = runs(3_000, 1_000)
        found.crowded[name] = found.runs[name]["tiny"]
        if opening:
            found.openings[name] = opening
    bars = {bar["name"]: (bar["ratio"], bar["is_met"]) for bar in report_of(found, VERSIONS)["bars"]}
    assert list(bars.values()) == [(1.0, True), (0.4, False), (0.4, False), (2.0, False)]


def test_missed_bars_are_named_and_are_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = samples()
    monkeypatch.setattr("bench.peers.measure", lambda *_: found)
    assert main(["--no-report"]) == 0
    found.crowded[TALLY] = runs(2_300, 1_000)["tiny"]  # 1.3 ms over bare, of 0.8 when idle
    assert main(["--no-report"]) == 1
    assert capsys.readouterr().err.endswith("missed: small C++ with all cores busy, of idle: 1.62 (bar 1.5)\n")


def test_report_says_how_each_was_used() -> None:
    described = report_of(samples(), VERSIONS)["sandboxes"]
    assert [(each["name"], each["version"]) for each in described] == [(TALLY, ""), (NSJAIL, "3.6"), (GO_JUDGE, "1.12")]
    assert all(each["how"] for each in described)


def test_what_is_no_program_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--isolate", "/etc/passwd"])
    assert "/etc/passwd is not a program" in capsys.readouterr().err
