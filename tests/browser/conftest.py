"""A real Chromium, and the builders of what a report is made from."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

BUILDERS = Path(__file__).parents[1] / "unit" / "reports"
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pictures", "of a report, for the documentation")
    group.addoption("--pictures", metavar="DIR", type=Path, help="where they are kept")
    group.addoption(
        "--pictured",
        metavar="DIR",
        type=Path,
        help="of `highwater compare -s kip101-loss-strict -k 0.10.2.2 -k 0.11.0.3 --out DIR`",
    )
    group.addoption(
        "--curved",
        metavar="DIR",
        type=Path,
        help="of a suite whose tests were given numbers (docs/chaos-tests.md)",
    )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        if "chromium" in os.environ.get("HIGHWATER_REQUIRE", "").split(","):
            pytest.fail("HIGHWATER_REQUIRE names chromium, and there is no `chromium` on PATH")
        pytest.skip("no `chromium` on PATH")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def kip101() -> ModuleType:
    return _loaded("kip101")


@pytest.fixture(scope="session")
def suites() -> ModuleType:
    return _loaded("suites")


def _loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BUILDERS / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
