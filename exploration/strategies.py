"""The strategies of a search, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from highwater.exploration.choosing import Guided, Strategy, Uniform
from highwater.exploration.mixing import Mixed
from highwater.exploration.nemesis import Nemesis

STRATEGIES: Mapping[str, Callable[[Mapping[str, float]], Strategy]] = {
    "guided": Guided,
    "uniform": Uniform,
    "nemesis": Nemesis,
    "mixed": Mixed,
}
