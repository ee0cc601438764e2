"""What tests of a suite measured against a number that they were given: a curve for each Kafka.

A test that `pytest.mark.parametrize` gives 10, 100 and 1,000 partitions is three tests, and what
its author wants to see is one line.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log

from highwater.reports.compared import WORDS, shown
from highwater.reports.suite import SuiteTest

COMPLETE = ("passed", "failed")  # what broke off has measured a part
LEAST_NUMBERS = 3  # fewer are no curve
MOST_SERIES = 6  # of a chart: the first ones; the table has all of them
WIDTH = 420
LEFT, RIGHT, TOP, BOTTOM = 70, 396, 14, 160  # user units
MEASURED_OUT = {  # what the template draws with
    "width": WIDTH, "height": 186, "left": LEFT, "right": RIGHT, "top": TOP, "bottom": BOTTOM,
    "most": MOST_SERIES,
}  # fmt: skip
TICK_DISTANCE = 44
CHARACTER, GAP = 6.5, 6  # of labels
LOGARITHMIC = 20  # from so many times the smallest number on

Number = int | float
Values = Mapping[Number, Sequence[float | None]]  # by number what each trial measured; None: never


@dataclass(frozen=True, slots=True)
class Curve:
    words: str
    kind: int  # from 0 on, by which it is told apart
    points: Sequence[tuple[float, float]]

    @property
    def path(self) -> str:
        return "M" + "L".join(f"{x:g} {y:g}" for x, y in self.points)


@dataclass(frozen=True, slots=True)
class Tick:
    x: float
    label: str

    @property
    def half(self) -> float:
        return len(self.label) * CHARACTER / 2

    @property
    def middle(self) -> float:
        """Of its label, none of which lies beyond the picture's edge."""
        return max(self.half, min(self.x, WIDTH - self.half))

    def has_room_beside(self, other: Tick) -> bool:
        """Whether both can have a label; `other` stands to the right."""
        free = other.middle - self.middle - self.half - other.half
        return other.x - self.x >= TICK_DISTANCE and free >= GAP


@dataclass(frozen=True, slots=True)
class Chart:
    words: str  # of the measure
    most: str  # at its upper edge
    ticks: Sequence[Tick]
    curves: Sequence[Curve]


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the table: a measure of one series, by number."""

    measure: str
    series: str
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure, by series and number."""

    name: str
    values: Mapping[str, Values]

    @property
    def medians(self) -> Mapping[str, Mapping[Number, float]]:
        """Without what was never measured, and series of which nothing was."""
        of = {
            words: {
                number: median
                for number in sorted(values)
                if (median := _median(values[number])) is not None
            }
            for words, values in self.values.items()
        }
        return {words: medians for words, medians in of.items() if medians}

    @property
    def is_a_curve(self) -> bool:
        """Whether some series was measured often enough, and is more than zeros."""
        return any(map(_is_a_curve, self.medians.values()))

    @property
    def is_drawn(self) -> bool:
        """Whether one of those that there is room for is."""
        first = [*self.values][:MOST_SERIES]
        return any(_is_a_curve(self.medians.get(words, {})) for words in first)

    def lines(self, numbers: Sequence[Number]) -> Iterator[Line]:
        for words, values in self.values.items():
            texts = [_text(self.name, values.get(each, ())) for each in numbers]
            yield Line(WORDS[self.name], words, texts)


@dataclass(frozen=True, slots=True)
class Family:
    """Tests that differ in one number."""

    test: str  # without what stands in brackets
    argument: str
    numbers: Sequence[Number]
    series: Sequence[str]
    charts: Sequence[Chart]
    lines: Sequence[Line]


def families(tests: Sequence[SuiteTest]) -> list[Family]:
    """Of each test and number that it was given, where at least LEAST_NUMBERS were measured."""
    functions: dict[str, list[SuiteTest]] = defaultdict(list)
    for test in tests:
        if test.measures and test.outcome in COMPLETE:
            functions[_function(test)].append(test)
    return [
        family
        for function, mine in functions.items()
        for argument in dict.fromkeys(name for test in mine for name in test.arguments)
        for family in _family(function, argument, mine)
    ]


