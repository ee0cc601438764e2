"""What is planted in what groups of readers committed and were handed."""

from __future__ import annotations

from tests.garden import Garden


def plant_commit_regression(garden: Garden) -> None:
    """In a group of its own, for what comes after it would have gone back as well."""
    partition, offset = garden.a_partition(), garden.an_offset()
    group = f"group-{garden.new_value()}"
    garden.commit(partition, offset + 1, 100, group)
    garden.commit(partition, offset, 200, group)
    garden.process(partition, 0, garden.per_partition, group)
    garden.expect("commit-regression", partition=partition, group=group, offset=offset)


def plant_committed_beyond_end(garden: Garden) -> None:
    """Of a topic with one record, by a group that had processed it."""
    value = garden.new_value()
    topic, group = f"short-{value}", f"group-{value}"
    _send_and_poll(garden, topic, 0, value)
    garden.promise("feeder", "producer", idempotence=True)
    where = {"topic": topic, "partition": 0}
    end = {"log_start_offset": 0, "log_end_offset": 1, "high_watermark": 1, "leader_epoch": 0}
    leads = {"is_leader": True, "in_isr": True, "settled": True}
    garden.add("replica_ends", **where, **end, **leads, broker=1)
    member = {**where, "group": group, "client": f"{group}-1"}
    done = {"first_offset": 0, "end_offset": 1, "completed_ns": garden.after_ns}
    garden.add("processed", **member, **done)
    times = {"outcome": "ok", "invoked_ns": garden.after_ns, "completed_ns": garden.after_ns + 1}
    garden.add("commits", **member, **times, offset=2)
    garden.expect("committed-beyond-end", **where, group=group, offset=2, log_end_offset=1)


def plant_unprocessed(garden: Garden) -> None:
    """By a group of its own, which processed what lies around it."""
    partition, offset = garden.a_partition(), garden.an_offset(margin=1)
    group = f"group-{garden.new_value()}"
    garden.process(partition, garden.offsets[0], offset, group)
    garden.process(partition, offset + 1, garden.offsets[-1] + 1, group)
    garden.commit(partition, offset + 1, 100, group)
    garden.expect("unprocessed", partition=partition, group=group, offset=offset)


def plant_handed_again(garden: Garden) -> None:
    """To another member of a group of its own, which had processed everything."""
    partition, offset = garden.a_partition(), garden.an_offset()
    group, value = f"group-{garden.new_value()}", garden.value_at(partition, offset)
    later_ns = garden.after_ns + 10
    for moment_ns in (garden.after_ns + 5, later_ns + 5):
        member, times = garden.new_reader(), {"invoked_ns": moment_ns, "completed_ns": moment_ns}
        garden.promise(member, "consumer", group_id=group, began_ns=moment_ns)
        garden.poll(partition, value, offset, client=member, **times)
    garden.process(partition, garden.offsets[0], garden.offsets[-1] + 1, group)
    garden.commit(partition, offset + 1, later_ns, group)
    garden.expect("handed-again", partition=partition, group=group, offset=offset)


def plant_not_exactly_once(garden: Garden) -> None:
    """Of two records of a topic of its own one has two outputs, or none."""
    first, second, *outputs = (garden.new_value() for _ in range(5))
    group, has_none = f"pipeline-{first}", garden.chance.random() < 0.5
    source, sink = f"from-{first}", f"into-{first}"
    made_of = [second] if has_none else [first, first, second]
    for offset, value in enumerate((first, second)):
        _send_and_poll(garden, source, offset, value)
    for offset, (value, one) in enumerate(zip(outputs, made_of, strict=False)):
        _send_and_poll(garden, sink, offset, value, client=group, made_of=one)
    garden.promise(group, "producer", idempotence=True, group_id=group)
    where = {"topic": source, "partition": 0, "group": group, "client": group}
    garden.add("processed", **where, first_offset=0, end_offset=2, completed_ns=garden.after_ns)
    times = {"outcome": "ok", "invoked_ns": garden.after_ns, "completed_ns": garden.after_ns + 1}
    garden.add("commits", **where, **times, offset=2)
    place = {"topic": source, "partition": 0, "offset": 0, "value": first}
    garden.expect("not-exactly-once", **place, group=group, outputs=0 if has_none else 2)


