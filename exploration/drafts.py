"""A small schedule as the beginning of a scenario file, in words that scenarios have.

What nobody but a person can write is left to one, and says FINISH.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from textwrap import indent
from typing import Any

from highwater.exploration.ground import QUORUM, WITHHELD
from highwater.exploration.moves import Lead, Mute, Release, Shrink
from highwater.exploration.neighbours import LeadBeside, has_neighbour
from highwater.exploration.searched import SEARCHED
from highwater.exploration.steps import FEATURES, Move, Schedule, Taken
from highwater.exploration.terrain import NEIGHBOUR
from highwater.exploration.words import ACTS, FAULTS, OF_VOTERS, OPENED, WORDS
from highwater.harness.versions.catalogue import find_kafka

CLAIMS = ("lost-write",)  # where a schedule names none
NAMES = ("one", "two", "three")  # of the replicas of a search
HEAD = '''"""FINISH: {claims} on Kafka {kafka}, in a line."""

{imports}

@scenario(
    source="FINISH: the KIP, the ticket, or the place in Kafka's source",
    reproduces="=={version}",
    claims={claims_tuple},
{setting})
def {function}(play: Play, partition: Partition) -> None:
    """FINISH: what is lost, in a line.

    FINISH: why. Found by chance: {told}.
    """
{body}'''


def draft(name: str, schedule: Schedule) -> str:
    """The text of a module of `scenarios/`; what was seen after each step is asserted.

    Whatever a schedule tells stands in it as text, and ends no string, comment or line. Raises
    UsageError for a Kafka that nobody knows, LookupError or ValueError for steps without words.
    """
    kafka = find_kafka(schedule.kafka)
    setting = SEARCHED if schedule.setting is None else schedule.setting
    roles = dict(enumerate(NAMES[: setting.get("replicas", len(NAMES))], start=1))
    named = ", ".join(roles.values())
    lines = [f"{named if len(roles) > 1 else f'({named},)'} = partition.replicas"]
    is_seen = any(each.seen.get("beside") for each in schedule.steps)
    if is_seen or has_neighbour(each.step for each in schedule.steps):
        many = f"replicas={setting['replicas']}, " if "replicas" in setting else ""
        told = f"{many}settings={_topic_settings(setting)}"
        lines.append(f"beside = play.topic({_literal(NEIGHBOUR)}, {told})[0]")
    for number, taken in enumerate(schedule.steps):
        rest = [each.step.move for each in schedule.steps[number + 1 :]]
        lines += _lines(taken, roles, rest)
    lines = [*_of_opened(lines)]
    body = "\n".join([_nameless(each, lines) for each in lines]) + "\nplay.heal()\n"
    claims = schedule.claims or CLAIMS
    return HEAD.format(
        claims=_quoted(" and ".join(claims)),
        kafka=kafka.name,
        imports=_imports(body),
        version=kafka.version,
        claims_tuple=f"({', '.join(map(_literal, claims))},)",
        setting="".join(_setting(name, value) for name, value in setting.items()),
        function=_function(name),
        told=_quoted(schedule.told or "nothing was told"),
        body=indent(body, "    "),
    )


def _function(name: str) -> str:
    """A name that Python takes."""
    told = re.sub(r"[^a-z0-9_]+", "_", name.lower())
    return told if told.isidentifier() and not keyword.iskeyword(told) else f"found_{told}"


def _in_a_line(text: str) -> str:
    """What shows as nothing, or ends a line, is spelled as Python does."""
    spelled = (each if each.isprintable() else ascii(each)[1:-1] for each in text)
    return "".join(spelled)


def _quoted(text: str) -> str:
    """As it stands between quotes, one or three, and means what it says."""
    return _in_a_line(text.replace("\\", r"\\").replace('"', r"\""))


def _literal(text: str) -> str:
    return f'"{_quoted(text)}"'


def _nameless(line: str, lines: Sequence[str]) -> str:
    """Without a name for what no later line speaks of."""
    named = re.match(r"(\w+) = (?=play\.)", line)
    if not named or any(re.search(rf"\({named[1]}\)|^{named[1]}\.", other) for other in lines):
        return line
    return line[named.end() :]


def _of_opened(lines: Sequence[str]) -> Iterator[str]:
    """As a play leaves it out, so does a draft: the end of what nothing before has opened."""
    opened: set[str] = set()
    for line in lines:
        named = re.match(r"(\w+) = play\.", line)
        ended = re.fullmatch(r"play\.heal\((\w+)\)|(\w+)\.rule\.pass_on\(\)", line)
        if named:
            opened.add(named[1])
        if ended is None or (ended[1] or ended[2]) in opened:
            yield line


def _setting(name: str, value: Any) -> str:
    """A line of the decorator; what a scenario cannot say is left to a person."""
    if name == FEATURES:
        return f"    # FINISH: formatted with {_in_a_line(str(value))}\n"
    return f"    {name}={_told(value)},\n"


def _told(value: Any) -> str:
    """A field of a scenario: settings, those of single brokers, or a plain word or number."""
    if not isinstance(value, Mapping):
        return repr(value)
    if any(isinstance(each, Mapping) for each in value.values()):
        return (
            "{" + ", ".join(f"{broker}: {_mapping(each)}" for broker, each in value.items()) + "}"
        )
    return _mapping(value)


def _mapping(settings: Mapping[str, str]) -> str:
    """In a line where there is one setting, in a line for each where there are more."""
    told = [f"{_literal(name)}: {_literal(value)}" for name, value in settings.items()]
    if len(told) == 1:
        return f"{{{told[0]}}}"
    return "{\n" + "".join(f"        {each},\n" for each in told) + "    }"


def _imports(body: str) -> str:
    faults = [
        f"from highwater.faults.{module} import {name}"
        for name, module in sorted(FAULTS.items(), key=lambda each: each[1])
        if f"{name}(" in body
    ]
    acks = "Acks." in body
    words = [
        "from highwater.harness.partition import Partition",
        "from highwater.harness.play import Play",
        "from highwater.harness.scenario import scenario",
    ]
    if acks:
        words.append("from highwater.harness.workloads.requests import Acks")
    words += sorted(line for word, line in ACTS.items() if word in body)
    return "\n".join([*faults, *words, ""])


def _lines(taken: Taken, roles: Mapping[int, str], rest: Sequence[Move]) -> Iterator[str]:
    """What does the step, and what is waited for after it."""
    move = taken.step.move
    role = {QUORUM: "quorum", **roles}.get(getattr(move, "broker", QUORUM), "")
    others = [each for each in roles.values() if each != role]
    told = {
        **{name: _in_a_line(str(value)) for name, value in asdict(move).items()},
        "role": role,
        "order": ", ".join([role, *others]),
        "members": ", ".join([role, *others]) + "," * (not others),
        "others": ", ".join(others) + "," * (len(others) == 1),
        "more": ", Acks.ONE" if getattr(move, "acks", "all") == "1" else "",
        "delivers": _delivers(move, rest),
        "ends": "commit" if getattr(move, "commit", False) else "abort",
    }
    _require_words(move, roles)
    if isinstance(move, Release) and move.of == WITHHELD:
        yield f"{WITHHELD}_{role}.rule.pass_on()"  # healing drops what stands
    if WORDS[move.name]:
        yield WORDS[move.name].format_map(told)
    if taken.step.waits:
        yield from _shows(taken, role, roles)


def _require_words(move: Move, roles: Mapping[int, str]) -> None:
    """Raises LookupError for what is about nothing that a scenario has a name for."""
    of_voters = isinstance(move, Release) and move.of in OF_VOTERS and move.broker == QUORUM
    if not of_voters and getattr(move, "broker", min(roles)) not in roles:
        raise LookupError(f"{move} is about no broker of {sorted(roles)}")
    if isinstance(move, Release) and move.of not in OPENED:
        raise LookupError(f"{move} is about nothing of {sorted(OPENED)}")


def _delivers(mute: Move, rest: Sequence[Move]) -> bool:
    """What its release, if there is one, does with what stands at the gate."""
    if not isinstance(mute, Mute):
        return False
    broker = mute.broker
    ends = [each for each in rest if isinstance(each, Release) and each.of == Mute.name]
    return any(each.deliver for each in [each for each in ends if each.broker == broker][:1])


def _shows(taken: Taken, role: str, roles: Mapping[int, str]) -> Iterator[str]:
    seen, move = taken.seen, taken.step.move
    if isinstance(move, Lead):
        yield f"{_partition(move)}.await_leader({role})"
    if isinstance(move, Shrink) and seen.get("isr"):
        yield f"partition.await_isr({', '.join(roles[each] for each in seen['isr'])})"
    for name, own in (("partition", seen), ("beside", seen.get("beside"))):
        if own:
            yield f"{name}.await_offsets("
            yield f"    {_literal(f'as after {taken.step}')},"
            yield f"    ends={_offsets(own.get('log_end_offsets', {}), roles)},"
            yield f"    high_watermarks={_offsets(own['high_watermarks'], roles)},"
            yield ")"


def _partition(move: Lead) -> str:
    return "beside" if isinstance(move, LeadBeside) else "partition"


def _topic_settings(setting: Mapping[str, Any]) -> str:
    """In a line."""
    told = setting.get("topic_settings", {}).items()
    return "{" + ", ".join(f"{_literal(name)}: {_literal(value)}" for name, value in told) + "}"


def _offsets(offsets: Mapping[str, Any], roles: Mapping[int, str]) -> str:
    known = {each: offset for each, offset in offsets.items() if offset is not None}
    if odd := [offset for offset in known.values() if type(offset) is not int]:
        raise ValueError(f"{odd[0]!r:.80} is no offset")
    told = [f"{roles[int(each)]}: {offset}" for each, offset in known.items()]
    return "{" + ", ".join(told) + "}"
