"""Queries and simulations of a height are judged by that height: its state, time and app hash."""

import pytest

from ibc_module import hookimpl
from ibc_module.hookspecs import Upgrade
from ibc_module.plugin import Config
from ibc_module.upgrades import PlannedUpgrade, UpgradePlugin
from pyibc.chain.app import HostApp
from pyibc.chain.comet.settings import Retention
from pyibc.chain.config import HostConfig
from pyibc.chain.queries.historical_store import decode_time, encode_time
from pyibc.core.channel.types import Order
from pyibc.core.errors import InvalidSdkHeight, InvalidSdkRequest, StateNotFound
from pyibc.default_plugins import plugins
from pyibc.proto.ibc.core.client.v1 import query_pb2
from pyibc.testing.pair import two_chains

SECOND, DAY = 10**9, 86_400 * 10**9
START = 1_700_000_000 * SECOND


class Almanac:
    """Answers with what the context of a query says, and simulates nothing else."""

    @hookimpl
    def chain_stores(self):
        return ("almanac",)

    @hookimpl
    def chain_begin_block(self, ctx):
        ctx.store("almanac").set(b"now", b"%d" % ctx.height.revision_height)

    @hookimpl
    def chain_queries(self):
        return {"/almanac.Query/Now": self._now}

    def _now(self, ctx, _):
        shown = (ctx.chain_id, ctx.height.revision_height, ctx.time_ns, ctx.app_hash.hex())
        return repr((*shown, ctx.store("almanac").get(b"now"))).encode()


def now(app, height=0):
    return app.query("/almanac.Query/Now", b"", height)


def is_of(answer, height, time_ns, app_hash):
    return answer.value == repr(("chain-1", height, time_ns, app_hash.hex(), b"%d" % height)).encode()


def time_of(height):
    return START + height * height * SECOND


def test_h270_a_query_is_judged_by_the_time_of_its_height(genesis, tmp_path):
    app = HostApp(HostConfig("chain-1"), [Almanac()], tmp_path, keep_versions=20)
    app.init_chain(START, genesis.app_state)
    hashes = {}
    for height in range(1, 31):
        hashes[height] = app.finalize_block(time_of(height), []).app_hash
        if height > 1:  # the block is executed, and not committed
            assert is_of(now(app), height - 1, time_of(height - 1), hashes[height - 1])
        app.commit()
    kept = app.store.versions()
    for _ in range(2):
        assert kept == range(11, 31)
        assert all(is_of(now(app, each), each, time_of(each), hashes[each]) for each in kept)
        app.store.close()
        app = HostApp(HostConfig("chain-1"), [Almanac()], tmp_path, keep_versions=20)
    app.store.close()


def test_h270_a_simulation_has_the_time_of_the_state_that_it_reads(genesis, sign):
    class Watch:
        @hookimpl
        def chain_check_tx(self, ctx, messages, recheck):
            checked.append(ctx.time_ns)

    def simulated():
        return app._simulation().time_ns

    checked = []
    app = HostApp(HostConfig("chain-1"), [Watch()])
    app.init_chain(START, genesis.app_state)
    assert simulated() == START
    app.finalize_block(START + 5, [])
    assert simulated() == START
    app.commit()
    assert simulated() == START + 5
    app.finalize_block(START + 9, [])
    app.check_tx(sign())
    assert (checked, simulated()) == ([START + 5], START + 5)


def test_h270_a_client_is_active_at_a_height_at_which_it_was():
    """With a real client: a query after the trusting period, of a height within it."""
    chains = two_chains()
    client = chains.open("transfer", Order.UNORDERED, "ics20-1").a.client_id
    chain, then = chains.a.chain, chains.a.chain.height
    chains.clock.advance(60 * DAY)
    request = query_pb2.QueryClientStatusRequest(client_id=client).SerializeToString()

    def status(height):
        found = chain.query("/ibc.core.client.v1.Query/ClientStatus", request, height)
        return query_pb2.QueryClientStatusResponse.FromString(found.value).status

    commit = chain.app.commit
    between = []

    def committed():
        between.append(status(0))
        return commit()

    chain.app.commit = committed
    chain.make_block([])
    assert (between, status(then), status(0)) == (["Active"], "Active", "Expired")
    chains.close()


def test_h270_a_home_of_an_earlier_release_has_its_times_in_its_blocks(make_chain, tmp_path, monkeypatch):
    """The state of such a home says nothing of times."""
    with monkeypatch.context() as earlier:
        earlier.setattr("pyibc.chain.app.encode_time", lambda _: b"")
        old = make_chain(home=tmp_path, plugins=[Almanac()], retention=Retention(keep_versions=10))
        for _ in range(4):
            old.make_block([])
        old.close()
    chain = make_chain(home=tmp_path, plugins=[Almanac()], retention=Retention(keep_versions=10))
    chain.make_block([])
    for height in range(1, 7):
        record = chain.record(height)
        assert is_of(now(chain.app, height), height, record.header.time_ns, record.result.app_hash)