def _send_and_poll(garden: Garden, topic: str, offset: int, value: int, **more: object) -> None:
    garden.send(0, value, topic=topic, offset=offset, **{"client": "feeder", **more})
    garden.poll(0, value, offset, topic=topic, client=f"reader-of-{topic}")


def plant_accepted_again(garden: Garden) -> None:
    """In a group of its own: the second one was handed what the first one had accepted."""
    partition, offset = garden.a_partition(), garden.an_offset(margin=1)
    group = f"group-{garden.new_value()}"
    first, second = f"{group}-1", f"{group}-2"
    for client, at in ((first, offset), (second, offset + 1)):
        garden.share(partition, client, (at, offset + 2), group)
    place = {"client": second, "other": first, "first_offset": offset + 1}
    garden.expect("accepted-again", partition=partition, group=group, **place)


def plant_broken_contract(garden: Garden) -> None:
    """By an application of its own, of three inputs: one anomaly of any kind."""
    name, first = f"application-{garden.new_value()}", garden.an_offset()
    kind = garden.chance.choice(["missing", "too many", "made of nothing", "another key"])
    garden.apply(name, range(first, first + 3))
    lost = {"tells": "output", "contract": name, "identity": f"order {first + 1}"}
    if kind == "missing":
        garden.remove("contracts", **lost)
    elif kind == "another key":
        garden.change("contracts", garden.rows("contracts", **lost), key_hash=-1)
    else:
        of = first + 1 if kind == "too many" else -1
        garden.make(name, of, at=first + 4)
    identity = "order -1" if kind == "made of nothing" else lost["identity"]
    garden.expect("broken-contract", contract=name, identity=identity, problem=kind)


def plant_two_owners(garden: Garden) -> None:
    """In a topic of their own: who was there first finishes what it is at before it hears of it."""
    group, at_ns = f"group-{garden.new_value()}", garden.after_ns
    first, second = f"{group}-1", f"{group}-2"
    where = {"topic": f"owned-by-{group}", "partition": 0, "group": group}
    for client, since_ns, until_ns in (
        (first, at_ns, at_ns + 30),
        (second, at_ns + 10, at_ns + 40),
    ):
        for told_ns, what in ((since_ns, "assigned"), (until_ns, "revoked")):
            garden.add("assignments", **where, client=client, what=what, at_ns=told_ns)
        span = {"first_offset": 0, "end_offset": 1, "completed_ns": at_ns + 20}
        garden.add("processed", **where, **span, client=client)
    garden.expect("two-owners", **where, client=second, other=first, at_ns=at_ns + 10)


def plant_stuck_group(garden: Garden) -> None:
    """Of three records its member was handed one, and another reader all of them, much later."""
    values = [garden.new_value() for _ in range(3)]
    topic, group, other = (f"{what}-{values[0]}" for what in ("stuck", "stuck-group", "reader"))
    since_ns, until_ns = garden.after_ns + 10, garden.after_ns + 60 * 10**9
    for offset, value in enumerate(values):
        garden.send(0, value, topic=topic, offset=offset, client=f"feeder-{group}", invoked_ns=0)
        late = {"invoked_ns": until_ns + 1, "completed_ns": until_ns + 1}
        garden.poll(0, value, offset, topic=topic, client=other, **late)
    garden.poll(0, values[0], 0, topic=topic, client=f"{group}-1")
    garden.promise(f"feeder-{group}", "producer", idempotence=True)
    garden.promise(other, "consumer")
    garden.promise(f"{group}-1", "consumer", group_id=group, began_ns=0)
    where = {"topic": topic, "partition": 0, "group": group}
    garden.add("assignments", **where, client=f"{group}-1", what="assigned", at_ns=0)
    garden.steady[group] = {"since_ns": since_ns, "until_ns": until_ns, "topics": [topic]}
    garden.expect("stuck-group", **where, offset=1, value=values[1], since_ns=since_ns)
