"""Bad inputs of programs: queries, a node's genesis and settings, a relayer's.

The numbers are those of `bad_inputs.toml`. Each is refused in one line that names what is wrong.
"""

import json
import logging
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from conformance.model.world import SkewedClock
from ibc_core.channel.types import Order
from ibc_core.coin import coin
from ibc_core.errors import InsufficientFee
from ibc_core.genesis.entries import InvalidGenesis
from ibc_module.plugin import Config, plugins
from ibc_relayer.errors import TransactionFailed
from ibc_relayer.open_path import make_path
from ibc_relayer.wallet import Wallet
from ibc_testing.clock import SECOND, ManualClock
from localnet import node
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.genesis import Genesis, funded
from localnet.host.config import GasPrices, HostConfig
from localnet.rpc.server import RpcServer
from localnet.settings import NODE_FILE, NodeSettings, write
from pyibc.cli.relay import command

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


@pytest.fixture
def ask(chain):
    """The chain's RPC: JSON text in, JSON out, whatever the status."""
    server = RpcServer(chain)
    thread = server.start(0.01)

    def asked(body):
        try:
            with urlopen(Request(server.url, body), timeout=10) as answer:
                return json.load(answer)
        except HTTPError as error:
            with error:
                return json.load(error)

    yield asked
    server.stop()
    thread.join()


def query(path, **params):
    call = {"jsonrpc": "2.0", "id": 1, "method": "abci_query", "params": {"path": path, **params}}
    return json.dumps(call).encode()


QUERIES = {
    "unknown service": (query("/a.b.Query/C"), ("sdk", 6)),
    "negative height": (query("/store/ibc/key", data="01", height="-1", prove=True), ("sdk", 18)),
    "future height": (query("/store/ibc/key", data="01", height="99", prove=True), ("sdk", 18)),
    "an empty store that cannot prove": (
        query("/store/upgrade/key", data="01", height="1", prove=True),
        ("sdk", 18),
    ),
    "request of another type": (query("/ibc.core.channel.v1.Query/Channels", data="ff"), ("sdk", 18)),
}


def test_63_a_path_with_a_lone_surrogate_is_no_parameter(ask):
    answer = ask(query("/store/\ud800/key", data="01"))
    assert answer["error"]["code"] == -32602


@pytest.mark.parametrize("name", QUERIES)
def test_63_queries(ask, name):
    body, code = QUERIES[name]
    response = ask(body)["result"]["response"]
    assert (response["codespace"], response["code"]) == code
    assert response["log"]
    assert "Traceback" not in response["log"]


def test_63_a_proof_at_height_1(ask):
    body = query("/store/ibc/key", data=b"clientParams".hex(), height="1", prove=True)
    response = ask(body)["result"]["response"]
    assert (response["code"], len(response["proofOps"]["ops"])) == (0, 2)


def test_63_a_path_that_is_not_utf_8(ask):
    body = query("/store/x/key", data="01").replace(b"/x/", b"/\xff/")
    assert ask(body)["error"]["data"] == "not JSON"


def test_63_a_height_that_is_not_kept():
    """Our chains prune nothing; one that went on from an export has no state of before."""
    chain = LocalChain("chain-1", plugins=plugins(Config()), genesis=Genesis(initial_height=10))
    answer = chain.query("/store/ibc/key", b"clientParams", height=5, prove=True)
    assert (answer.codespace, answer.code) == ("sdk", 18)
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


