"""The page as a whole, from run directories written by the real recorder."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET
from zlib import decompress

import pyarrow as pa
import pytest

from highwater.harness.errors import RecordError
from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.record.reader import find_runs
from highwater.harness.record.writer import write_measures
from highwater.reports import write_junit, write_report

VOID = frozenset({"br", "input", "link", "meta"})


class Balance(HTMLParser):
    """Collects tags that were closed out of turn, ids, and what text is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.addresses: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.scripts += tag == "script"
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name in ("href", "src") and value:
                (self.targets if value.startswith("#") else self.addresses).append(value)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A self-closing tag opens nothing."""

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"{tag} at {self.getpos()}")


def _page(kip101: ModuleType, root: Path, *cells: list[object]) -> str:
    for trials in cells:
        for trial in trials:
            kip101.write(root, trial)
    shown = [kip101.cell(*trials) for trials in cells]
    return write_report(root, shown, find_runs(root)).read_text(encoding="utf-8")


def _parsed(html: str) -> Balance:
    parser = Balance()
    parser.feed(html)
    return parser


def test_the_page_is_well_formed_and_its_links_lead_somewhere(
    kip101: ModuleType, tmp_path: Path
) -> None:
    html = _page(
        kip101,
        tmp_path,
        [kip101.Trial(number=1), kip101.Trial(number=2, killed=True)],
        [kip101.Trial(kafka="0.11.0.3", loses=False)],
    )

    parser = _parsed(html)

    assert not parser.wrong
    assert not parser.open
    assert len(parser.ids) == len(set(parser.ids))
    assert {target[1:] for target in parser.targets} <= set(parser.ids)


def test_the_page_asks_for_nothing_from_outside(kip101: ModuleType, tmp_path: Path) -> None:
    html = _page(kip101, tmp_path, [kip101.Trial()])

    parser = _parsed(html)

    assert "default-src 'none'" in html
    assert re.search(r"\w://|[\"']//|url\(|@import", html) is None
    assert all((tmp_path / each).is_file() for each in parser.addresses if each != "data:,")


def test_the_page_does_not_say_where_it_was_made(kip101: ModuleType, tmp_path: Path) -> None:
    trial = kip101.Trial(settings={"log.dirs": f"{tmp_path.resolve()}/runs/data"})

    html = _page(kip101, tmp_path, [trial])

    assert str(tmp_path.resolve()) not in html


def test_the_same_runs_give_the_same_page(kip101: ModuleType, tmp_path: Path) -> None:
    first = _page(kip101, tmp_path, [kip101.Trial()])

    second = write_report(tmp_path, [kip101.cell(kip101.Trial())], find_runs(tmp_path))

    assert second.read_text(encoding="utf-8") == first


def test_hostile_text_stays_text(kip101: ModuleType, tmp_path: Path) -> None:
    hostile = "</title></svg><script>alert(1)</script>\"'><img src=x>"

    html = _page(kip101, tmp_path, [kip101.Trial(settings={"a": hostile}, title=hostile)])

    parser = _parsed(html)
    assert parser.scripts == 1
    assert not parser.wrong
    assert "<img" not in html


def test_control_characters_in_names_are_made_visible(kip101: ModuleType, tmp_path: Path) -> None:
    hostile = "\x1b[31m\x00\x85\r\u202e\udcff\u2028 and\tso\non"
    trial = kip101.Trial(reason=hostile)
    path = kip101.write(tmp_path, trial)
    end = {"at_ns": 9, "kind": "broker", "broker": 1, "event": "killed", "text": hostile}
    with (path / "events.jsonl").open("a") as events:
        events.write(json.dumps(end) + "\n")

    html = write_report(tmp_path, [kip101.cell(trial)], find_runs(tmp_path)).read_text("utf-8")

    assert r"\x1b[31m\x00\x85\r\u202e\udcff\u2028 and" in html
    assert {*html} & {*map(chr, [*range(9), *range(11, 32), *range(127, 160)]), "\u202e"} == set()


def test_a_loss_is_told_with_its_evidence(kip101: ModuleType, tmp_path: Path) -> None:
    html = _page(kip101, tmp_path, [kip101.Trial()])

    assert "Kafka 0.10.2.2 lost 10 of 11 acknowledged records in 1 of 1 trial of" in html
    assert "on no replica; the log of leader 3 ends at offset 1." in html
    assert "Truncating log t-0 to offset 1." in html
    assert "met: LEO=11 11 11, HW=11 1 1, isr=1 2 3" in html
    assert "highwater run kip101-loss-strict --kafka 0.10.2.2</code>" in html
    assert "--seed" not in html
    assert 'id="run-runs-kip101-loss-strict-0.10.2.2-1-lost-write"' in html


def test_a_killed_run_is_loudly_inconclusive(kip101: ModuleType, tmp_path: Path) -> None:
    html = _page(kip101, tmp_path, [kip101.Trial(killed=True)])

    assert "the run was killed: it never recorded how it ended" in html
    assert "? inconclusive" in re.sub(r"<[^>]+>", "", html)


def test_the_reason_of_an_unmet_precondition_is_shown(kip101: ModuleType, tmp_path: Path) -> None:
    reason = "ISR of t-0: expected 2,3, saw 2 for 30.0 s"

    html = _page(kip101, tmp_path, [kip101.Trial(reason=reason)])

    assert f"Inconclusive.</strong> {reason}" in html
    assert "NOT MET: isr=" in html


def test_a_damaged_part_is_said_and_the_rest_is_shown(kip101: ModuleType, tmp_path: Path) -> None:
    path = kip101.write(tmp_path, kip101.Trial())
    (path / "replica_logs" / "part-000000.parquet").write_bytes(b"not parquet")

    page = write_report(tmp_path, [kip101.cell(kip101.Trial())], find_runs(tmp_path))

    html = page.read_text(encoding="utf-8")
    assert "Unreadable." in html
    assert "Truncating log t-0 to offset 1." in html


def test_runs_without_cells_are_shown_all_the_same(kip101: ModuleType, tmp_path: Path) -> None:
    kip101.write(tmp_path, kip101.Trial())

    html = write_report(tmp_path, [], find_runs(tmp_path)).read_text(encoding="utf-8")

    assert "Runs outside the table" in html
    assert "VIOLATED" in html


def test_many_runs_keep_every_trial_and_say_whose_charts_are_left_out(
    kip101: ModuleType, tmp_path: Path
) -> None:
    trials = [kip101.Trial(number=n) for n in range(1, 27)]

    html = _unpacked(_page(kip101, tmp_path, trials))

    assert html.count('<details class="run"') == 26
    assert html.count("Charts and events of this trial are left out") == 25


def test_of_many_cells_those_that_matter_are_as_they_are_and_the_others_packed(
    kip101: ModuleType, tmp_path: Path
) -> None:
    trials = [kip101.Trial(scenario=f"s-{n:02}", loses=n % 3 == 0) for n in range(30)]
    for trial in trials:
        kip101.write(tmp_path, trial)
    cells = [kip101.cell(trial) for trial in trials]
    cells[20] = kip101.cell(trials[20], expected="reproduced")

    html = write_report(tmp_path, cells, find_runs(tmp_path)).read_text(encoding="utf-8")

    unpacked = _unpacked(html)
    plain = set(re.findall(r'<details class="run" id="run-runs-(s-\d\d)', html))
    assert len(plain) == 10
    assert "s-20" in plain
    packed = re.findall(r'<details class="group" id="([^"]+)" data-part="(\d+) (\d+) (\d+)"', html)
    assert len(packed) == 20
    assert unpacked.count('<details class="run"') == 30
    assert str(tmp_path.resolve()) not in unpacked
    assert not _parsed(html).wrong
    assert not _parsed(html.partition("<script")[0] + "</body></html>").wrong


def test_a_trial_weighs_less_than_15_kb(kip101: ModuleType, tmp_path: Path) -> None:
    trials = [kip101.Trial(scenario=f"s-{n:02}") for n in range(30)]

    html = _page(kip101, tmp_path, *[[trial] for trial in trials])

    blocks = re.findall(r'<script type="text/plain" id="block-\d+">([^<]*)', html)
    assert sum(len(b64decode(block)) for block in blocks) / 20 < 15_000


def _unpacked(html: str) -> str:
    """With what is packed, at the end."""
    blocks = re.findall(r'<script type="text/plain" id="block-\d+">([^<]*)', html)
    return html + "".join(decompress(b64decode(block), -15).decode() for block in blocks)


def test_a_cell_without_a_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="scenario and kafka"):
        write_report(tmp_path, [{"trials": 3}], [])


def test_junit_has_a_case_per_cell_with_its_runs(kip101: ModuleType, tmp_path: Path) -> None:
    broken, clean = kip101.Trial(), kip101.Trial(kafka="0.11.0.3", loses=False)
    dead = kip101.Trial(kafka="1.1.1", killed=True, loses=False)
    for trial in (broken, clean, dead):
        kip101.write(tmp_path, trial)
    cells = [kip101.cell(broken), kip101.cell(clean, expected="reproduced"), kip101.cell(dead)]

    path = write_junit(tmp_path, cells, find_runs(tmp_path))

    suite = ET.parse(path).getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert [[child.tag for child in case] for case in suite] == [
        ["system-out"],
        ["failure", "system-out"],
        ["error", "system-out"],
    ]
    assert broken.path in (suite[0].findtext("system-out") or "")
    assert "the run was killed" in (suite[2].findtext("system-out") or "")


def test_junit_survives_characters_that_xml_cannot_hold(kip101: ModuleType, tmp_path: Path) -> None:
    trial = kip101.Trial(reason="expected \x00 & <t>, saw \x1b[31m")
    kip101.write(tmp_path, trial)

    path = write_junit(tmp_path, [kip101.cell(trial)], find_runs(tmp_path))

    assert "& <t>" in (ET.parse(path).getroot()[0][0].findtext("system-out") or "")


@pytest.mark.parametrize(("faults", "folded", "left_out"), [(1, False, 0), (9, True, 0),
                                                            (60, True, 10)])  # fmt: skip
def test_what_followed_faults_stands_below_what_clients_achieved(
    kip101: ModuleType, tmp_path: Path, faults: int, *, folded: bool, left_out: int
) -> None:
    path = kip101.write(tmp_path, kip101.Trial(number=1))
    counts = dict.fromkeys(("acked", "failed", "unknown", "handed"), 3)
    fault = {"fault_id": "1", "fault": "Kill(<1>)", "from_ns": 0, "topic": "t", "sent_on": True}
    write_measures(
        path,
        pa.Table.from_pylist([{"client": "load", "topic": "t", **counts}], MEASURES),
        pa.Table.from_pylist([fault] * faults, RECOVERIES),
        REBALANCES.empty_table(),
        LAGS.empty_table(),
    )

    html = _page(kip101, tmp_path)

    parsed = _parsed(html)
    assert (parsed.wrong, parsed.open) == ([], [])
    assert html.count('<th scope="row">Kill(&lt;1&gt;)</th>') == faults - left_out
    assert (f"After each fault: {faults} rows</summary>" in html) is folded
    assert (f"{left_out} more are in recoveries.parquet." in html) is (left_out > 0)
