"""A chain stops at a planned upgrade; at no other height do its plugins change."""

import json
from contextlib import closing

import pytest

from ibc_module import hookimpl
from ibc_module.hookspecs import Upgrade
from ibc_module.plugin import AttestationsPlugin, Config
from ibc_module.upgrades import PlannedUpgrade, PluginsChanged, UpgradeNeeded, UpgradePlugin
from keepers.upgrade import UpgradeKeeper
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.chain.app import HostApp
from pyibc.chain.config import HostConfig
from pyibc.codec.anys import encode_any
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.core import paths
from pyibc.core.client.types import UpgradePlan
from pyibc.core.setup_error import InvalidGenesis, WiringError
from pyibc.default_plugins import plugins
from pyibc.relayer.clients.tendermint import ClientSettings, client_state

CHAIN_ID, SECOND = "host-1", 10**9
START = 1_700_000_000 * SECOND
AT = 5
PLANNED = HostConfig(CHAIN_ID, upgrade=PlannedUpgrade("more", AT))


class Ledger:
    """Writes down what was asked of it: its genesis, its migrations."""

    def __init__(self, version=1, name="ledger", stores=("ledger",)):
        self.version, self.name, self.stores = version, name, stores

    @hookimpl
    def chain_version(self):
        return self.name, self.version

    @hookimpl
    def chain_stores(self):
        return self.stores

    @hookimpl
    def chain_init_genesis(self, ctx, genesis):
        self.write(ctx, f"genesis {genesis.get(self.name, 'new')} at {ctx.height.revision_height}")

    def write(self, ctx, text):
        store = ctx.store(self.stores[0])
        store.set(b"lines", (store.get(b"lines") or b"") + f"{text}; ".encode())


class Migrating(Ledger):
    @hookimpl
    def chain_migrate(self, ctx, from_version):
        self.write(ctx, f"from {from_version}")


class Named:
    """Has no store, and a name."""

    def __init__(self, version=1):
        self.version = version

    @hookimpl
    def chain_version(self):
        return "named", self.version


class Planner:
    """The authority's message, at height 2: clients follow to `following`, if there is one."""

    def __init__(self, height=AT, following=None, name="more"):
        self.plan = UpgradePlan(name, GO_ZERO_TIME_NS, height, "see\nus", has_client_state=False)
        self.following = following

    @hookimpl
    def chain_begin_block(self, ctx):
        if ctx.height.revision_height == 2:
            state = client_state(self.following or CHAIN_ID, self.plan.height + 1, ClientSettings())
            UpgradeKeeper().schedule(ctx, self.plan, encode_any(state))
            if self.following is None:
                ctx.store("upgrade").delete(paths.upgraded_client_path(self.plan.height))


def carrying_out(**upgrade):
    return UpgradePlugin({"more": Upgrade(**upgrade)})


def opened(home, *extra, rules=PLANNED, ibc=True):
    listed = [*(plugins(Config()) if ibc else ()), *extra]
    return Opened(HostApp(rules, listed, home, keep_versions=20))


class Opened(closing):
    """A host that is closed with its home."""

    def __init__(self, app):
        super().__init__(app.store)
        self.app = app

    def __enter__(self):
        return self.app


def begin(app, genesis=None):
    app.init_chain(START, genesis or {})
    return app


def block(app):
    height = app.store.next_version
    app.finalize_block(START + height * SECOND, [], b"v" * 32)
    return app.commit().app_hash


def stopped(app):
    try:
        block(app)
    except UpgradeNeeded:
        return True
    return False


def run_to(app, height):
    hashes = []
    while app.info().height < height:
        hashes.append(block(app))
    return hashes


def lines(app, store="ledger"):
    return app.store.store(store).get(b"lines").decode()


def versions(app):
    return UpgradeKeeper().versions(app.query_context())


@pytest.fixture
def home(tmp_path):
    """A chain of IBC and nothing else, before its upgrade."""
    with opened(tmp_path) as app:
        run_to(begin(app), AT - 1)
    return tmp_path


