"""What docs/results.md tells of the partitions that producers choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.bench.partitioners import PARTITIONS, RECORDS, SIZE_BYTES

INTRODUCTION = """## Where records without a key go

`{command}`, on {played_on}, with Kafka {kafka}: a producer of each release, set to nothing but
linger.ms=20, sends bursts of {records} records of {size} bytes to {partitions} partitions, each
burst when the one before has been acknowledged. Told are the median number of partitions that a
burst went to, that of records in a row that went to one, and the shares of partitions. Then it
sends records with keys: how many of them went where murmur2 of the key, modulo the number of
partitions, says.

| kafka-clients | partitions of a burst | in a row | least and largest share | of records | keyed |
| --- | --- | --- | --- | --- | --- |
"""


def section(kept: Mapping[str, Any]) -> str:
    head = INTRODUCTION.format(
        **{name: kept[name] for name in ("command", "played_on", "kafka")},
        records=RECORDS,
        size=SIZE_BYTES,
        partitions=PARTITIONS,
    )
    lines = [
        f"| {release} | {told['partitions_of_a_burst']:g} | {told['records_in_a_row']:g} "
        f"| {told['least_share']:.1%} and {told['largest_share']:.1%} | {told['records']:,} "
        f"| {told['keyed_by_murmur2']} of {told['keyed']} |"
        for release, told in kept["releases"].items()
    ]
    return head + "\n".join(lines) + "\n"