NEGATIVE_PERIOD = {
    "client_genesis": {
        "clients": [
            {
                "client_id": "07-tendermint-0",
                "client_state": {
                    "@type": "/ibc.lightclients.tendermint.v1.ClientState",
                    "chain_id": "beta-1",
                    "trust_level": {"numerator": "1", "denominator": "3"},
                    "trusting_period": "-5s",
                    "unbonding_period": "10s",
                    "max_clock_drift": "1s",
                    "latest_height": {"revision_number": "1", "revision_height": "5"},
                },
            }
        ],
        "next_client_sequence": "1",
    }
}
LOCALHOST = {
    "state": "STATE_OPEN",
    "ordering": "ORDER_UNORDERED",
    "counterparty": {"port_id": "mock", "channel_id": "channel-0"},
    "connection_hops": ["connection-localhost"],
    "version": "v",
    "port_id": "mock",
    "channel_id": "channel-0",
}
STATES = {
    "negative trusting period": ({"ibc": NEGATIVE_PERIOD}, "ibc.client_genesis.clients[0]"),
    "channel sequence below existing ids": (
        {"ibc": {"channel_genesis": {"channels": [LOCALHOST], "next_channel_sequence": "0"}}},
        "ibc.channel_genesis.next_channel_sequence",
    ),
    "duplicate channel": (
        {"ibc": {"channel_genesis": {"channels": [LOCALHOST] * 2, "next_channel_sequence": "1"}}},
        "ibc.channel_genesis.channels[1]",
    ),
    "a module's part is a list": ({"bank": []}, "genesis: bank: [] is not an object"),
    "no list of balances": ({"bank": {"balances": "x"}}, "bank.balances: 'x' is not a list"),
    "a balance of nobody": ({"bank": {"balances": [{}]}}, "bank.balances[0].address: None is not a text"),
    "a balance abroad": (
        {"bank": {"balances": [{"address": "osmo1x", "coins": []}]}},
        "bank.balances[0].address: 'osmo1x' is no address",
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
def test_64_genesis(tmp_path, caplog, name):
    app_state, said = STATES[name]
    code, text = starting(tmp_path, caplog, app_state=app_state)
    assert code == 2
    assert said in text
    with pytest.raises(InvalidGenesis):
        make_chain("chain-1", state=app_state)


HALVES = {
    "enum": {"channels": [LOCALHOST | {"state": "\ud800"}]},
    "name": {"\ud800": 1},
    "text": {"channels": [LOCALHOST | {"version": "\ud800"}]},
}


@pytest.mark.parametrize("name", HALVES)
def test_64_half_of_a_surrogate_pair(name):
    """JSON can spell it, UTF-8 cannot: named in a line that can be printed."""
    with pytest.raises(InvalidGenesis, match=r"ibc\.channel_genesis") as refusal:
        make_chain("chain-1", state={"ibc": {"channel_genesis": HALVES[name]}})
    str(refusal.value).encode()


def test_64_a_type_that_is_half_of_a_surrogate_pair():
    clients = [{"client_id": "07-tendermint-0", "client_state": {"@type": "/\ud800"}}]
    with pytest.raises(InvalidGenesis, match="@type"):
        make_chain("chain-1", state={"ibc": {"client_genesis": {"clients": clients}}})


PLUGINS = {
    "module missing": "no_such_module:make",
    "callable missing": "json:no_such_callable",
    "no colon": "json",
}


@pytest.mark.parametrize("name", PLUGINS)
def test_64_plugin(tmp_path, caplog, name):
    code, text = starting(tmp_path, caplog, plugins=(PLUGINS[name],))
    assert code == 2
    assert f"plugins: {PLUGINS[name]!r}" in text


def test_64_settings_with_an_unknown_key(tmp_path, caplog):
    (tmp_path / NODE_FILE).write_text('{"chain_id": "x", "color": "red"}')
    with caplog.at_level(logging.INFO, logger="localnet"):
        assert node.main([str(tmp_path)]) == 2
    assert "color" in caplog.text or "missing" in caplog.text


# -- a relayer's settings


@pytest.fixture
def key_file(tmp_path):
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "key").chmod(0o600)
    return str(tmp_path / "key")


def test_65_both_chains_have_one_id(chain, key_file):
    server = RpcServer(chain)
    thread = server.start(0.01)
    result = CliRunner().invoke(command, ["--a", server.url, "--b", server.url, "--key", key_file])
    server.stop()
    thread.join()
    assert result.exit_code == 2
    assert "--a and --b: both chains are called 'chain-1'" in result.output


def test_65_gas_price_0_where_gas_has_a_price(chain):
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
def test_65_a_clock_beyond_the_drift(ahead_s, is_waited_for):
    """The chain whose clock is behind is waited for, ten minutes; beyond these one line says why."""
    clock = ManualClock()
    fast = SkewedClock(clock)
    slow_chain, fast_chain = make_chain("slow-1", clock), make_chain("fast-1", fast)
    fast.skew_ns = ahead_s * SECOND
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


def test_65_one_key_on_two_chains():
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
