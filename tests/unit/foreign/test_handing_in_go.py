"""A library that reads each partition by itself: its records are handed out as they come."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[3] / "adapters" / "go"
MODULE = f"""module handing
go 1.23
require highwater/talk v0.0.0
replace highwater/talk => {SHARED}
"""
PROGRAM = """
package main

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"highwater/talk"
)

func main() {
	handing, wait := make(talk.Handing), 10*time.Second
	lives, end := context.WithCancel(context.Background())
	put := func(first, count int64) {
		for offset := first; offset < first+count; offset++ {
			handing.Put(lives, talk.Handed{Offset: offset})
		}
	}
	began := time.Now()
	go put(7, 1)
	alone := handing.Poll(wait, 500)
	took := time.Since(began)
	go put(8, 300)
	together := handing.Poll(wait, 500)
	go put(308, 600)
	most := handing.Poll(wait, 500)
	nothing := handing.Poll(time.Millisecond, 0)
	end()
	json.NewEncoder(os.Stdout).Encode(map[string]any{"alone": len(alone), "took_s": took.Seconds(),
		"together": len(together), "first": together[0].Offset, "most": len(most),
		"nothing": len(nothing)})
}
"""


@pytest.fixture(scope="module")
def handed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if shutil.which("go") is None:
        pytest.skip("there is no Go here")
    place = tmp_path_factory.mktemp("handing")
    (place / "go.mod").write_text(MODULE)
    (place / "main.go").write_text(PROGRAM)
    offline = {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
    done = subprocess.run(
        ["go", "-C", str(place), "run", "."], capture_output=True, check=False, env=offline
    )
    assert done.returncode == 0, done.stderr.decode()
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_a_record_is_handed_out_when_it_comes_and_waits_for_no_others(
    handed: dict[str, Any],
) -> None:
    assert handed["alone"] == 1
    assert handed["took_s"] < 5  # of the ten seconds that somebody would wait for one


def test_what_comes_together_is_handed_out_together_and_never_too_much(
    handed: dict[str, Any],
) -> None:
    assert handed["together"] > 1
    assert handed["first"] == 8
    assert handed["most"] <= 500
    assert handed["nothing"] == 0