def test_h277_a_plugin_that_is_added_without_an_upgrade_is_refused(tmp_path):
    rules = HostConfig(CHAIN_ID)
    with opened(tmp_path, rules=rules) as app:
        last = run_to(begin(app), 3)[-1]
    limits = r"'ratelimit' \(pyibc\.apps\.rate_limit\.plugin\.RateLimitPlugin, version 1\) is not in"
    with pytest.raises(PluginsChanged, match=f"{CHAIN_ID} cannot go on at height 4.*{limits}.*no upgrade is"):
        opened(tmp_path, RateLimitPlugin(), rules=rules)
    with pytest.raises(PluginsChanged, match=r"'more' is planned for height 5: run the earlier software"):
        opened(tmp_path, RateLimitPlugin(), carrying_out())
    with opened(tmp_path, rules=rules) as app:
        assert app.info() == (3, last)
        assert "ratelimit" not in app.store.info().roots
        block(app)


def test_h277_a_plugin_that_an_upgrade_adds_gets_its_genesis_once(tmp_path):
    homes, hashes, told = (tmp_path / "a", tmp_path / "b", tmp_path / "c"), [], []
    genesis = {"ledger": "given"}
    run = [lambda ctx: ctx.store("ledger").set(b"last", ctx.store("ledger").get(b"lines"))]
    for number, each in enumerate(homes):
        with opened(each) as app:
            run_to(begin(app), AT - 1)
            with pytest.raises(UpgradeNeeded):
                block(app)
        added = (Ledger(), carrying_out(genesis=genesis, run=run[0]))
        for crashed in range(number):  # after it was executed, before it was committed
            with opened(each, *added) as app:
                app.finalize_block(START + AT * SECOND, [], b"v" * 32)
                assert app.info().height == AT - 1, crashed
        with opened(each, *added) as app:
            hashes.append(run_to(app, AT + 2))
        with opened(each, *added) as app:  # afterwards nothing happens again
            hashes[-1] += run_to(app, AT + 3)
            told.append(lines(app))
            assert app.store.store("ledger").get(b"last") == lines(app).encode()
            recorded = {"acc": 1, "bank": 1, "ibc": 1, "transfer": 1, "ledger": 1}
            assert versions(app) == recorded
            assert UpgradeKeeper().done_height(app.query_context(), "more") == AT
    assert told == [f"genesis given at {AT}; "] * 3
    assert hashes[0] == hashes[1] == hashes[2]


def test_before_its_first_upgrade_a_chain_of_first_versions_records_nothing(home):
    with opened(home) as app:
        assert list(app.store.store("upgrade").iterate(b"\0", None)) == []


def test_h277_other_versions_than_the_state_s_are_refused(tmp_path):
    rules = HostConfig(CHAIN_ID)
    with opened(tmp_path, Migrating(2), Named(), rules=rules) as app:
        run_to(begin(app), 2)
        assert versions(app)["ledger"] == 2
    known = r"the state has version 2 of the plugin 'ledger' \(.*\.Migrating, version "
    for listed, reason in [
        ((Migrating(1), Named()), rf"{known}1\), a later one"),
        ((Migrating(3), Named()), rf"{known}3\); no upgrade is planned"),
        ((Ledger(3), Named()), r"version 3\), which has no chain_migrate"),
        ((Migrating(2), Named(2)), r"the state has version 1 of the plugin 'named'"),
        ((Migrating(2),), r"the plugin 'named' is in the state, but not listed"),
        ((Migrating(2), Named(), Ledger(name="other", stores=("third",))), r"'other' .* is not in the state"),
        (
            (Migrating(2, stores=("ledger", "second")), Named()),
            "has stores that the state does not have: second",
        ),
    ]:
        with pytest.raises(PluginsChanged, match=reason):
            opened(tmp_path, *listed, rules=rules)
    with opened(tmp_path, Migrating(2), Named(), rules=rules) as app:
        assert lines(app) == "genesis new at 1; "


