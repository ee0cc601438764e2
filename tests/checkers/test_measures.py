"""What is measured of clients: counts by the second, latencies, and the longest gap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.checkers.conftest import Row, poll, producer, send
from tests.model.judged import judgement_here

from highwater.checkers import catalogue
from highwater.checkers import judge as judging
from highwater.checkers.judge import Judgement
from highwater.checkers.measures import measures_of
from highwater.checkers.tallies import Tallies, buckets, longest_ns

pytestmark = pytest.mark.spark

SECOND, MS = 10**9, 10**6
Measured = Callable[..., list[dict[str, Any]]]
Judging = Callable[..., Judgement]


@pytest.fixture
def measured(write_run: Any, tmp_path: Path) -> Measured:
    """The rows of `measures`, without what is null."""

    def of(*rows: Row) -> list[dict[str, Any]]:
        found = judgement_here(write_run(tmp_path / "run", rows)).measures.to_pylist()
        return [{name: told for name, told in row.items() if told is not None} for row in found]

    return of


def _sent(value: int, at_ms: int, took_ms: float, **more: Any) -> Row:
    return send(value, value, (at_ms * MS, int((at_ms + took_ms) * MS)), **more)


def test_what_ends_is_counted_in_its_second_by_client_and_partition(measured: Measured) -> None:
    rows = measured(
        _sent(1, 100, 5),
        _sent(2, 990, 20),
        _sent(3, 1500, 5, partition=1),
        _sent(4, 1600, 5, outcome="failed"),
        _sent(5, 1700, 5, outcome="unknown", client="other"),
        send(6, outcome="invoked", completed_ns=None),
    )

    counts = {
        (row["client"], row.get("partition"), row.get("second")): (
            row["acked"], row["failed"], row["unknown"], row["handed"],
        )
        for row in rows
    }  # fmt: skip
    assert counts == {
        ("producer", None, None): (3, 1, 0, 0),
        ("producer", None, 0): (1, 0, 0, 0),
        ("producer", None, 1): (2, 1, 0, 0),
        ("producer", 0, None): (2, 1, 0, 0),
        ("producer", 0, 0): (1, 0, 0, 0),
        ("producer", 0, 1): (1, 1, 0, 0),
        ("producer", 1, None): (1, 0, 0, 0),
        ("producer", 1, 1): (1, 0, 0, 0),
        ("other", None, None): (0, 0, 1, 0),
        ("other", None, 1): (0, 0, 1, 0),
        ("other", 0, None): (0, 0, 1, 0),
        ("other", 0, 1): (0, 0, 1, 0),
    }


def test_latencies_have_their_percentiles_within_a_hundredth(measured: Measured) -> None:
    rows = measured(*(_sent(number, 10 * number, number) for number in range(1, 1001)))

    whole = rows[0]
    told = [whole[f"ack_{which}_ms"] for which in ("p50", "p99", "p999", "max")]
    assert told == pytest.approx([500, 990, 999, 1000], rel=0.01)


def test_a_send_is_as_late_as_it_came_after_it_was_due(measured: Measured) -> None:
    """What waits for a stalled client to be sent at all has waited as well."""
    rows = measured(_sent(1, 400, 10, intended_ns=100 * MS))

    assert rows[0]["ack_max_ms"] == pytest.approx(310, rel=0.01)


def test_from_end_to_end_is_from_when_it_was_due_to_when_somebody_was_handed_it(
    measured: Measured,
) -> None:
    handed = poll(1, 1, invoked_ns=500 * MS, completed_ns=500 * MS)
    nobody_sent = poll(9, 2, invoked_ns=700 * MS, completed_ns=700 * MS)

    rows = measured(_sent(1, 400, 10, intended_ns=100 * MS), handed, nobody_sent)

    reader = next(row for row in rows if row["client"] == "reader")
    assert reader["handed"] == 2
    assert reader["end_to_end_max_ms"] == pytest.approx(400, rel=0.01)


@pytest.mark.parametrize(
    ("rows", "gap_ms"),
    [
        ([_sent(1, 0, 5), _sent(2, 0, 900)], 895),
        ([_sent(1, 0, 700), _sent(2, 0, 705)], 700),  # nothing from the beginning on
        ([_sent(1, 0, 5), _sent(2, 10, 990, outcome="failed")], 995),  # nor to the end
        ([_sent(1, 0, 5), _sent(2, 10, 90), _sent(3, 10, 40, partition=1)], 50),
        ([_sent(1, 0, 990, outcome="unknown")], 990),
    ],
)
def test_the_longest_gap_is_without_any_acknowledgement(
    measured: Measured, rows: list[Row], gap_ms: float
) -> None:
    whole = measured(*rows)[0]

    assert whole["longest_gap_ms"] == gap_ms
    assert whole["from_ns"] == 0


def _started(client: str, since_ns: object) -> dict[str, Any]:
    """In the place of one to whom nothing had been acknowledged from then on."""
    return {"at_ns": 0, "kind": "client", "text": "", "client": client, "event": "started",
            "gap_since_ns": since_ns}  # fmt: skip


def _gaps(judged: Judgement) -> dict[tuple[str, int | None], float]:
    whole = [row for row in judged.measures.to_pylist() if row["second"] is None]
    return {(row["client"], row["partition"]): row["longest_gap_ms"] for row in whole}


def test_the_time_between_two_processes_of_a_load_is_part_of_a_gap(judged: Judging) -> None:
    """Else a limit holds in silence, while an application that comes back is let wait.

    Of what was acknowledged to one that was killed the history may not tell.
    """
    killed = send(1, None, (10 * MS, None), outcome="unknown", client="load.1")
    again = [_sent(2, 8_000, 10, client="load.2"), _sent(3, 8_300, 5, client="load.2", partition=1)]

    found = judged([killed, *again], _started("load.1", None), _started("load.2", 95 * MS))

    expected = {None: 8_010 - 95, 0: 8_010 - 95, 1: 8_305 - 95}
    assert _gaps(found) == {("load.2", at): gap_ms for at, gap_ms in expected.items()}


@pytest.mark.parametrize("since_ns", [500 * MS, 900 * MS, None, "5", 0.0, True, 1 << 63, [7]])
def test_what_cannot_be_a_beginning_lengthens_no_gap(judged: Judging, since_ns: object) -> None:
    found = judged([_sent(1, 500, 50, client="load.1")], _started("load.1", since_ns))

    assert _gaps(found)["load.1", None] == 50
    assert found.unreadable == {}


def test_what_proves_nothing_is_left_out(measured: Measured) -> None:
    backwards = send(1, 1, (5, 4))
    untimed = send(2, 2, (5, None))
    nobody_acknowledges = send(3, None, (5, 6), acks="0")

    assert measured(backwards, untimed, nobody_acknowledges) == []


def test_a_send_that_was_told_of_while_it_was_open_counts_once(measured: Measured) -> None:
    rows = measured(
        send(1, None, (5, None), outcome="invoked", op=7), send(1, 1, (5, 9), op=7), producer()
    )

    assert [row["acked"] for row in rows] == [1] * 4


def test_what_cannot_be_measured_takes_no_verdict_along(
    write_run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(tallies: Tallies, since: Mapping[str, int]) -> Any:
        return 1 / 0 if tallies.of else measures_of(tallies, since)

    monkeypatch.setattr(judging, "measures_of", fail)

    said = judgement_here(write_run(tmp_path / "run", [_sent(1, 0, 5)]))

    assert "ZeroDivisionError" in said.unreadable["measures"]
    assert len(said.verdicts) == len(catalogue.claims())
    assert said.measures.num_rows == 0


def test_a_run_that_is_judged_in_parts_has_the_same_measures(
    write_run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each block of values another part tells."""
    values = [*range(100), *range(1 << 17, (1 << 17) + 100)]
    sent = [_sent(value, number * 7 % 3000, number % 90) for number, value in enumerate(values)]
    read = [poll(value, value, invoked_ns=3 * SECOND, completed_ns=3 * SECOND) for value in values]
    run = write_run(tmp_path / "run", [*sent, *read])
    monkeypatch.setattr(judging, "WHOLE_ROWS", -1)
    monkeypatch.setattr(judging, "PART_ROWS", 90)

    (in_parts,) = judging.judge_claims([run], catalogue.claims()).values()

    whole = judgement_here(run).measures
    assert in_parts.measures.equals(whole)
    assert whole.num_rows == 10


