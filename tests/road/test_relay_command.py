"""`pyibc relay` against nodes in this process."""

import json
from contextlib import contextmanager
from threading import Event, Thread

import pytest
from click.testing import CliRunner

from ibc_module.apps.queue_coins.denom import QueueDenom, Transfer, encode_transfer
from ibc_module.apps.queue_coins.plugin import COINS
from ibc_module.cli.relay import command
from ibc_module.core.coin import coin
from ibc_module.core.height import ZERO_HEIGHT
from ibc_module.core.messages import AnyMessage
from ibc_module.core.queue import parse_end
from ibc_module.core.queue_messages import MsgQueueSend
from ibc_module.plugin import Config, plugins
from ibc_module.relayer.wallet import Wallet
from ibc_module.wire.messages import queue
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.genesis import Genesis, funded
from localnet.queues import plugins_with_queues
from localnet.rpc.server import RpcServer

KEY = "11" * 32


@pytest.mark.parametrize(
    ("arguments", "exit_code", "said"),
    [
        (["--a", "http://127.0.0.1:9"], 2, "--a, --b and --key belong together"),
        (["--network", "no-such-network"], 1, "no-such-network"),
        (["--order", "sideways"], 2, "sideways"),
        (["--a", "ftp://x", "--b", "ftp://y", "--key", "KEY"], 2, "not an http(s) URL"),
    ],
)
def test_wrong_use(tmp_path, arguments, exit_code, said) -> None:
    (tmp_path / "key").write_text(KEY)
    result = CliRunner().invoke(command, [a.replace("KEY", str(tmp_path / "key")) for a in arguments])
    assert result.exit_code == exit_code
    assert said in result.output


def test_malformed_key(tmp_path) -> None:
    (tmp_path / "key").write_text("1234")
    arguments = ["--a", "http://a", "--b", "http://b", "--key", str(tmp_path / "key")]
    result = CliRunner().invoke(command, arguments)
    assert (result.exit_code, "not 64 hex digits" in result.output) == (2, True)


@contextmanager
def nodes(plugins_of, block_s):
    """Two chains with a clock and an RPC server each; the relayer's account has coins."""
    address = Wallet(bytes.fromhex(KEY), "cosmos").address.text
    genesis = Genesis(funded([(address, [coin("stake", 10**12), coin("grain", 10**6)])]))
    chains = [LocalChain(name, plugins=plugins_of(Config()), genesis=genesis) for name in ("one-1", "two-2")]
    servers = [RpcServer(chain) for chain in chains]
    for server in servers:
        server.start(0.01)
    stop = Event()

    def make_blocks() -> None:
        while not stop.wait(block_s):
            for chain in chains:
                chain.make_block()

    maker = Thread(target=make_blocks)
    maker.start()
    try:
        yield chains, ["--a", servers[0].url, "--b", servers[1].url]
    finally:
        stop.set()
        maker.join()
        for server in servers:
            server.stop()
        for chain in chains:
            chain.close()


@pytest.fixture
def key(tmp_path):
    """The options that name the relayer's key."""
    (tmp_path / "key").write_text(KEY + "\n")
    return ["--key", str(tmp_path / "key")]


@pytest.mark.slow
def test_opens_a_channel_and_finds_it_again(tmp_path, key) -> None:
    with nodes(plugins, 0.25) as (_, urls):
        first = CliRunner().invoke(command, [*urls, *key, "--gas-price", "1", "stake"])
        journal = ["--journal", str(tmp_path / "j.db")]
        second = CliRunner().invoke(command, [*urls, *key, "--json", *journal])
    assert (first.exit_code, second.exit_code) == (0, 0), first.output + second.output
    assert "one-1 channel-0 <-> channel-0 two-2" in first.output
    said = json.loads(second.output)
    assert (said["a"]["channel_id"], said["b"]["channel_id"]) == ("channel-0", "channel-0")
    assert (said["transactions"], said["given_up"]) == (0, {})


CHANNEL_ENDS = ("one-1/connection-0/channel-0", "two-2/connection-3/channel-4")


def coins_over(chain, source, destination, number):
    """Somebody with the relayer's key sends packets of coins, in one transaction."""
    wallet = Wallet(bytes.fromhex(KEY), "cosmos")
    me = wallet.address.text
    data = encode_transfer(Transfer(QueueDenom("grain"), 7, me, me))
    message = MsgQueueSend(parse_end(source), parse_end(destination), None, COINS, data, ZERO_HEIGHT, 0, me)
    sender = LocalEndpoint(chain, wallet, on_demand=False)
    outcome = sender.submit([AnyMessage(queue.SEND, queue.encode_send(message))] * number)
    assert outcome.code == 0, outcome.log


def supply(chain, denom):
    return chain.app.bank.supply(chain.app.query_context(), denom.name)


@pytest.mark.slow
@pytest.mark.parametrize("how", [[], ["--naive"], ["--wait-packets", "9", "--wait-blocks", "2"]])
def test_registers_ends_of_queues_and_relays_over_rpc(key, how) -> None:
    options = [
        *key,
        "--protocol",
        "queue",
        "--ends",
        "one-1",
        "two-2",
        "--ends",
        *CHANNEL_ENDS,
        "--json",
        *how,
    ]
    with nodes(plugins_with_queues, 0.1) as (chains, urls):
        first = CliRunner().invoke(command, [*urls, *options])
        assert first.exit_code == 0, first.output
        coins_over(chains[0], "one-1", "two-2", 3)
        coins_over(chains[1], *CHANNEL_ENDS[::-1], 2)
        second = CliRunner().invoke(command, [*urls, *options])
        assert second.exit_code == 0, second.output
        vouchers = (
            supply(chains[1], QueueDenom("grain").received_from(parse_end("one-1"))),
            supply(chains[0], QueueDenom("grain").received_from(parse_end(CHANNEL_ENDS[1]))),
        )
    opened, said = json.loads(first.output), json.loads(second.output)
    assert [opened[side]["ends"] for side in "ab"] == [["one-1", CHANNEL_ENDS[0]], ["two-2", CHANNEL_ENDS[1]]]
    assert opened["delivered"] == 0
    assert (said["delivered"], said["acknowledged"], said["refused"], said["given_up"]) == (5, 5, 0, {})
    assert (said["transactions"] >= 10) == ("--naive" in how)
    assert vouchers == (21, 14)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--naive"], "--naive: not with --protocol channel"),
        (["--wait-packets", "2", "--ends", "a", "b"], "--ends, --wait-packets: not with --protocol channel"),
        (["--protocol", "queue", "--port", "transfer"], "--port: not with --protocol queue"),
        (["--protocol", "queue", "--naive", "--wait-blocks", "1"], "--naive waits for nobody"),
        (["--protocol", "queue", "--ends", "a", "b/c"], "an end is CHAIN or CHAIN/CONNECTION/CHANNEL"),
        (["--protocol", "queue", "--wait-packets", "0"], "wait-packets"),
    ],
)
def test_options_that_do_not_go_together(arguments, said) -> None:
    result = CliRunner().invoke(command, arguments)
    assert (result.exit_code, said in result.output) == (2, True), result.output