def test_migrations_run_from_one_version_to_the_next(tmp_path):
    with opened(tmp_path, Ledger()) as app:
        run_to(begin(app), AT - 1)
    added = Migrating(4, stores=("ledger", "second"))
    with opened(tmp_path, added, Named(), carrying_out()) as app:
        run_to(app, AT + 1)
        assert lines(app) == "genesis new at 1; from 1; from 2; from 3; "
        assert versions(app) == {"acc": 1, "bank": 1, "ibc": 1, "transfer": 1, "ledger": 4, "named": 1}


def test_what_no_upgrade_does_is_refused_at_the_upgrade_too(home):
    with opened(home, Ledger(), carrying_out()) as app:
        run_to(app, AT)
    later = HostConfig(CHAIN_ID, upgrade=PlannedUpgrade("more", AT + 1))
    with pytest.raises(PluginsChanged, match="which has no chain_migrate"):
        opened(home, Ledger(2), carrying_out(), rules=later)


def test_h277_a_state_that_other_plugins_made_is_not_restored_silently(home):
    with opened(home, Ledger(), carrying_out()) as app:
        hashes = run_to(app, AT + 1)
        chunks = list(app.store.export(AT + 1, 1 << 16))
    for listed, reason in [
        (Ledger(), None),
        (Migrating(2), "the state has version 1 of the plugin 'ledger'"),
    ]:
        fresh = HostApp(HostConfig(CHAIN_ID), [*plugins(Config()), listed])
        importer = fresh.importer(AT + 1, hashes[-1])
        for chunk in chunks:
            importer.feed(chunk)
        if reason is None:
            fresh.restore(importer)
            assert versions(fresh)["ledger"] == 1
            block(fresh)
        else:
            with pytest.raises(PluginsChanged, match=reason):
                fresh.restore(importer)


def test_h277_a_genesis_of_another_version_is_refused(home):
    with opened(home, Ledger(), carrying_out()) as app:
        run_to(app, AT)
        exported = json.loads(json.dumps(app.export_genesis()))
    again = HostApp(HostConfig(CHAIN_ID), [*plugins(Config()), Ledger(), RateLimitPlugin()])
    block(begin(again, exported))
    assert versions(again) == {"acc": 1, "bank": 1, "ibc": 1, "transfer": 1, "ledger": 1, "ratelimit": 1}
    other = HostApp(HostConfig(CHAIN_ID), [*plugins(Config()), Migrating(2)])
    with pytest.raises(InvalidGenesis, match=r"upgrade\.other_entries: 1 is not the version of .*'ledger'"):
        other.init_chain(START, exported)


def test_h278_a_chain_stops_at_its_planned_upgrade(tmp_path):
    with opened(tmp_path, Planner(), rules=HostConfig(CHAIN_ID)) as app:
        last = run_to(begin(app), AT - 1)[-1]
        for _ in range(2):
            with pytest.raises(UpgradeNeeded, match=r'^UPGRADE "more" NEEDED at height: 5: see\\nus; list a'):
                block(app)
        assert app.info() == (AT - 1, last)
        assert app.query("/store/upgrade/key", paths.UPGRADE_PLAN).value
        assert app.process_proposal([], START + AT * SECOND)
    with opened(tmp_path, Planner(), carrying_out(), rules=HostConfig(CHAIN_ID)) as app:
        run_to(app, AT + 1)
        assert UpgradeKeeper().plan(app.query_context()) is None
        assert UpgradeKeeper().done_height(app.query_context(), "more") == AT


@pytest.mark.parametrize("following", ["host-2", "other-1"])
def test_h278_a_chain_whose_clients_follow_another_does_not_go_on(tmp_path, following):
    planner = Planner(following=following)
    with opened(tmp_path, planner, carrying_out(), rules=HostConfig(CHAIN_ID)) as app:
        last = run_to(begin(app), AT - 1)[-1]
        with pytest.raises(UpgradeNeeded, match=f"clients follow to the chain '{following}'") as stop:
            block(app)
        assert stop.value.next_chain == following
        assert app.info() == (AT - 1, last)


