"""A packet whose JSON nests deeper than the stack fails on every validator alike, and no chain stops."""

from contextlib import closing

import pytest

from ibc_module.plugin import Config
from pyibc.apps.interchain_accounts.messages import MsgSendTx
from pyibc.apps.interchain_accounts.packet_data import (
    EXECUTE_TX,
    PROTO3_JSON,
    InterchainAccountPacketData,
    default_metadata,
    encode_metadata,
)
from pyibc.apps.interchain_accounts.plugin import InterchainAccountsPlugin
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.testing.interchain_accounts import MINUTE_NS, register_account
from pyibc.testing.pair import two_chains

FUNDS = (coin("stake", 10**12),)


def with_accounts():
    return [InterchainAccountsPlugin(), *plugins(Config())]


def mode_info(levels):
    """A `CosmosTx` in JSON with one message, an Any of a type that contains itself, `levels` deep."""
    inner = b'{"single":{"mode":"SIGN_MODE_DIRECT"}}'
    below = b'{"multi":{"bitarray":null,"mode_infos":[' * (levels - 1) + inner + b"]}}" * (levels - 1)
    first = b'{"@type":"/cosmos.tx.v1beta1.ModeInfo","multi":{"bitarray":null,"mode_infos":[' + below + b"]}}"
    return b'{"messages":[' + first + b"]}"


@pytest.mark.parametrize("levels", [60, 1_240, 2_000])
def test_h243_json_that_nests_deeper_than_the_stack_is_answered_with_an_error(levels):
    net = two_chains(plugins=with_accounts, funds=FUNDS)
    with closing(net):
        transfers = net.open("transfer", Order.UNORDERED, "ics20-1")
        on_a, on_b = transfers.a.connection_id, transfers.b.connection_id
        version = encode_metadata(default_metadata(on_a, on_b)._replace(encoding=PROTO3_JSON))
        path = register_account(net, "alice", on_a, Order.UNORDERED, version)
        data = InterchainAccountPacketData(EXECUTE_TX, mode_info(levels), "")
        sent = net.a.execute("alice", pack_msg(MsgSendTx(net.a.address("alice"), on_a, data, MINUTE_NS)))
        assert sent.code == 0, sent.log
        net.relay(path)
        answers = [
            bytes.fromhex(dict(attributes)["packet_ack_hex"])
            for height in range(1, net.b.chain.height + 1)
            for outcome in net.b.chain.block(height).txs
            for name, attributes in outcome.events
            if name == "write_acknowledgement"
        ]
        [answer] = answers
        assert acks.parse(answer).error == "ABCI code: 12: error handling packet: see events for details"
        height = net.b.chain.height
        net.b.chain.make_block([])
        assert net.b.chain.height == height + 1
