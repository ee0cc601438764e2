"""Toxics: what a rule of the gate is called where it is told by HTTP, in Toxiproxy's shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from highwater.harness.errors import UsageError
from highwater.harness.gate.messages.answerable import (
    ASKED,
    NAMED,
    api_named,
    asked_named,
    error_named,
    refuse_places,
)
from highwater.harness.gate.rules import Action, Match, MatchStage, Rule, Trigger

Json = Mapping[str, Any]

STREAMS: Mapping[str, MatchStage] = {"upstream": "request", "downstream": "response"}
TYPES = ("hold", "drop", "delay", "limit", "cut", "watch", "answer", "stall")
MEANT = {"api", "client_id", "topic", "partition", "nth", "times", "seed"}
OF_TYPES = {
    "hold": {"after_close"},
    "delay": {"delay_ms"},
    "limit": {"bytes_per_s"},
    "answer": {"error"},
}
BOUNDS = {"delay_ms": (0.001, 86_400_000), "bytes_per_s": (1, 1_000_000_000_000)}
FIELDS = {"name", "type", "stream", "toxicity", "attributes"}


def described(written: Any) -> dict[str, Any]:
    """A toxic with everything that Toxiproxy adds by itself; raises UsageError for what is none."""
    if not isinstance(written, Mapping):
        raise UsageError(f"expected a toxic as a JSON object, saw {written!r:.80}")
    _refuse_others("a toxic", written, FIELDS)
    kind, stream = written.get("type"), written.get("stream") or "downstream"
    if kind not in TYPES:
        raise UsageError(f"type {kind!r:.60}: expected one of {', '.join(TYPES)}")
    if not isinstance(stream, str) or stream not in STREAMS:
        raise UsageError(f"stream {stream!r:.60}: expected one of {', '.join(STREAMS)}")
    name = written.get("name") or f"{kind}_{stream}"
    _require(isinstance(name, str) and "/" not in name, "name", name, "a text without a slash")
    toxicity = 1.0 if written.get("toxicity") is None else written["toxicity"]
    _require(_is_number(toxicity) and 0 <= toxicity <= 1, "toxicity", toxicity, "0 to 1")
    attributes = written.get("attributes") or {}
    _require(isinstance(attributes, Mapping), "attributes", attributes, "an object")
    _refuse_others(f"a toxic of type {kind}", attributes, MEANT | OF_TYPES.get(kind, set()))
    return {
        "name": name,
        "type": kind,
        "stream": stream,
        "toxicity": float(toxicity),
        "attributes": dict(attributes),
    }


def changed(toxic: Json, written: Any) -> dict[str, Any]:
    """The toxic with what is told anew; an attribute that is told as null is taken away.

    Raises UsageError for what is no toxic, and for another name, type or stream.
    """
    if not isinstance(written, Mapping):
        raise UsageError(f"expected what changes of a toxic as a JSON object, saw {written!r:.80}")
    for name in ("name", "type", "stream"):
        if written.get(name, toxic[name]) != toxic[name]:
            raise UsageError(f"the {name} of a toxic stays; remove it, and add another one")
    told = written.get("attributes") or {}
    _require(isinstance(told, Mapping), "attributes", told, "an object")
    attributes = {
        name: value for name, value in {**toxic["attributes"], **told}.items() if value is not None
    }
    return described({**toxic, **written, "attributes": attributes})


def rule_of(toxic: Json, broker: int) -> Rule:
    """For the frames of one broker; raises UsageError for attributes that say nothing."""
    told, stage = toxic["attributes"], STREAMS[toxic["stream"]]
    apis = _apis(told.get("api"))
    action = _action(toxic, apis)
    for name in ("client_id", "topic"):
        _require(
            told.get(name) is None or isinstance(told[name], str), name, told.get(name), "text"
        )
    partition = told.get("partition")
    _require(partition is None or _is_count(partition, 0), "partition", partition, "0 or more")
    match = Match(
        stage=stage,
        apis=apis,
        leader=broker,
        client_id=told.get("client_id"),
        topic=told.get("topic"),
        partition=partition,
    )
    is_known = told.get("topic") is None and partition is None
    _require(is_known or toxic["type"] != "stall", "type", "stall", "no topic or partition with it")
    return Rule(match, action, _trigger(toxic))


def _apis(told: Any) -> tuple[int, ...] | None:
    """Names that Kafka has for them, or their numbers."""
    if told is None:
        return None
    several = told if isinstance(told, list) else [told]
    _require(bool(several), "api", told, "a name such as Produce, or several in a list")
    return tuple(each if _is_count(each, 0) else _api(each) for each in several)


def _api(name: Any) -> int:
    _require(isinstance(name, str), "api", name, "a name such as Produce, or its number")
    return asked_named(name)


def _action(toxic: Json, apis: tuple[int, ...] | None) -> Action:
    kind, told = toxic["type"], toxic["attributes"]
    if kind == "answer":
        return Action(kind, error=_error(toxic, apis))
    for name, (least, most) in BOUNDS.items():
        if name in OF_TYPES.get(kind, ()):
            value = told.get(name)
            _require(
                _is_number(value) and least <= value <= most, name, value, f"{least} to {most}"
            )
    kept = told.get("after_close", False)
    _require(isinstance(kept, bool), "after_close", kept, "true or false")
    return Action(
        kind,
        delay_ms=float(told.get("delay_ms", 0)),
        bytes_per_s=float(told.get("bytes_per_s", 0)),
        keep_after_close=kept,
    )


def _error(toxic: Json, apis: tuple[int, ...] | None) -> int:
    """That one api is answered with; no play is judged by it, so that it may be any lie."""
    done, error = toxic["stream"] == "downstream", toxic["attributes"].get("error")
    _require(isinstance(error, str), "error", error, "a name such as NOT_LEADER_OR_FOLLOWER")
    code = error_named(error)
    for each in apis or ():
        names = [name for name, key in NAMED.items() if key == each]
        told = next((name for name, key in ASKED.items() if key == each), each)
        _require(bool(names), "api", told, f"one of {', '.join(NAMED)}")
        api_named(names[0], done=done)
        if any(toxic["attributes"].get(name) is not None for name in ("topic", "partition")):
            refuse_places(names[0])
    _require(bool(apis), "api", apis, "the api whose requests are answered")
    return code


def _trigger(toxic: Json) -> Trigger:
    told, toxicity = toxic["attributes"], toxic["toxicity"]
    given = [name for name in ("nth", "times") if told.get(name) is not None]
    if len(given) + (toxicity < 1) > 1:
        raise UsageError("nth, times and a toxicity below 1 exclude one another")
    for name in given:
        _require(_is_count(told[name], 1), name, told[name], "1 or more")
        return Trigger("nth" if name == "nth" else "times", n=told[name])
    seed = told.get("seed", 0)
    _require(_is_count(seed, 0), "seed", seed, "0 or more")
    return Trigger("chance", chance=toxicity, seed=seed) if toxicity < 1 else Trigger()


def _refuse_others(what: str, written: Json, known: set[str]) -> None:
    others = sorted({*written} - known)
    if others:
        raise UsageError(f"{what} has no {others[0]!r:.60}; it has {', '.join(sorted(known))}")


def _require(fact: bool, name: str, value: Any, expected: str) -> None:
    if not fact:
        raise UsageError(f"{name} is {value!r:.80}; expected {expected}")


def _is_number(value: Any) -> bool:
    return type(value) in {int, float}


def _is_count(value: Any, least: int) -> bool:
    return type(value) is int and value >= least