def test_a_bucket_is_a_hundredth_of_its_latency_at_most_and_none_is_shorter_than_it_was() -> None:
    latency_ns = np.unique(np.geomspace(1, 1 << 62, 20_000).astype(np.int64))
    latency_ns = np.concatenate([[0], latency_ns, latency_ns - 1])
    longest = longest_ns(buckets(latency_ns))

    assert (longest >= latency_ns).all()
    assert ((longest - latency_ns) <= latency_ns // 100).all()
    assert (np.diff(buckets(np.sort(latency_ns))) >= 0).all()


def test_of_a_hundred_and_sixty_two_that_were_late_are_more_than_one_in_a_hundred(
    measured: Measured,
) -> None:
    late = [_sent(number, 0, 9_000 if number < 2 else 1) for number in range(160)]

    assert measured(*late)[0]["ack_p99_ms"] == pytest.approx(9_000, rel=0.01)


def test_times_at_the_ends_of_what_a_record_may_hold_are_measured(measured: Measured) -> None:
    whole = measured(send(1, 1, (-(1 << 62), 1 << 62)), send(2, 2, (0, 7_200 * SECOND)))[0]

    assert whole["longest_gap_ms"] == pytest.approx(((1 << 62) + 7_200 * SECOND) / MS)
    assert whole["ack_p50_ms"] == pytest.approx(7_200_000, rel=0.01)


def test_a_gap_that_is_shorter_than_what_is_seen_is_0(measured: Measured) -> None:
    assert measured(_sent(1, 0, 3), _sent(2, 0, 7))[0]["longest_gap_ms"] == 0


def test_a_second_has_its_row_in_no_more_time_than_its_records_take(measured: Measured) -> None:
    """8,000 rows: a histogram with room for every latency would take a second for a hundred."""
    rows = measured(*(_sent(number, 1000 * number, 5) for number in range(4_000)))

    assert len(rows) == 2 * 4_001
