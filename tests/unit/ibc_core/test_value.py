"""`@value`: records that compare and hash by content, frozen at run time where asked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ibc_core.value import value

SOURCE = """
from dataclasses import FrozenInstanceError
from ibc_core.channel.types import ChannelCounterparty
one = ChannelCounterparty("a", "b")
assert hash(one) == hash(ChannelCounterparty("a", "b"))
try:
    one.port_id = "x"
except FrozenInstanceError:
    print("frozen")
else:
    print("open")
"""


@value
class Pair:
    left: int
    right: str


def test_content_decides():
    assert Pair(1, "a") == Pair(1, "a")
    assert Pair(1, "a") != Pair(1, "b")
    assert len({Pair(1, "a"), Pair(1, "a"), Pair(2, "a")}) == 2


def test_slots():
    with pytest.raises(AttributeError):
        Pair(1, "a").other = 5


@pytest.mark.parametrize(("mode", "printed"), [("1", "frozen"), ("", "open")])
def test_frozen_at_run_time(mode, printed):
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "PYIBC_FROZEN_VALUES": mode, "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", SOURCE], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == printed
