"""What docs/results.md tells of topics of several widths."""

from __future__ import annotations

from tests.bench.page import _wide_figures


def test_beside_a_look_stands_what_no_look_takes_less_than() -> None:
    one = {
        "created_s": 9.5, "look_ms": 41.2, "alone_ms": 8.6, "alone_least_ms": 7.9,
        "closing_s": 3.1, "judging_s": 4.3, "brokers_grew_mib": 263, "harness_peak_mib": 246,
    }  # fmt: skip

    told = "\n".join(_wide_figures({"1000": one, "3000": {"failed": "no room"}}))

    assert told.startswith("- a topic of 1,000 partitions, three replicas each, all gated:\n")
    assert "a look at all of it in 41.2 ms\n  (a broker alone answers for it in 8.6 ms),\n" in told
    each = "(of each partition 9.5 ms of its creation, 41 us of a look, 269 KiB);\n"
    assert each in told
    assert "3,000" not in told
