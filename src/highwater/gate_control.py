"""The gate as its control has it: proxies in front of brokers, and toxics on them."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from highwater.harness.addresses import addresses, written
from highwater.harness.errors import DeadlineError, HighwaterError, UsageError
from highwater.harness.gate.client import GateProcess
from highwater.harness.gate.handle import RuleHandle
from highwater.harness.gate.hub import Event
from highwater.harness.gate.upstream import Upstream
from highwater.harness.lifetime import Lifetime
from highwater.harness.versions.jars import message_jars
from highwater.toxics import described, rule_of

Described = dict[str, Any]
LOCAL = "127.0.0.1"
ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - it is refused
MOST_BROKER = 1 << 30  # numbers of proxies that nobody has given one
OF_FRAMES = ("api", "api_version", "client_id", "correlation_id", "connection", "partitions")


class NotFoundError(HighwaterError):
    """No proxy, or no toxic, has that name."""


@dataclass(slots=True)
class Toxic:
    described: Described
    rule: RuleHandle

    @property
    def told(self) -> Described:
        return {**self.described, "counts": self.rule.counters(), "standing": self.standing}

    @property
    def standing(self) -> list[Described]:
        """The frames that this toxic holds now, in the order in which they came."""
        there: dict[tuple[Any, Any], Event] = {}
        for event in self.rule.events():
            frame = event.get("connection"), event.get("correlation_id")
            if event["event"] == "standing":
                there[frame] = event
            else:
                there.pop(frame, None)
        return [{name: event.get(name) for name in OF_FRAMES} for event in there.values()]


@dataclass(slots=True)
class Proxy:
    name: str
    listen: tuple[str, int]
    upstream: tuple[str, int]
    broker: int
    toxics: dict[str, Toxic] = field(default_factory=dict)

    @property
    def told(self) -> Described:
        return {
            "name": self.name,
            "listen": written(*self.listen),
            "upstream": written(*self.upstream),
            "enabled": True,
            "toxics": [each.told for each in list(self.toxics.values())],
        }


class GateControl(Lifetime):
    """A gate of its own, for the length of a `with`; safe to use from many threads."""

    def __init__(self) -> None:
        super().__init__()
        self.proxies: dict[str, Proxy] = {}
        self.gate = GateProcess()
        self._lock = threading.RLock()
        self._numbers = itertools.count(1)

    def _begin(self) -> None:
        self._ending.enter_context(self.gate)
        self.gate.describe(message_jars())

    def warnings(self) -> list[str]:
        """What is to be seen to: brokers that clients reach past the gate.

        Raises InfrastructureError if the gate has died.
        """
        self.gate.require_alive()
        return [each["text"] for each in self.gate.events() if each["event"] == "warning"]

    def open(self, name: str, upstream: str, listen: str = "", broker: int | None = None) -> Proxy:
        """A port in front of a broker; raises UsageError for a name or a port that is taken."""
        (behind,) = _one(upstream)
        host, port = _host_and_port(listen or f"{LOCAL}:0")
        with self._lock:
            if not name or "/" in name or name in self.proxies:
                raise UsageError(
                    f"proxy {name!r:.60}: expected a name that is free, without a slash"
                )
            number = MOST_BROKER + next(self._numbers) if broker is None else broker
            try:
                bound = self.gate.listen(Upstream(number, *behind), port, host=host)
            except HighwaterError as error:
                raise UsageError(f"cannot listen on {listen}: {error}") from error
            proxy = Proxy(name, (host, bound), behind, number)
            self.gate.readdress({behind: proxy.listen})
            self.proxies[name] = proxy
        return proxy

    def proxy(self, name: str) -> Proxy:
        if name not in self.proxies:
            raise NotFoundError(
                f"no proxy {name!r:.60}; there are {', '.join(self.proxies) or 'none'}"
            )
        return self.proxies[name]

    def toxic(self, proxy: str, name: str) -> Toxic:
        there = self.proxy(proxy).toxics
        if name not in there:
            raise NotFoundError(
                f"no toxic {name!r:.60} on {proxy}; there are {', '.join(there) or 'none'}"
            )
        return there[name]

    def add(self, proxy: str, written: Any) -> Toxic:
        """It is in force when this returns; raises UsageError for what is no toxic."""
        told, where = described(written), self.proxy(proxy)
        rule = rule_of(told, where.broker)
        with self._lock:
            if told["name"] in where.toxics:
                raise UsageError(f"{proxy} has a toxic {told['name']!r:.60} already")
            named = rule.named(f"{proxy}/{told['name']}#{next(self._numbers)}")
            toxic = where.toxics[told["name"]] = Toxic(told, self.gate.add(named))
        return toxic

    def remove(self, proxy: str, name: str, *, discard: bool = False) -> int:
        """It looks at no frame any more; what stands goes on, or is discarded. How many stood."""
        with self._lock:
            toxic = self.toxic(proxy, name)
            frames = toxic.rule.drop() if discard else toxic.rule.pass_on()
            del self.proxy(proxy).toxics[name]
        return frames

    def await_standing(self, proxy: str, name: str, timeout_s: float) -> list[Described]:
        """What stands, as soon as anything does; nothing when the time is up."""
        toxic = self.toxic(proxy, name)
        try:
            toxic.rule.standing(timeout_s)
        except DeadlineError:
            return []
        return toxic.standing

    def reset(self) -> None:
        """Remove every toxic; what stands goes on."""
        with self._lock:
            for proxy in self.proxies.values():
                for name in list(proxy.toxics):
                    self.remove(proxy.name, name)


def _one(upstream: str) -> list[tuple[str, int]]:
    found = addresses(upstream)
    if len(found) != 1:
        raise UsageError(f"a proxy has one broker behind it, not {len(found)}: {upstream!r:.80}")
    return found


def _host_and_port(listen: str) -> tuple[str, int]:
    """Where to listen; port 0 takes a free one. Raises UsageError for what is no address."""
    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) >= 1 << 16:
        raise UsageError(f"expected to listen on HOST:PORT, saw {listen!r:.80}")
    if host.strip("[]") in ANYWHERE:
        raise UsageError(
            f"{listen}: clients are told where the gate listens, and that is no place to go to; "
            "expected the address at which they reach this machine"
        )
    return host.strip("[]"), int(port)


def listed(control: GateControl) -> Mapping[str, Described]:
    return {name: each.told for name, each in list(control.proxies.items())}
