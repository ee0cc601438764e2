"""Of a broker's log, the lines that tell what it did to a partition."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from highwater.harness.broker_logs import LONGEST_LINE, MOST_LINES, telling_lines

CUT = "[2024-05-06 07:08:09,123] INFO Truncating partition orders-0 to offset 1 (kafka.log.Log)"
OTHER = "[2024-05-06 07:08:09,124] INFO Truncating partition payments-0 to offset 1"
DULL = "[2024-05-06 07:08:09,125] INFO Creating orders-0"


def write(folder: Path, *lines: str) -> Path:
    log = folder / "server.log"
    log.write_text("".join(f"{line}\n" for line in lines))
    return log


def test_a_telling_line_about_the_partition_is_found_with_its_time(tmp_path: Path) -> None:
    log = write(tmp_path, DULL, CUT, OTHER, "\tat kafka.log.Log.truncate(orders-0)")

    (line,) = telling_lines(log, 0, "orders-0")

    assert line.text == CUT.partition("] ")[2]
    local = datetime.fromtimestamp(line.at_epoch_s)  # noqa: DTZ006 - brokers log local time
    assert local.isoformat(timespec="milliseconds") == "2024-05-06T07:08:09.123"


def test_what_was_written_before_the_play_is_left_out(tmp_path: Path) -> None:
    log = write(tmp_path, CUT, CUT.replace("offset 1", "offset 2"))

    found = [line.text for line in telling_lines(log, len(CUT) + 1, "orders-0")]

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

    assert len(list(telling_lines(log, 0, "orders-0"))) == 1


def test_a_chatty_log_is_cut_short(tmp_path: Path) -> None:
    log = write(tmp_path, *[CUT + "x" * 1000] * (MOST_LINES + 1))

    found = list(telling_lines(log, 0, "orders-0"))

    assert len(found) == MOST_LINES
    assert {len(line.text) for line in found} == {LONGEST_LINE}


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"\xff\xfe\n" + CUT.encode() + b" \xff\n")

    assert len(list(telling_lines(log, 0, "orders-0"))) == 1
