"""What every layer of tests shares."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--run-on-demand", action="store_true", help="also the long tests (make test-all)"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Fast layers first, so that what is cheap to know is known first; faults keep their clusters
    to the end of the session, so nothing comes after them.
    """
    layers = ["unit", "tidy", "model", "checkers", "browser", "cluster", "docker", "faults"]

    def layer(item: pytest.Item) -> int:
        parts = item.path.parts
        return next((rank for rank, name in enumerate(layers) if name in parts), len(layers))

    items.sort(key=layer)
    if not config.getoption("--run-on-demand"):
        skip = pytest.mark.skip(reason="long: runs with --run-on-demand (make test-all)")
        for item in items:
            if "on_demand" in item.keywords:
                item.add_marker(skip)
