"""The KIP-101 runs of kip101.py, as a fixture."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def kip101() -> ModuleType:
    """Test modules do not import one another (importlib mode), so the builder is handed out."""
    spec = importlib.util.spec_from_file_location("kip101", Path(__file__).with_name("kip101.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["kip101"] = module  # its dataclasses look their own module up
    spec.loader.exec_module(module)
    return module
