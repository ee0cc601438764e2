"""The gate as its control has it: proxies in front of brokers, and toxics on them."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Mapping, Sequence
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
from highwater.toxics import changed, described, rule_of

Described = dict[str, Any]
LOCAL = "127.0.0.1"
ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - it is refused
KINDS = {"name": str, "upstream": str, "listen": str, "enabled": bool}  # of a proxy
MOST_BROKER = 1 << 30  # numbers of proxies that nobody has given one
OF_FRAMES = ("api", "api_version", "client_id", "correlation_id", "connection", "partitions")


class NotFoundError(HighwaterError):
    """No proxy, or no toxic, has that name."""


class TakenError(UsageError):
    """There is a proxy, or a toxic, of that name already."""


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
    enabled: bool = True  # it listens
    toxics: dict[str, Toxic] = field(default_factory=dict)

    @property
    def told(self) -> Described:
        return {
            "name": self.name,
            "listen": written(*self.listen),
            "upstream": written(*self.upstream),
            "enabled": self.enabled,
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
        behind, at = _one(upstream), _host_and_port(listen or f"{LOCAL}:0")
        with self._lock:
            if name in self.proxies:
                raise TakenError(f"proxy {name!r:.60}: expected a name that is free")
            if not name or "/" in name:
                raise UsageError(f"proxy {name!r:.60}: expected a name, without a slash")
            number = MOST_BROKER + next(self._numbers) if broker is None else broker
            proxy = Proxy(name, at, behind, number, enabled=False)
            self._enable(proxy)
            self.proxies[name] = proxy
        return proxy

    def _enable(self, proxy: Proxy) -> None:
        if proxy.enabled:
            return
        host, port = proxy.listen
        try:
            bound = self.gate.listen(Upstream(proxy.broker, *proxy.upstream), port, host=host)
        except HighwaterError as error:
            raise UsageError(f"cannot listen on {written(host, port)}: {error}") from error
        proxy.listen, proxy.enabled = (host, bound), True
        self.gate.readdress({proxy.upstream: proxy.listen})

    def _disable(self, proxy: Proxy) -> None:
        """Who connects is refused, and who had is cut off; clients are sent there all the same."""
        if proxy.enabled:
            self.gate.shut(*proxy.listen)
            proxy.enabled = False

    def change(self, name: str, told: Mapping[str, Any]) -> Proxy:
        """Another place to listen at, another broker behind it, or whether it listens at all.

        What is not told stays. One that is moved and cannot listen there listens no more. Raises
        UsageError for a place that is taken or is none.
        """
        with self._lock:
            proxy = self.proxy(name)
            listen = _host_and_port(told.get("listen") or written(*proxy.listen))
            if listen == (proxy.listen[0], 0):  # any port: the one that it has
                listen = proxy.listen
            behind = _one(told["upstream"]) if told.get("upstream") else proxy.upstream
            enabled = told.get("enabled", proxy.enabled)
            if (listen, behind) != (proxy.listen, proxy.upstream):
                self._disable(proxy)
                self._leave(proxy)
                proxy.listen, proxy.upstream = listen, behind
                if not self._others(proxy):  # else clients go past one that does not listen
                    self.gate.readdress({behind: listen})
            (self._enable if enabled else self._disable)(proxy)
        return proxy

    def _leave(self, proxy: Proxy) -> None:
        """Clients are no more sent to this proxy, unless another one stands at the same broker."""
        there = {each.upstream: each.listen for each in self._others(proxy)}
        self.gate.readdress(there, [] if there else [proxy.upstream])

    def _others(self, proxy: Proxy) -> list[Proxy]:
        """In front of the same broker; those that listen come last."""
        others = (each for each in self.proxies.values() if each is not proxy)
        there = (each for each in others if each.upstream == proxy.upstream)
        return sorted(there, key=lambda each: each.enabled)

    def close(self, name: str) -> None:
        """Remove a proxy with its toxics; what stands is gone with its connection."""
        with self._lock:
            proxy = self.proxy(name)
            self._disable(proxy)
            for toxic in list(proxy.toxics):
                self.remove(name, toxic)
            self._leave(proxy)
            del self.proxies[name]

    def populate(self, wanted: Sequence[Mapping[str, Any]]) -> list[Proxy]:
        """These proxies are there afterwards, as they are told; those that are so already are kept.

        Raises UsageError for the first that cannot be: those before it are there.
        """
        with self._lock:
            return [self._populated(each) for each in wanted]

    def _populated(self, told: Mapping[str, Any]) -> Proxy:
        name, enabled = told["name"], told.get("enabled", True)
        if name in self.proxies:
            return self.change(name, {**told, "enabled": enabled})
        proxy = self.open(name, told["upstream"], told.get("listen") or "")
        return proxy if enabled else self.change(name, {"enabled": False})

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
        told = described(written)
        with self._lock:
            where = self.proxy(proxy)
            rule = rule_of(told, where.broker)
            if told["name"] in where.toxics:
                raise TakenError(f"{proxy} has a toxic {told['name']!r:.60} already")
            named = rule.named(f"{proxy}/{told['name']}#{next(self._numbers)}")
            toxic = where.toxics[told["name"]] = Toxic(told, self.gate.add(named))
        return toxic

    def change_toxic(self, proxy: str, name: str, told: Any) -> Toxic:
        """Other attributes, or another toxicity; what is not told stays. It counts anew.

        What stands goes on. Raises UsageError, and leaves it as it was, for what is no toxic.
        """
        with self._lock:
            before = self.toxic(proxy, name).described
            now = changed(before, told)
            rule_of(now, self.proxy(proxy).broker)
            self.remove(proxy, name)
            return self.add(proxy, now)

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
        """Remove every toxic, where what stands goes on, and enable every proxy.

        Raises UsageError for those that cannot listen, when all others do.
        """
        mistakes = []
        with self._lock:
            for proxy in self.proxies.values():
                for name in list(proxy.toxics):
                    self.remove(proxy.name, name)
            for proxy in self.proxies.values():
                try:
                    self._enable(proxy)
                except UsageError as error:
                    mistakes.append(str(error))
        if mistakes:
            raise UsageError("; ".join(mistakes))


def proxy_told(body: Any, *, is_new: bool) -> Described:
    """What is told of a proxy, without what is left to us; raises UsageError for what is none."""
    said = body if isinstance(body, Mapping) else {}
    told = {name: said[name] for name in KINDS if said.get(name) not in (None, "")}
    if said is not body or (is_new and not isinstance(told.get("upstream"), str)):
        raise UsageError('expected a proxy such as {"name": "one", "upstream": "HOST:PORT"}')
    for name, value in told.items():
        if not isinstance(value, kind := KINDS[name]):
            raise UsageError(f"{name} is {value!r:.60}; expected {kind.__name__}")
    return {"name": "", **told} if is_new else told


def _one(upstream: str) -> tuple[str, int]:
    found = addresses(upstream)
    if len(found) != 1:
        raise UsageError(f"a proxy has one broker behind it, not {len(found)}: {upstream!r:.80}")
    return found[0]


def _host_and_port(listen: str) -> tuple[str, int]:
    """Where to listen; port 0 takes a free one. Raises UsageError for what is no address."""
    host, _, port = listen.rpartition(":")
    if not host or not re.fullmatch("[0-9]{1,5}", port) or int(port) >= 1 << 16:
        raise UsageError(f"expected to listen on HOST:PORT, saw {listen!r:.80}")
    if host.strip("[]") in ANYWHERE:
        raise UsageError(
            f"{listen}: clients are told where the gate listens, and that is no place to go to; "
            "expected the address at which they reach this machine"
        )
    return host.strip("[]"), int(port)


def listed(control: GateControl) -> Mapping[str, Described]:
    return {name: each.told for name, each in list(control.proxies.items())}
