"""Export plugin in a host: errors of the folder do not stop the chain; missing blocks are written later."""

import logging
import os

import pytest

from pyibc.core.host.block import CommittedBlock
from pyibc.indexer.blocks import plugin as plugins
from pyibc.indexer.blocks.export import segment_name
from pyibc.indexer.blocks.plugin import ExportPlugin
from tests.read_exports import read_export


@pytest.fixture
def plugin(tmp_path, committed):
    """Exporter whose host has the blocks 1 to 99 except 7."""
    made = ExportPlugin(tmp_path / "out", lambda height: committed(height) if height != 7 else None)
    yield made
    made.close()


@pytest.fixture
def covered(tmp_path):
    return lambda: read_export(tmp_path / "out").heights.ranges


@pytest.fixture
def full_disk(monkeypatch):
    real = os.write

    def fill(full=True):
        def write(file, data):
            if len(data) <= 100:
                raise OSError(28, "No space left on device")
            return real(file, data[:100])

        monkeypatch.setattr(os, "write", write if full else real)

    return fill


def commit(plugin, block):
    """Call the hook like the host; an exception would stop the chain."""
    try:
        plugin.chain_committed(block)
    except OSError as error:
        pytest.fail(f"the chain stops: {error}")


def test_h92_a_full_disk_is_told_once_and_leaves_no_gap(plugin, committed, covered, full_disk, caplog):
    plugin.chain_committed(committed(1))
    full_disk()
    for height in (2, 3, 4):
        commit(plugin, committed(height))
    errors = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert errors == ["a-1: block 2 is not exported: [Errno 28] No space left on device"]
    assert covered() == ((1, 1),)
    full_disk(full=False)
    plugin.chain_committed(committed(5))
    assert covered() == ((1, 5),)
    assert "a-1: export resumed at block 5" in caplog.text
    assert "a-1: blocks missing in the export: 2-4" in caplog.text


def test_h92_lines_that_a_power_cut_took_are_written_again(plugin, tmp_path, committed, covered):
    for height in range(1, 7):
        plugin.chain_committed(committed(height))
    plugin.close()
    path = tmp_path / "out" / segment_name(1)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[2:4]]) + lines[4][:50])
    plugin.chain_committed(committed(8))
    assert covered() == ((1, 6), (8, 8))  # the host does not have block 7
    plugin.chain_committed(committed(9))
    assert covered() == ((1, 6), (8, 9))


def test_h109_lines_that_were_never_flushed_are_found_wherever_they_were(
    tmp_path, committed, covered, caplog
):
    """Remove nine of 49 lines at both ends and in between, one of them torn; the host has pruned block 7."""
    plugin = ExportPlugin(tmp_path / "out", lambda height: committed(height) if height != 7 else None)
    for height in range(1, 50):
        plugin.chain_committed(committed(height))
    plugin.close()
    path = tmp_path / "out" / segment_name(1)
    lines = path.read_bytes().splitlines(keepends=True)
    lost = {1, 2, 7, 20, 21, 22, 47, 48}
    path.write_bytes(
        b"".join(line for height, line in enumerate(lines[:48], 1) if height not in lost) + lines[48][:99]
    )
    plugin = ExportPlugin(tmp_path / "out", lambda height: committed(height) if height != 7 else None)
    plugin.chain_committed(committed(50))
    assert covered() == ((1, 6), (8, 50))
    assert "a-1: blocks missing in the export: 1-2, 7, 20-22, 47-49" in caplog.text
    assert "a-1: block 7 stays missing, the host does not have it" in caplog.text
    plugin.close()


def test_h109_lines_of_a_host_without_blocks_are_on_the_disk_when_the_hook_returns(
    tmp_path, committed, monkeypatch
):
    synced, fsync = [], os.fsync

    def counted(file):
        synced.append(os.fstat(file).st_size)
        fsync(file)

    monkeypatch.setattr(os, "fsync", counted)
    plugin = ExportPlugin(tmp_path / "out", sync=True)
    for height in (1, 2):
        plugin.chain_committed(committed(height))
        assert synced[-1:] == [(tmp_path / "out" / segment_name(1)).stat().st_size]
    plugin.close()


def test_many_gaps_are_filled_by_and_by(plugin, committed, covered, monkeypatch):
    monkeypatch.setattr(plugins, "FILLED_AT_ONCE", 3)
    for height in (1, 8, 20, 21, 22):
        plugin.chain_committed(committed(height))
    assert covered() == ((1, 6), (8, 14), (20, 22))
    for height in (23, 24):
        plugin.chain_committed(committed(height))
    assert covered() == ((1, 6), (8, 24))


def test_without_a_block_store_a_gap_stays_and_the_chain_goes_on(tmp_path, committed, covered, full_disk):
    plugin = ExportPlugin(tmp_path / "out")
    plugin.chain_committed(committed(1))
    full_disk()
    plugin.chain_committed(committed(2))
    full_disk(full=False)
    plugin.chain_committed(committed(3))
    plugin.close()
    assert covered() == ((1, 1), (3, 3))


def test_h92_a_store_that_fails_is_told_and_stops_nothing(tmp_path, committed, covered, caplog):
    def broken(height):
        raise KeyError(height)

    plugin = ExportPlugin(tmp_path / "out")
    plugin.fill_from(broken)
    for height in (1, 4, 5):
        plugin.chain_committed(committed(height))
    plugin.close()
    assert covered() == ((1, 1), (4, 5))
    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "a-1: cannot read block 2 from the host"
    ]


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ({"height": 1, "chain": "b-1"}, "the folder contains a-1"),
        ({"height": 2, "other": True}, "other content"),
        ({"height": 1, "other": True}, "restarted from genesis"),
    ],
)
def test_h92_another_history_is_told_and_changes_nothing(tmp_path, committed, covered, caplog, block, reason):
    plugin = ExportPlugin(tmp_path / "out")
    for height in (1, 2):
        plugin.chain_committed(committed(height))
    before = (tmp_path / "out" / segment_name(1)).read_bytes()
    events = [("other", ())] if block.get("other") else []
    plugin.chain_committed(committed(block["height"], *events, chain=block.get("chain", "a-1")))
    assert reason in caplog.text
    assert "Traceback" not in caplog.text  # an expected error
    assert (tmp_path / "out" / segment_name(1)).read_bytes() == before
    plugin.chain_committed(committed(3))
    plugin.close()
    assert covered() == ((1, 3),)


def test_h92_a_folder_that_cannot_be_made_is_told_and_tried_again(tmp_path, committed, covered, caplog):
    (tmp_path / "out").write_text("in the way")
    plugin = ExportPlugin(tmp_path / "out", committed)
    plugin.chain_committed(committed(1))
    assert "no block is exported" in caplog.text
    (tmp_path / "out").unlink()
    plugin.chain_committed(committed(2))
    plugin.close()
    assert covered() == ((1, 2),)


@pytest.mark.parametrize("odd", [{"txs": None}, {"block_events": (("e", (("k", 5),)),)}, {"app_hash": "00"}])
def test_h92_a_block_of_wrong_kinds_is_told_and_stops_nothing(tmp_path, committed, covered, caplog, odd):
    plugin = ExportPlugin(tmp_path / "out")
    plugin.chain_committed(committed(1))
    fields = {name: getattr(committed(2), name) for name in CommittedBlock.__match_args__}
    plugin.chain_committed(CommittedBlock(**fields | odd))
    assert "a-1: block 2 is not exported" in caplog.text
    plugin.chain_committed(committed(3))
    plugin.close()
    assert covered() == ((1, 1), (3, 3))
