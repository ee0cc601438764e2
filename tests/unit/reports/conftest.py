"""Builders of what the report reads, as fixtures."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def kip101() -> ModuleType:
    """The KIP-101 runs of kip101.py."""
    return _loaded("kip101")


@pytest.fixture(scope="session")
def suites() -> ModuleType:
    """The suites of suites.py."""
    return _loaded("suites")


def _loaded(name: str) -> ModuleType:
    """Test modules do not import one another (importlib mode), so builders are handed out."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # its dataclasses look their own module up
    spec.loader.exec_module(module)
    return module
