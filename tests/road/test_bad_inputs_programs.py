"""Bad inputs of programs: a node's genesis and settings, a relayer's. One line names what is wrong."""

import logging

import pytest
from click.testing import CliRunner

from ibc_module.plugin import Config
from localnet import node
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.rpc.server import RpcServer
from localnet.settings import NODE_FILE, Genesis, NodeSettings, funded, write
from pyibc.chain.config import GasPrices, HostConfig
from pyibc.cli.relay import command
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.errors import InsufficientFee
from pyibc.core.setup_error import InvalidGenesis
from pyibc.default_plugins import plugins
from pyibc.relayer.errors import TransactionFailed
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.pair import SECOND, ManualClock

KEY = "11" * 32


def make_chain(chain_id, clock=None, config=None, state=None):
    wallet = Wallet(bytes.fromhex(KEY), "cosmos")
    funds = funded([(wallet.address.text, [coin("stake", 10**12)])]) if state is None else state
    return LocalChain(
        chain_id,
        plugins=plugins(Config()),
        genesis=Genesis(funds),
        clock=clock or ManualClock(),
        config=config,
    )


@pytest.fixture
def chain():
    made = make_chain("chain-1")
    yield made
    made.close()


# -- queries


def test_a_height_that_is_not_kept():
    """Our chains prune nothing; one that went on from an export has no state of before."""
    chain = LocalChain("chain-1", plugins=plugins(Config()), genesis=Genesis(initial_height=10))
    answer = chain.query("/store/ibc/key", b"clientParams", height=5, prove=True)
    assert (answer.codespace, answer.code) == ("sdk", 38)
    assert "5" in answer.log
    assert chain.query("/store/ibc/key", b"clientParams", height=10).code == 0
    chain.close()


# -- genesis and settings of a node


def starting(tmp_path, caplog, **changes):
    """Starts a node with wrong settings; returns its exit code and its one line."""
    fields = {
        "chain_id": "chain-1",
        "rpc_port": 1,
        "validators": 1,
        "seed": "s",
        "prefix": "cosmos",
        "block_time_ms": 100,
        "genesis_time_ns": 1,
        "app_state": {},
    }
    write(tmp_path / NODE_FILE, NodeSettings(**(fields | changes)))
    with caplog.at_level(logging.INFO, logger="localnet"):
        code = node.main([str(tmp_path)])
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.exc_info is None
    text = record.getMessage()
    assert str(tmp_path / NODE_FILE) in text
    assert "\n" not in text
    return code, text


STATES = {
    "a module's part is a list": ({"bank": []}, "genesis: bank: [] is not an object"),
    "no list of balances": ({"bank": {"balances": "x"}}, "bank.balances: 'x' is not a list"),
    "a balance of nobody": ({"bank": {"balances": [{}]}}, "bank.balances[0].address: None is not a string"),
    "a balance abroad": (
        {"bank": {"balances": [{"address": "osmo1x", "coins": []}]}},
        "bank.balances[0].address: 'osmo1x' is not an address of this chain",
    ),
    "a sequence below 0": (
        {"auth": {"accounts": [{"address": Wallet.from_seed("a", "cosmos").address.text, "sequence": -1}]}},
        "auth.accounts[0].sequence: -1",
    ),
    "a key that is not hex": (
        {
            "auth": {
                "accounts": [{"address": Wallet.from_seed("a", "cosmos").address.text, "public_key": "x"}]
            }
        },
        "auth.accounts[0].public_key: 'x' is not hex",
    ),
    "an account twice": (
        {"auth": {"accounts": [{"address": Wallet.from_seed("a", "cosmos").address.text}] * 2}},
        "auth.accounts[1].address",
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_genesis(tmp_path, caplog, name):
    app_state, said = STATES[name]
    code, text = starting(tmp_path, caplog, app_state=app_state)
    assert code == 2
    assert said in text
    with pytest.raises(InvalidGenesis):
        make_chain("chain-1", state=app_state)


PLUGINS = {
    "module missing": "no_such_module:make",
    "callable missing": "json:no_such_callable",
    "no colon": "json",
}


@pytest.mark.parametrize("name", PLUGINS)
def test_plugin(tmp_path, caplog, name):
    code, text = starting(tmp_path, caplog, plugins=(PLUGINS[name],))
    assert code == 2
    assert f"plugins: {PLUGINS[name]!r}" in text


def test_settings_with_an_unknown_key(tmp_path, caplog):
    (tmp_path / NODE_FILE).write_text('{"chain_id": "x", "color": "red"}')
    with caplog.at_level(logging.INFO, logger="localnet"):
        assert node.main([str(tmp_path)]) == 2
    assert "color" in caplog.text or "missing" in caplog.text


# -- a relayer's settings


def test_both_chains_have_one_id(chain, key_file):
    server = RpcServer(chain)
    thread = server.start(0.01)
    result = CliRunner().invoke(command, ["--a", server.url, "--b", server.url, "--key", key_file])
    server.stop()
    thread.join()
    assert result.exit_code == 2
    assert "--a and --b: both chains have the id 'chain-1'" in result.output


def test_gas_price_0_where_gas_has_a_price(chain):
    priced = make_chain("priced-1", config=HostConfig("priced-1", gas=GasPrices(micro=1_000_000)))
    wallet = Wallet(bytes.fromhex(KEY), "cosmos")
    ends = LocalEndpoint(chain, wallet), LocalEndpoint(priced, wallet)
    with pytest.raises(TransactionFailed) as refusal:
        make_path(*ends, "transfer", Order.UNORDERED, "ics20-1")
    said = str(refusal.value)
    assert f"{InsufficientFee.codespace}/{InsufficientFee.code}" in said
    assert "priced-1" in said
    priced.close()


@pytest.mark.parametrize(("ahead_s", "is_waited_for"), [(100, True), (700, False)])
def test_a_clock_beyond_the_drift(ahead_s, is_waited_for):
    """The chain whose clock is behind is waited for, ten minutes; beyond these one line says why."""
    clock, skew_ns = ManualClock(), 0
    slow_chain, fast_chain = make_chain("slow-1", clock), make_chain("fast-1", lambda: clock() + skew_ns)
    skew_ns = ahead_s * SECOND
    fast_chain.make_block([])
    wallet = Wallet(bytes.fromhex(KEY), "cosmos")
    ends = LocalEndpoint(slow_chain, wallet), LocalEndpoint(fast_chain, wallet)
    if is_waited_for:
        path = make_path(*ends, "transfer", Order.UNORDERED, "ics20-1")
        assert (path.a.chain_id, path.a.channel_id, path.b.chain_id) == ("slow-1", "channel-0", "fast-1")
    else:
        with pytest.raises(TransactionFailed) as refusal:
            make_path(*ends, "transfer", Order.UNORDERED, "ics20-1")
        assert "is beyond now" in str(refusal.value)
        assert "slow-1" in str(refusal.value)
    for each in (slow_chain, fast_chain):
        each.close()


def test_one_key_on_two_chains():
    """A sequence is the chain's: the same key pays on both, and is asked for on each."""
    clock = ManualClock()
    chains = make_chain("one-1", clock), make_chain("two-1", clock)
    wallet = Wallet(bytes.fromhex(KEY), "cosmos")
    for _ in range(3):
        LocalEndpoint(chains[0], wallet).submit([])
    path = make_path(
        *[LocalEndpoint(each, wallet) for each in chains], "transfer", Order.UNORDERED, "ics20-1"
    )
    assert (path.a.channel_id, path.b.channel_id) == ("channel-0", "channel-0")
    for each in chains:
        each.close()
