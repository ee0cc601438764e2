"""Looks, fetches and replica ends as frames: who knew what when.

pandas takes seconds to load, and is not loaded before there is something to put into a frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from highwater.checkers.findings import Findings
from highwater.checkers.parts import Samples
from highwater.checkers.rows import LAST, NONE, from_arrow
from highwater.harness.tables import TABLES

if TYPE_CHECKING:
    import pandas as pd

TEXT = pa.dictionary(pa.int32(), pa.string())
PLACE = ["topic", "partition"]
REPLICA = [*PLACE, "broker"]


def to_frame(name: str, read: Sequence[pa.Table]) -> pd.DataFrame:
    """All that was read of a table; its whole numbers stay whole where some are missing."""
    import pandas as pd  # noqa: PLC0415 - see above

    fields = [(one.name, TEXT if one.type == pa.string() else one.type) for one in TABLES[name]]
    table = pa.concat_tables([pa.schema(fields).empty_table(), *read])

    kinds = {
        pa.int64(): pd.Int64Dtype(),
        pa.int32(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype(),
    }
    texts = [
        name
        for name, column in zip(table.column_names, table.columns, strict=True)
        if column.type == TEXT
    ]
    for column in texts:
        at = table.column_names.index(column)
        table = table.set_column(at, column, table[column].cast(pa.string()))
    frame: pd.DataFrame = table.to_pandas(types_mapper=kinds.get)
    return frame


def frame_findings(frame: pd.DataFrame, wrong: pd.Series[bool]) -> Findings:
    """A finding for every row; its columns are what a witness shows."""
    found = Findings(considered=len(frame))
    if len(frame):
        rows = from_arrow(pa.Table.from_pandas(frame, preserve_index=False))
        shown = {name: (rows[name], rows.words.get(name)) for name in frame.columns}
        found.anomaly(wrong.fillna(value=False).to_numpy(bool), shown)
    return found


def quiet_looks(part: Samples) -> pd.DataFrame:
    """Looks at replicas that answered, taken while every follower stood at the gate."""
    looks = part["replica_states"]
    seen = looks["log_end_offset"].notna() & looks["high_watermark"].notna()
    return looks[looks["quiet"].fillna(value=False) & seen]


def last_before(
    looks: pd.DataFrame, events: pd.DataFrame, by: Sequence[str], taken: Mapping[str, str]
) -> pd.DataFrame:
    """Each look with what the last event of its own before it says, as columns of other names.

    They are null where there was none, or where several of one moment say several things.
    """
    import pandas as pd  # noqa: PLC0415 - see above

    events = events[[*PLACE, *by, "at_ns", *taken]].rename(columns=dict(taken))
    moments = events.groupby([*PLACE, *by, "at_ns"])[list(taken.values())]
    least, largest = moments.min(), moments.max()
    events = least.where(least == largest).reset_index()  # several in one moment have no order
    return pd.merge_asof(
        looks.sort_values("at_ns", kind="stable"),
        events.sort_values("at_ns", kind="stable"),
        on="at_ns",
        by=[*PLACE, *by],
        allow_exact_matches=False,
    )


def fetch_offsets_at_leaders(
    looks: pd.DataFrame, brokers: pd.DataFrame, fetches: pd.DataFrame
) -> pd.DataFrame:
    """Each look at a leader with each other replica, and what that one last told it in this term.

    A look's `since_ns` says which fetches are too old. `brokers` has the replicas of partitions as
    `member`; `in_isr` says whether it is in sync, and `fetch_offset` is null where no fetch was
    seen.
    """
    import pandas as pd  # noqa: PLC0415 - see above

    requests = fetches[fetches["stage"] == "request"]
    asking = requests.rename(columns={"follower": "member"})[[*PLACE, "member"]]
    isr = looks[[*PLACE, "isr"]].assign(member=looks["isr"].str.split(",")).explode("member")
    isr = isr.assign(member=pd.to_numeric(isr["member"], errors="coerce").astype("Int64"))
    everyone = pd.concat([brokers, asking, isr[[*PLACE, "member"]]]).dropna().drop_duplicates()
    members = looks.merge(everyone, on=PLACE)
    members = members[members["member"] != members["broker"]]
    member = members[["member", "isr"]].rename(columns={"member": "broker"})
    members = members.assign(in_isr=in_sync(member))
    requests = requests.assign(
        broker=requests["leader"], member=requests["follower"], fetched_ns=requests["at_ns"]
    )
    taken = {"fetch_offset": "fetch_offset", "fetched_ns": "fetched_ns"}
    told = last_before(members, requests, ["broker", "member"], taken)
    earlier = (told["fetched_ns"] <= told["since_ns"]).fillna(value=False)
    return told.assign(fetch_offset=told["fetch_offset"].mask(earlier))


def in_sync(looks: pd.DataFrame) -> pd.Series[bool]:
    """Which looks are at a replica that the ISR has, as far as it was known."""
    import pandas as pd  # noqa: PLC0415 - see above

    member = "," + looks["broker"].astype("string") + ","
    isr = "," + looks["isr"].astype("string") + ","
    found = [bool(one in all_) for one, all_ in zip(member, isr.fillna(""), strict=True)]
    return pd.Series(found, index=looks.index, dtype=bool)


def outside_ns(looks: pd.DataFrame, asked: pd.DataFrame) -> pd.Series[int]:
    """For each of these looks when its replica was last seen out of the ISR; NONE for never."""
    import pandas as pd  # noqa: PLC0415 - see above

    told = looks[looks["isr"].notna()]
    of_place, found = told.groupby(PLACE).indices, pd.Series(NONE, asked.index, dtype="int64")
    for (topic, partition, _), mine in asked.groupby(REPLICA):
        here = told.iloc[of_place.get((topic, partition), [])]
        here = here.assign(broker=mine["broker"].iloc[0])
        seen_ns = np.sort(here.loc[~in_sync(here), "at_ns"].to_numpy(np.int64))
        before = np.searchsorted(seen_ns, mine["at_ns"].to_numpy(np.int64), "right")
        found[mine.index] = np.append(NONE, seen_ns)[before]
    return found


def looks_and_ends(part: Samples) -> pd.DataFrame:
    """Every look at a replica, and its end as the last, in the order of time.

    With `leads`, `in_isr`, `settled` and `known_until_ns`: what was seen up to then may bind it.
    """
    import pandas as pd  # noqa: PLC0415 - see above

    looks, ends = part["replica_states"], part["replica_ends"]
    looks = looks.assign(
        leads=(looks["leader"] == looks["broker"]).fillna(value=False),
        in_isr=in_sync(looks),
        settled=False,
    )
    ends = ends.assign(leads=ends["is_leader"], at_ns=LAST)
    names = [*REPLICA, "log_end_offset", "at_ns", "leads", "in_isr", "settled"]
    every = pd.concat([looks[names], ends[names]]).sort_values([*REPLICA, "at_ns"], kind="stable")
    before = every.groupby(REPLICA)["at_ns"].shift()
    before = before.mask(before == every["at_ns"])  # looks at one moment prove no order
    before = before.groupby([every[name] for name in [*REPLICA, "at_ns"]]).transform("first")
    return every.assign(known_until_ns=before.where(every["at_ns"] != LAST, LAST)).reset_index()


def informed(part: Samples) -> pd.DataFrame:
    """`looks_and_ends`, each with the highest watermark that was known then, if any was."""
    import pandas as pd  # noqa: PLC0415 - see above

    looks = looks_and_ends(part)
    return pd.merge_asof(
        looks[looks["known_until_ns"].notna()].sort_values("known_until_ns", kind="stable"),
        watermarks(part).sort_values("seen_at_ns", kind="stable"),
        left_on="known_until_ns",
        right_on="seen_at_ns",
        by=PLACE,
    ).sort_values([*REPLICA, "at_ns"], kind="stable")


def looks_of_one_moment(part: Samples) -> pd.DataFrame:
    """`informed`, with one look for each moment at a replica, which says what all looks of it say.

    `asked` where the high watermark binds one of them; `short` and `leads` where it is so in all.
    """
    moment = [*REPLICA, "at_ns"]
    looks = informed(part).sort_values([*moment, "log_end_offset"], kind="stable")
    counts = looks["settled"] | (looks["at_ns"] != LAST)
    bound = counts & (looks["leads"] | looks["in_isr"]) & looks["high_watermark"].notna()
    short = bound & (looks["log_end_offset"] < looks["high_watermark"]).fillna(value=False)
    asked = bound & looks["log_end_offset"].notna()
    same = [looks[name] for name in moment]
    looks = looks.assign(
        short=short.groupby(same).transform("all"),
        leads=looks["leads"].groupby(same).transform("all"),
        asked=asked.groupby(same).transform("any"),
    )
    return looks.drop_duplicates(moment)


def watermarks(part: Samples) -> pd.DataFrame:
    """When a leader was first seen with a higher high watermark than any before, and whose."""
    looks = part["replica_states"]
    marks = looks[(looks["leader"] == looks["broker"]) & looks["high_watermark"].notna()]
    marks = marks.sort_values([*PLACE, "at_ns", "broker"], ascending=[True, True, True, False])
    highest = marks.groupby(PLACE)["high_watermark"].cummax()
    before = highest.groupby([marks[name] for name in PLACE]).shift()
    first = marks[before.isna() | (highest > before).fillna(value=True)]
    first = first.drop_duplicates([*PLACE, "at_ns"], keep="last")
    seen = {"at_ns": "seen_at_ns", "broker": "seen_by"}
    return first.rename(columns=seen)[[*PLACE, "high_watermark", "seen_by", "seen_at_ns"]]


def highest_before(commits: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Each commit with the highest that had been confirmed strictly before it was asked for."""
    import pandas as pd  # noqa: PLC0415 - see above

    confirmed = commits.sort_values("completed_ns")
    before = confirmed[[*by, "completed_ns"]].rename(columns={"completed_ns": "after_ns"})
    before["after_offset"] = confirmed.groupby(by, sort=False)["offset"].cummax()
    told = commits[[*by, "client", "offset", "invoked_ns"]].sort_values("invoked_ns")
    return pd.merge_asof(
        told, before, left_on="invoked_ns", right_on="after_ns", by=by, allow_exact_matches=False
    )


def incarnations(frames: Mapping[str, pd.DataFrame]) -> list[dict[str, pd.DataFrame]]:
    """What was sampled, apart for each time that a topic was created under its name (KIP-516).

    Rows without a topic id, and tables that have none, stay with the last one; so do all rows of
    topics that were created once.
    """
    if not frames:
        return [{}]
    looks, ends = frames["replica_states"], frames["replica_ends"]
    earlier: list[dict[str, pd.DataFrame]] = []
    for _, mine in looks[looks["topic_id"].notna()].groupby("topic"):
        for topic_id in mine.sort_values("at_ns")["topic_id"].drop_duplicates(keep="last")[:-1]:
            of_it = {name: frame[:0] for name, frame in frames.items()}
            of_it["replica_states"] = looks[(looks["topic_id"] == topic_id).fillna(value=False)]
            earlier.append(of_it)
            looks = looks[(looks["topic_id"] != topic_id).fillna(value=True)]
            ends = ends[(ends["topic_id"] != topic_id).fillna(value=True)]
    return [*earlier, {**frames, "replica_states": looks, "replica_ends": ends}]
