"""Earlier heights, as queries see them."""

import pytest

from iavl import HistoryBusy, MultiStore, VersionPruned
from ibc_module import hookimpl
from pyibc.chain import app as host_app
from pyibc.chain.app import HostApp
from pyibc.chain.config import HostConfig
from pyibc.chain.queries.historical_store import REBUILD_WRITE, HistoricalStore
from pyibc.chain.queries.store_query import PROOFS
from pyibc.core.errors import InvalidSdkRequest, OutOfGas, StateNotFound
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryProofsRequest, QueryProofsResponse


@pytest.mark.parametrize(
    ("error", "refusal"),
    [(HistoryBusy(3, 30_000), InvalidSdkRequest), (VersionPruned(3, 4, 9), StateNotFound)],
)
def test_a_height_that_cannot_be_rebuilt_now_is_refused_by_name(monkeypatch, error, refusal):
    def refuse(*_):
        raise error

    store = MultiStore(None, ["ibc"])
    monkeypatch.setattr(store, "at", refuse)
    past = HistoricalStore(store, "ibc", 3)
    with pytest.raises(refusal, match="version 3"):
        past.get(b"key")
    with pytest.raises(refusal, match="version 3"):
        list(past.iterate(b"", None))


def test_readers_give_way_from_a_block_s_first_transaction_on(genesis):
    class Watch:
        @hookimpl
        def chain_begin_block(self, ctx):
            seen.append(app.store._priority._idle.is_set())

    seen = []
    app = HostApp(HostConfig("chain-1"), [Watch()])
    app.init_chain(genesis.time_ns, genesis.app_state)
    app.finalize_block(genesis.time_ns, [])
    assert seen == [False]
    assert app.store._priority._idle.is_set()


class Busy:
    """Ten writes a block, and a query that reads one of them."""

    @hookimpl
    def chain_stores(self):
        return ("busy",)

    @hookimpl
    def chain_begin_block(self, ctx):
        for number in range(10):
            ctx.store("busy").set(b"%d" % number, b"%d" % ctx.height.revision_height)

    @hookimpl
    def chain_queries(self):
        return {"/busy.Query/Read": lambda ctx, key: ctx.reader("busy").get(key)}


@pytest.fixture
def busy(genesis, tmp_path):
    """After 30 blocks, of which the last 20 are in memory."""
    app = HostApp(HostConfig("chain-1"), [Busy()], tmp_path, map_bytes=1 << 24)
    app.init_chain(genesis.time_ns, genesis.app_state)
    for _ in range(30):
        app.finalize_block(genesis.time_ns, [])
        app.commit()
    yield app
    app.store.close()


def by_method(app, height):
    return app.grpc("/busy.Query/Read", b"7", height)


def by_path(app, height):
    answer = app.query("/store/busy/key", b"7", height)
    return answer.value or answer.code


def proven(app, height):
    answer = app.query("/store/busy/key", b"7", height, prove=True)
    return answer.value or answer.code


def proven_with_others(app, height):
    request = QueryProofsRequest(store="busy", keys=[b"7"])
    answer = app.grpc(PROOFS, request.SerializeToString(), height)
    return QueryProofsResponse.FromString(answer).entries[0].value


@pytest.mark.parametrize("read", [by_method, by_path, proven, proven_with_others])
def test_h303_old_heights_are_paid_for(busy, monkeypatch, read):
    """Each block in between is executed again for a reader, who paid for one entry."""

    def asked(height):
        try:
            return read(busy, height)
        except OutOfGas as error:
            return error.code

    monkeypatch.setattr(host_app, "QUERY_GAS", 4 * 10 * REBUILD_WRITE)
    assert asked(30) == b"30"
    assert asked(9) == OutOfGas.code
    asked(9)
    assert asked(9) == b"9"  # it went on from where it had stopped
    busy.store._storage._history.forget()
    monkeypatch.undo()
    assert asked(9) == b"9"
