import os

import pytest

from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.indexer.blocks.block import Block, Tx
from tests.index_results import without_pictures
from tests.packet_attributes import attributes


def _attributes(sequence, **more):
    end = {"packet_channel_ordering": "ORDER_UNORDERED", "connection_id": "connection-0"}
    found = attributes(sequence, "channel-0", "channel-7", until=1_700_000_000 * 10**9, **end)
    return tuple((found | more).items())


@pytest.fixture(scope="session")
def index():
    """Run the index on DuckDB."""
    from pyibc.indexer import job
    from pyibc.indexer.local.run import LocalEngine

    def run(folder, out):
        with without_pictures():
            return job.index(LocalEngine(), [folder], out)

    return run


@pytest.fixture(scope="session")
def packet_event():
    """Build an event of a packet on transfer/channel-0 -> transfer/channel-7."""
    return lambda kind, sequence=1, **more: (kind, _attributes(sequence, **more))


@pytest.fixture(scope="session")
def block():
    """Build a block with one transaction with the given events."""

    def make(*events, chain="a-1", height=5, code=0, raw=b"tx", **more):
        return Block(chain, height, 1_600_000_000_000_000_000, (Tx("AA", code, events, raw=raw),), **more)

    return make


@pytest.fixture
def committed():
    """Build a committed block as the host passes it to the hook."""

    def make(height, *events, chain="a-1", code=0):
        txs = (TxOutcome(b"tx%d" % height, code, "", tuple(events), 2, 1),)
        return CommittedBlock(
            chain, height, height * 10**9, b"\xab" * 32, txs, (("mint", (("amount", "1"),)),)
        )

    return make


@pytest.fixture
def closed(tmp_path, monkeypatch):
    """A folder that cannot be listed, whoever runs the tests."""
    folder, real = tmp_path / "closed", os.scandir
    folder.mkdir()

    def scandir(path):
        if str(path) == str(folder):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    return folder
