"""`pyibc relay --protocol queue` against nodes in this process."""

import json

import pytest
from click.testing import CliRunner

from conformance.kit.serving import serving
from localnet.endpoint import LocalEndpoint
from pyibc.chain.parts import plugins_with_queues
from pyibc.cli.relay import command
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.wire.message import pack_msg
from pyibc.queues.coins import COINS, CoinTransfer, QueueDenom, encode_transfer
from pyibc.queues.messages import MsgQueueSend
from pyibc.queues.types import parse_end
from pyibc.relayer.money.wallet import Wallet

KEY = "11" * 32
CHANNEL_ENDS = ("one-1/connection-0/channel-0", "two-2/connection-3/channel-4")


def coins_over(chain, source, destination, number):
    """Somebody with the relayer's key sends packets of coins, in one transaction."""
    wallet = Wallet(bytes.fromhex(KEY), "cosmos")
    me = wallet.address.text
    data = encode_transfer(CoinTransfer(QueueDenom("grain"), 7, me, me))
    message = MsgQueueSend(parse_end(source), parse_end(destination), None, COINS, data, ZERO_HEIGHT, 0, me)
    sender = LocalEndpoint(chain, wallet, on_demand=False)
    outcome = sender.submit([pack_msg(message)] * number)
    assert outcome.code == 0, outcome.log


def supply(chain, denom):
    return chain.app.bank.supply(chain.app.query_context(), denom.name)


@pytest.mark.parametrize("how", [[], ["--naive"], ["--wait-packets", "9", "--wait-blocks", "2"]])
def test_registers_ends_of_queues_and_relays_over_rpc(key_file, how) -> None:
    options = [
        "--key",
        key_file,
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
    with serving(("one-1", "two-2"), plugins_with_queues, [KEY], 0.1) as servers:
        chains, urls = [server.chain for server in servers], ["--a", servers[0].url, "--b", servers[1].url]
        nothing = CliRunner().invoke(command, [*urls, *options])
        assert (nothing.exit_code, "no usable registration" in nothing.output) == (1, True)
        given = options[: options.index("--json") + 1]
        first = CliRunner().invoke(command, ["create", "path", *urls, *given])
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
    assert (said["delivered"], said["acknowledged"], said["refused"], said["given_up"]) == (5, 5, 0, {})
    assert (said["transactions"] >= 10) == ("--naive" in how)
    assert vouchers == (21, 14)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--naive"], "--naive: not with --protocol channel"),
        (["--wait-packets", "2", "--ends", "a", "b"], "--ends, --wait-packets: not with --protocol channel"),
        (["--protocol", "queue", "--port", "transfer"], "--port: not with --protocol queue"),
        (["--protocol", "queue", "--naive", "--wait-blocks", "1"], "--naive cannot be combined"),
        (["--protocol", "queue", "--ends", "a", "b/c"], "an end is CHAIN or CHAIN/CONNECTION/CHANNEL"),
        (["--protocol", "queue", "--wait-packets", "0"], "wait-packets"),
    ],
)
def test_options_that_do_not_go_together(arguments, said) -> None:
    result = CliRunner().invoke(command, arguments)
    assert (result.exit_code, said in result.output) == (2, True), result.output