def _function(test: SuiteTest) -> str:
    """A test without what it was given; folders may have brackets of their own."""
    path, colons, name = test.test.partition("::")
    return path + colons + name.partition("[")[0]


def _family(function: str, argument: str, tests: Sequence[SuiteTest]) -> Iterator[Family]:
    by_series: dict[str, list[SuiteTest]] = defaultdict(list)
    for test in tests:
        if _is_number(test.arguments.get(argument)):
            by_series[_series(test, argument)].append(test)
    of = {words: each for words, each in by_series.items() if len(_numbers(each, argument)) > 1}
    numbers = sorted({number for each in of.values() for number in _numbers(each, argument)})
    measures = [
        Measured(name, {words: _values(each, argument, name) for words, each in of.items()})
        for name in WORDS
    ]
    told = [each for each in measures if each.is_a_curve]
    if told:
        charts = [_chart(each, numbers) for each in told if each.is_drawn]
        lines = [line for each in told for line in each.lines(numbers)]
        yield Family(function, argument, numbers, [*of], charts, lines)


def _series(test: SuiteTest, argument: str) -> str:
    """What tests of one line have in common: where they were played, and their other arguments."""
    where = f"Kafka {test.kafka}" if test.kafka else "no Kafka"
    others = [f"{name}={told}" for name, told in test.arguments.items() if name != argument]
    return ", ".join([where, *([test.backend] if test.backend != "process" else []), *others])


def _numbers(tests: Sequence[SuiteTest], argument: str) -> set[Number]:
    return {test.arguments[argument] for test in tests}


def _is_number(told: object) -> bool:
    return isinstance(told, int | float) and not isinstance(told, bool)


def _values(tests: Sequence[SuiteTest], argument: str, name: str) -> Values:
    found: dict[Number, list[float | None]] = defaultdict(list)
    for test in tests:
        if test.measures is not None and name in test.measures:
            found[test.arguments[argument]].append(test.measures[name])
    return found


def _is_a_curve(medians: Mapping[Number, float]) -> bool:
    return len(medians) >= LEAST_NUMBERS and any(medians.values())


def _median(trials: Sequence[float | None]) -> float | None:
    known = [each for each in trials if each is not None]
    return statistics.median(known) if known else None


def _text(name: str, trials: Sequence[float | None]) -> str:
    if not trials:
        return "—"
    median, never = _median(trials), sum(each is None for each in trials)
    said = [] if median is None else [shown(name, median)]
    return "; ".join([*said, *([f"never in {never} of {len(trials)}"] if never else [])])


def _chart(measured: Measured, numbers: Sequence[Number]) -> Chart:
    medians = measured.medians
    drawn = {
        kind: (words, medians[words])
        for kind, words in enumerate([*measured.values][:MOST_SERIES])
        if words in medians
    }
    most = max(each for _, of_one in drawn.values() for each in of_one.values())
    xs = _places(numbers)
    curves = [
        Curve(words, kind, [(xs[number], _y(each, most)) for number, each in of_one.items()])
        for kind, (words, of_one) in drawn.items()
    ]
    return Chart(WORDS[measured.name], shown(measured.name, most), _ticks(xs), curves)


def _ticks(xs: Mapping[Number, float]) -> list[Tick]:
    """The ends, and what there is room for between them."""
    first, *between, last = [Tick(x, _label(number)) for number, x in xs.items()]
    ticks = [first]
    for each in between:
        if ticks[-1].has_room_beside(each) and each.has_room_beside(last):
            ticks.append(each)
    return [*ticks, last]


def _label(number: Number) -> str:
    """Three times 0.1 is 0.3 to whoever reads it."""
    return f"{number:,}" if isinstance(number, int) else f"{number:,.6g}"


def _places(numbers: Sequence[Number]) -> Mapping[Number, float]:
    """From left to right; by ratios where the largest is many times the smallest."""
    low, high = numbers[0], numbers[-1]
    by_ratio = low > 0 and high >= LOGARITHMIC * low
    # Two integers that differ may be one float.
    scale: Callable[[Number], float | Fraction] = log if by_ratio else Fraction
    span = scale(high) - scale(low)
    return {
        each: round(float(LEFT + (RIGHT - LEFT) * (scale(each) - scale(low)) / span), 1)
        for each in numbers
    }


def _y(value: float, most: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * value / most, 1)
