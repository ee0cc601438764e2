"""Of a broker's log, the lines that tell what it did to a partition."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from highwater.harness.broker_logs import (
    LONGEST_LINE,
    MOST_LINES,
    how_it_ended,
    telling_lines,
)
from highwater.harness.jvm.runtime import java_line

CUT = "[2024-05-06 07:08:09,123] INFO Truncating partition orders-0 to offset 1 (kafka.log.Log)"
OTHER = "[2024-05-06 07:08:09,124] INFO Truncating partition payments-0 to offset 1"
STAMPED = "[2024-05-06 07:08:09,123] ERROR x"
DULL = "[2024-05-06 07:08:09,125] INFO Creating orders-0"


def write(folder: Path, *lines: str) -> Path:
    log = folder / "server.log"
    log.write_text("".join(f"{line}\n" for line in lines))
    return log


@pytest.fixture(params=["UTC", "Europe/Berlin", "Pacific/Auckland"])
def somewhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine in some time zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("somewhere")
def test_a_telling_line_about_the_partition_is_found_with_its_time_wherever_we_are(
    tmp_path: Path,
) -> None:
    log = write(tmp_path, DULL, CUT, OTHER, "\tat kafka.log.Log.truncate(orders-0)")

    (line,) = telling_lines(log, 0, "orders")

    assert line.text == CUT.partition("] ")[2]
    at = datetime.fromtimestamp(line.at_epoch_s, UTC)
    assert at.isoformat(timespec="milliseconds") == "2024-05-06T07:08:09.123+00:00"


def test_nodes_log_in_utc() -> None:
    assert "-Duser.timezone=UTC" in java_line("java", Path("logging"), "jars", [])


@pytest.mark.parametrize(
    "other", ["orders-x", "orders-0-1", "my-orders-0", "new.orders-0", "orders-0_x"]
)
def test_a_partition_whose_name_contains_this_one_is_another(tmp_path: Path, other: str) -> None:
    log = write(tmp_path, CUT.replace("orders-0", other))

    assert list(telling_lines(log, 0, "orders")) == []


@pytest.mark.parametrize("named", ["(orders-0)", "orders-0,", "dir/orders-0/0.log", "orders-0."])
def test_a_partition_is_found_however_it_stands_in_a_line(tmp_path: Path, named: str) -> None:
    log = write(tmp_path, CUT.replace("orders-0", named))

    assert len(list(telling_lines(log, 0, "orders"))) == 1


def test_what_was_written_before_the_play_is_left_out(tmp_path: Path) -> None:
    log = write(tmp_path, CUT, CUT.replace("offset 1", "offset 2"))

    found = [line.text for line in telling_lines(log, len(CUT) + 1, "orders")]

    assert len(found) == 1
    assert "offset 2" in found[0]


@pytest.mark.parametrize(
    "wording",
    [
        "Based on follower's leader epoch, leader replied with an offset; truncating orders-0",
        "Shrinking ISR for partition orders-0 from 1,2 to 1",
        "[Partition orders-0 broker=1] ISR updated to 1,2",
        "orders-0 starts at Leader Epoch 3 from offset 11",
        "Exiting because log truncation is not allowed for partition orders-0",
        "Non-monotonic update of high watermark for partition orders-0",
        "[Log partition=orders-0] No truncation needed",
    ],
)
def test_each_release_has_its_own_wording(tmp_path: Path, wording: str) -> None:
    log = write(tmp_path, f"[2024-05-06 07:08:09,123] WARN {wording}")

    assert len(list(telling_lines(log, 0, "orders"))) == 1


def test_a_chatty_log_is_cut_short_and_says_so(tmp_path: Path) -> None:
    log = write(tmp_path, *[CUT + "x" * 1000] * (MOST_LINES + 3))

    *found, last = telling_lines(log, 0, "orders")

    assert len(found) == MOST_LINES
    assert {len(line.text) for line in found} == {LONGEST_LINE}
    assert last.text.startswith("3 more lines about orders are left out here")


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"\xff\xfe\n" + CUT.encode() + b" \xff\n")

    assert len(list(telling_lines(log, 0, "orders"))) == 1


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([DULL], ""),
        ([STAMPED, "a.B: b", "a.BException: c", DULL, "Killed"], ""),
        (
            ['Exception in thread "main" a.BException: c', "\tat d"],
            "; its last exception: BException: c",
        ),
        (["a.BError: c", "a.CException: d"], "; its last exception: BError: c"),
        (
            [STAMPED, "org.apache.kafka.common.KafkaException: first", DULL, "\tat a.B.c(B.java:1)",
             "org.apache.kafka.common.config.ConfigException: Invalid value abc for x: no INT",
             "\tat a.B.c(B.java:1) ~[a.jar:?]", "Caused by: java.lang.Error: whatever"],
            "; its last exception: ConfigException: Invalid value abc for x: no INT",
        ),
    ],
)  # fmt: skip
def test_why_a_node_has_ended_stands_first(tmp_path: Path, lines: list[str], why: str) -> None:
    log = write(tmp_path, *lines)

    said = how_it_ended("broker-1", 1, log)

    assert said.startswith(f"broker-1 ended by itself (exit code 1){why}; the end of {log}:\n    ")
    assert said.endswith(lines[-1].strip())


def test_a_node_without_a_log_has_ended_all_the_same(tmp_path: Path) -> None:
    assert "(exit code None); the end of" in how_it_ended("broker-1", None, tmp_path / "none")