def test_h270_what_nobody_knows_the_time_of_is_not_judged_by_another():
    """A restored state: its queries are answered unless they ask for the time."""

    class TimeOfTheState(Almanac):
        @hookimpl
        def chain_queries(self):
            return {**super().chain_queries(), "/almanac.Query/State": self._state}

        def _state(self, ctx, _):
            return ctx.store("almanac").get(b"now")

    def made():
        app = HostApp(HostConfig("chain-1"), [TimeOfTheState()])
        app.init_chain(START, {})
        return app

    old, fresh = made(), made()
    for height in range(1, 4):
        old.finalize_block(time_of(height), [])
        old.commit()
    importer = fresh.importer(3, old.info().app_hash)
    for chunk in old.store.export(3, 1 << 16):
        importer.feed(chunk)
    fresh.restore(importer)
    assert fresh.query("/almanac.Query/State", b"").value == b"3"
    refused = now(fresh)
    assert (refused.codespace, refused.code) == ("sdk", 38)
    assert "block time unknown" in refused.log
    with pytest.raises(StateNotFound):
        assert fresh._simulation().time_ns
    fresh.finalize_block(time_of(4), [])
    fresh.commit()
    assert is_of(now(fresh), 4, time_of(4), fresh.info().app_hash)
    assert now(fresh, 3).code == 38


@pytest.mark.parametrize("time_ns", [0, 1, START, 2**63 - 1, 2**63, -1, -62_135_596_800 * SECOND, 2**64])
def test_times_of_any_year_are_kept(time_ns):
    assert decode_time(encode_time(time_ns)) == time_ns
    assert decode_time(START.to_bytes(8, "big")) == START  # as earlier releases wrote it under CometBFT


def test_h271_a_query_reads_nothing_of_a_store_before_it_was_added(genesis, sign, tmp_path):
    app = HostApp(HostConfig("chain-1"), plugins(Config()), tmp_path)
    app.init_chain(START, genesis.app_state)
    for height in range(1, 26):
        app.finalize_block(time_of(height), [])
        app.commit()
    app.store.close()
    rules = HostConfig("chain-1", upgrade=PlannedUpgrade("almanac", 26))
    with_almanac = [*plugins(Config()), Almanac(), UpgradePlugin({"almanac": Upgrade()})]
    app = HostApp(rules, with_almanac, tmp_path)
    heights = (2, 25)  # one that has to be rebuilt, and the last one before
    for height in (*heights, 0):
        assert now(app, height).value.endswith(b", None)")
    assert app.simulate(sign()).code == 0
    app.finalize_block(time_of(26), [])
    app.commit()
    assert is_of(now(app), 26, time_of(26), app.info().app_hash)
    for height in heights:
        assert now(app, height).value.endswith(b", None)")
        bare, proved = (app.query("/store/almanac/key", b"now", height, prove) for prove in (False, True))
        assert (bare.code, bare.value, bare.proof) == (0, b"", ())
        assert (proved.code, proved.value) == (0, b"")
        assert [(op.kind, op.key) for op in proved.proof] == [("ics23:simple", b"almanac")]
    assert len(app.query("/store/almanac/key", b"now", 26, True).proof) == 2
    app.store.close()


@pytest.mark.parametrize("path", ["/almanac.Query/Now", "/store/almanac/key"])
def test_a_height_to_come_and_one_that_was_pruned_have_the_sdk_s_codes(genesis, path):
    app = HostApp(HostConfig("chain-1"), [Almanac()], keep_versions=2)
    app.init_chain(START, genesis.app_state)
    for height in range(1, 6):
        app.finalize_block(time_of(height), [])
        app.commit()
    found = {height: app.query(path, b"now", height) for height in (-1, 3, 4, 6)}
    assert {height: each.code for height, each in found.items()} == {
        -1: InvalidSdkRequest.code,
        3: StateNotFound.code,
        4: 0,
        6: InvalidSdkHeight.code,
    }
    assert {each.codespace for each in found.values()} == {"sdk", ""}
    assert (StateNotFound.code, InvalidSdkHeight.code) == (38, 26)
    assert found[3].log.startswith(
        "failed to load state at height 3; no version 3: versions 4 to 5 are retained"
    )
    assert found[6].log.startswith("cannot query with height in the future; please provide a valid height")
