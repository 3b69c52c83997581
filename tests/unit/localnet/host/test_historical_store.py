"""Earlier heights, as queries see them."""

import pytest

from iavl import HistoryBusy, MultiStore, VersionPruned
from ibc_core.errors import InvalidSdkRequest
from ibc_module import hookimpl
from localnet.host.app import HostApp
from localnet.host.config import HostConfig
from localnet.host.historical_store import HistoricalStore


@pytest.mark.parametrize("error", [HistoryBusy(3, 30_000), VersionPruned(3, 4, 9)])
def test_a_height_that_cannot_be_rebuilt_now_is_refused_by_name(monkeypatch, error):
    def refuse(*_):
        raise error

    store = MultiStore(None, ["ibc"])
    monkeypatch.setattr(store, "at", refuse)
    past = HistoricalStore(store, "ibc", 3)
    with pytest.raises(InvalidSdkRequest, match="version 3"):
        past.get(b"key")
    with pytest.raises(InvalidSdkRequest, match="version 3"):
        list(past.iterate(b"", None))


def test_readers_give_way_from_a_block_s_first_transaction_on(genesis):
    class Watch:
        @hookimpl
        def chain_begin_block(self, ctx):
            seen.append(app.store._precedence._idle.is_set())

    seen = []
    app = HostApp(HostConfig("chain-1"), [Watch()])
    app.init_chain(genesis.time_ns, genesis.app_state)
    app.finalize_block(genesis.time_ns, [])
    assert seen == [False]
    assert app.store._precedence._idle.is_set()
