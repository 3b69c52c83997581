"""What power cuts leave of a home: all writes are recorded, and the states they may leave opened."""

import shutil
import tempfile
from pathlib import Path

import pytest

from conformance.power_cut.__main__ import tried
from conformance.power_cut.replay import Broken

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None, reason="no C compiler: what is written cannot be recorded"
)


@pytest.fixture
def folder():
    """In memory, if this machine has such a folder."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


def test_h104_every_state_after_a_power_cut_opens_and_unmakes_nothing(folder):
    try:
        count = tried(8, folder, most=6)
    except Broken as broken:
        pytest.fail(str(broken))
    assert count.moments >= 8 * 4  # the signature, the block and its page, the state
    assert count.states > 120


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
def test_h104_the_same_over_more_blocks_with_pruning_and_reopening(folder):
    count = tried(130, folder)
    assert count.states > 5_000


def test_h104_blocks_that_are_not_flushed_are_found_out(folder, monkeypatch):
    """The test can fail: without the block store's last flush what was announced is unmade."""
    site = folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import lmdb\n"
        "whole = lmdb.open\n"
        "lmdb.open = lambda path, **options: whole(path, **{**options, 'metasync': False})\n"
        "import pyibc.chain.comet.settings\n"
        "import os\n"
        "os.fdatasync = lambda file: None\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{site}:{Path(__file__).resolve().parents[3]}")
    with pytest.raises(Broken):
        tried(4, folder, most=6)
