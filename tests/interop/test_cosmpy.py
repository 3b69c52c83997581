"""cosmpy as a wallet of a localnet chain, by gRPC alone: no CometBFT, no Go."""

import threading

import pytest

from localnet.node import BlockClock
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import two_chains

pytestmark = pytest.mark.interop

PRICE_MICRO = 1_000  # the wallet's own price, 0.001stake


@pytest.fixture
def net():
    pytest.importorskip("grpc", reason="grpcio is not installed (extra `node`)")
    from localnet.grpc.server import serve_grpc
    from localnet.grpc.view import LocalView

    chains = two_chains(users=("alice", "bob", "carol"))
    path = chains.open("transfer", Order.UNORDERED, "ics20-1")
    chain = chains.a.chain
    server = serve_grpc(LocalView(chain), chain.app, 0)
    clock = BlockClock(chain, 0.2)
    thread = threading.Thread(target=clock.run)
    thread.start()
    yield chains, path, server
    clock.stopping.set()
    thread.join()
    server.stop()
    chains.close()


def test_a_user_of_cosmpy(cosmpy, net):
    chains, path, server = net
    secret = bytes(range(1, 33))
    wallet = Wallet(secret, "cosmos")
    chains.a.execute("alice", chains_send(chains, wallet))
    receiver, far = chains.a.address("carol"), chains.b.address("carol")
    end = path.a
    seen = cosmpy(
        server.address,
        chains.a.chain.chain_id,
        secret.hex(),
        receiver,
        end.port_id,
        end.channel_id,
        far,
    )
    assert (seen["before"], seen["account"][1], seen["sequence"]) == (10**6, 0, 2)
    assert (seen["chain_id"], seen["app_name"]) == (chains.a.chain.chain_id, "pyibc")
    for kind in ("send", "transfer"):
        assert seen[kind]["code"] == 0
        assert seen[kind]["gas_used"] * 1.6 < seen[kind]["gas_wanted"] < seen[kind]["gas_used"] * 1.75
        assert chains.a.chain.find_tx(bytes.fromhex(seen[kind]["hash"]))[0] == seen[kind]["height"]
    assert {"send_packet", "ibc_transfer"} <= set(seen["transfer"]["events"])
    fees = sum(-(-seen[kind]["gas_wanted"] * PRICE_MICRO // 10**6) for kind in ("send", "transfer"))
    assert seen["after"] == 10**6 - 5 - 11 - fees
    assert seen["receiver"] == [["stake", 10**12 + 5]]


def chains_send(chains, wallet):
    """Alice gives a new wallet a million."""
    from pyibc.chain.bank.send import MSG_SEND, encode_send

    sender, coins = chains.a.address("alice"), (coin("stake", 10**6),)
    return AnyMessage(MSG_SEND, encode_send(sender, wallet.address.text, coins))