def test_h278_the_next_revision_does_not_stop_at_the_plan_that_made_it(tmp_path):
    with opened(tmp_path, Planner(following="host-2"), rules=HostConfig(CHAIN_ID)) as app:
        run_to(begin(app), AT - 2)
        early = json.loads(json.dumps(app.export_genesis()))
        run_to(app, AT - 1)
        exported = json.loads(json.dumps(app.export_genesis()))
    for chain_id, genesis, stops in [
        ("host-2", exported, False),
        ("host-2", early, True),
        (CHAIN_ID, exported, True),
    ]:
        app = HostApp(HostConfig(chain_id), plugins(Config()), initial_height=AT)
        begin(app, genesis)
        assert stopped(app) is stops
        if not stops:
            run_to(app, AT + 2)
            assert UpgradeKeeper().plan(app.query_context()) is None
            assert not app.query("/store/upgrade/key", paths.upgraded_client_path(AT)).value


def test_a_plan_that_an_earlier_release_passed_is_carried_out_late(tmp_path):
    with opened(tmp_path, Planner(following="host-2"), rules=HostConfig(CHAIN_ID)) as app:
        run_to(begin(app), AT - 1)
        for _ in range(2):  # as releases did that knew no stop
            app.upgrades.begin_block = lambda *_: None
            block(app)
        del app.upgrades.begin_block
        with pytest.raises(UpgradeNeeded, match="NEEDED at height: 5"):
            block(app)
    with opened(tmp_path, Ledger(), carrying_out(), rules=HostConfig(CHAIN_ID)) as app:
        run_to(app, AT + 3)
        assert lines(app) == f"genesis new at {AT + 2}; "


def test_an_earlier_upgrade_of_the_configuration_leaves_the_authority_s_plan(home):
    rules = HostConfig(CHAIN_ID, upgrade=PlannedUpgrade("more", AT))
    with opened(home, carrying_out()) as app:
        run_to(app, AT)
    with opened(home, Planner(height=AT + 3), rules=rules) as app:
        state = client_state("host-2", AT + 4, ClientSettings())
        schedule = Planner(height=AT + 3).plan
        ctx = app._context(START + 9 * SECOND)
        UpgradeKeeper().schedule(ctx, schedule, encode_any(state))
        UpgradeKeeper().finish(ctx, "before")
        assert UpgradeKeeper().plan(ctx) == schedule


def test_an_upgrade_needs_ibc_which_records_it():
    with pytest.raises(WiringError, match="upgrades are recorded by the IBC plugin"):
        HostApp(PLANNED)
    with pytest.raises(WiringError, match="upgrades are recorded by the IBC plugin"):
        HostApp(HostConfig(CHAIN_ID), [Ledger(2)])
    assert HostApp(HostConfig(CHAIN_ID), [Ledger(), AttestationsPlugin()]).upgrades


@pytest.mark.parametrize(
    "declared", [None, "ledger", ("ledger", 0), ("", 1), ("ledger", True), ("ledger", 65_536)]
)
def test_a_version_that_is_none_is_refused(declared):
    class Wrong(Ledger):
        @hookimpl
        def chain_version(self):
            return declared

    if declared is None:  # as if it declared nothing
        assert HostApp(HostConfig(CHAIN_ID), [Wrong()]).upgrades
        return
    with pytest.raises(WiringError, match=r"Wrong\.chain_version returns .* a name and a version from 1"):
        HostApp(HostConfig(CHAIN_ID), [Wrong()])


def test_two_plugins_have_two_names():
    with pytest.raises(WiringError, match=r"Ledger and .*Named both have the name 'named'"):
        HostApp(HostConfig(CHAIN_ID), [Ledger(name="named"), Named()])
    with pytest.raises(WiringError, match=r"both register the upgrade 'more'"):
        HostApp(HostConfig(CHAIN_ID), [carrying_out(), carrying_out()])
    with pytest.raises(WiringError, match=r"chain_upgrades returns .* where a Upgrade should be"):
        HostApp(HostConfig(CHAIN_ID), [UpgradePlugin({"more": print})])
