"""What a producer may be set to: what its library, or Kafka, would refuse later is refused before.

The bounds are librdkafka's own, for a library that refuses its settings ends its process, and says
so to nobody but a log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from highwater.harness.errors import UsageError
from highwater.harness.workloads.keys import BY_KEY, CHOICES, WAYS

ALL = "all"
ACKS = {ALL: ALL, "-1": ALL, "1": "1", "0": "0"}  # Kafka's words, and ours for the same
COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
MOST_IN_FLIGHT = 5  # of an idempotent producer
MOST_BYTES = 1_000_000_000
MOST_RETRIES = (1 << 31) - 1
LONGEST_S = 86_400  # that somebody waits


class Form(NamedTuple):
    words: str
    fits: Callable[[Any], bool]


def _whole(least: int, most: int) -> Form:
    return Form(
        f"a whole number from {least:,} to {most:,}",
        lambda told: type(told) is int and least <= told <= most,
    )


def _number(least: float, most: float, unit: str) -> Form:
    return Form(
        f"{least:,} to {most:,} {unit}",
        lambda told: type(told) in (int, float) and least <= told <= most,
    )


def _or_none(form: Form) -> Form:
    return Form(f"{form.words}, or None", lambda told: told is None or form.fits(told))


def _one_of(*names: str) -> Form:
    shown = ", ".join(map(repr, names))
    return Form(f"one of {shown}", lambda told: isinstance(told, str) and told in names)


FORMS: Mapping[str, Form] = {
    "acks": _one_of(*ACKS),
    "idempotence": Form("True, False or None", lambda told: told is None or type(told) is bool),
    "retries": _whole(0, MOST_RETRIES),
    "linger_ms": _number(0, 900_000, "milliseconds"),
    "batch_records": _whole(1, 1_000_000),
    "compression": _one_of(*COMPRESSIONS),
    "delivery_timeout_s": _number(0.1, 300, "seconds"),
    "request_timeout_s": _or_none(_number(0.1, 300, "seconds")),
    "size_bytes": _whole(1, MOST_BYTES),
    "batch_bytes": _whole(1, MOST_RETRIES),
    "request_bytes": _whole(1_000, MOST_BYTES),
    "in_flight": _whole(1, 1_000_000),
    "transaction_timeout_s": _number(1, 900, "seconds"),  # transaction.max.timeout.ms of brokers
    "key_choice": _one_of(*CHOICES),
    "partition_by": _one_of(*WAYS),
    "unanswered": Form(
        "None or a whole number from 1 to 1,000,000",
        lambda told: told is None or (type(told) is int and 1 <= told <= 1_000_000),
    ),
}


def refuse_settings(told: Mapping[str, Any], *, knows_idempotence: bool) -> None:
    """Raises UsageError for what no producer can be set to."""
    for name, form in FORMS.items():
        if not form.fits(told[name]):
            raise UsageError(f"expected {name} to be {form.words}, saw {told[name]!r:.120}")
    if told["linger_ms"] >= told["delivery_timeout_s"] * 1000:
        raise UsageError(
            f"expected a delivery_timeout_s above {told['linger_ms'] / 1000:g} s, for which a "
            f"batch waits (linger_ms), saw {told['delivery_timeout_s']!r}"
        )
    if told["partition_by"] == BY_KEY and not told["keys"]:
        raise UsageError(f"expected partition_by={BY_KEY!r} with keys=1 or more, saw keys=0")
    _refuse_patience(told)
    if told["idempotence"]:
        _refuse_idempotence(told, knows_idempotence=knows_idempotence)


def _refuse_patience(told: Mapping[str, Any]) -> None:
    """A delivery has room for one request, and for the wait before it, as Java's client has it."""
    least_s = (told["request_timeout_s"] or 0) + told["linger_ms"] / 1000
    if least_s > told["delivery_timeout_s"]:
        raise UsageError(
            f"expected a delivery_timeout_s of {least_s:g} s or more, for a request "
            "(request_timeout_s) and the wait for its batch (linger_ms), saw "
            f"{told['delivery_timeout_s']!r}"
        )


def can_be_idempotent(told: Mapping[str, Any]) -> bool:
    acks, retries, in_flight = told["acks"], told["retries"], told["in_flight"]
    return ACKS[acks] == ALL and retries > 0 and in_flight <= MOST_IN_FLIGHT


def _refuse_idempotence(told: Mapping[str, Any], *, knows_idempotence: bool) -> None:
    if not knows_idempotence:
        raise UsageError(
            "expected Kafka 0.11 or newer (KIP-98) or idempotence to be None or False, saw True"
        )
    if not can_be_idempotent(told):
        raise UsageError(
            f"expected a producer with idempotence=True to have acks={ALL!r}, retries, and at most "
            f"{MOST_IN_FLIGHT} in_flight, saw acks={told['acks']!r}, retries={told['retries']} and "
            f"in_flight={told['in_flight']}"
        )


def require_send(count: object, to: object, brokers: Sequence[int]) -> None:
    """Raises UsageError for no number of records, and for who is no broker; None: any of them."""
    if not FORMS["batch_bytes"].fits(count):
        raise UsageError(f"expected a number of records from 1 on, saw {count!r:.120}")
    if to is not None and (type(to) is not int or to not in brokers):
        raise UsageError(f"expected one of the brokers {tuple(brokers)}, saw {to!r:.120}")


def require_brokers(asked: Sequence[object], known: Sequence[int]) -> None:
    """Raises UsageError for none, for one that is named twice, and for who is no broker."""
    numbers = {each for each in asked if type(each) is int}  # True is no broker
    if not asked or len(numbers) < len(asked) or not numbers <= {*known}:
        raise UsageError(
            f"expected some of the brokers {tuple(known)}, each once, saw {tuple(asked)!r:.120}"
        )


def require_timeout(timeout_s: object) -> None:
    """Raises UsageError for no time that somebody can wait."""
    is_number = type(timeout_s) in (int, float)
    if not is_number or not 0 < timeout_s <= LONGEST_S:  # type: ignore[operator]
        raise UsageError(f"expected a timeout_s above 0, saw {timeout_s!r:.120}")


def require_wait(records: object, timeout_s: object) -> None:
    """Raises UsageError for no number of records that somebody can wait for, and for no time.

    None more, and fewer than none, are there already: who wants ten in all says 10 - handed.
    """
    if type(records) is not int:
        raise UsageError(f"expected a whole number of records, saw {records!r:.120}")
    require_timeout(timeout_s)
