"""cosmpy as a wallet of a localnet chain, by gRPC alone: no CometBFT, no Go."""

import json
import os
import subprocess
import threading
from pathlib import Path

import pytest

from ibc_module.core.channel import Order
from ibc_module.core.coin import coin
from ibc_module.relayer.wallet import Wallet
from localnet.blockclock import BlockClock
from localnet.testkit.two_chains import two_chains

pytestmark = pytest.mark.interop

ROOT = Path(__file__).resolve().parents[2]
PRICE_MICRO = 1_000  # the wallet's own price, 0.001stake


@pytest.fixture(scope="session")
def cosmpy():
    """A Python that has cosmpy: its protobuf is older than ours, so it lives by itself."""
    for path in (os.environ.get("COSMPY_PYTHON"), ROOT / ".cache" / "cosmpy" / "bin" / "python"):
        if path and Path(path).is_file():
            return str(path)
    pytest.skip("no cosmpy: `make cosmpy` installs it, or set COSMPY_PYTHON to a Python that has it")


@pytest.fixture
def net():
    pytest.importorskip("grpc", reason="grpcio is not installed (extra `node`)")
    from localnet.grpc.local_view import LocalView
    from localnet.grpc.server import serve_grpc

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
    done = subprocess.run(
        [
            cosmpy,
            Path(__file__).with_name("cosmpy_wallet.py"),
            server.address,
            chains.a.chain.chain_id,
            secret.hex(),
            receiver,
            end.port_id,
            end.channel_id,
            far,
        ],
        capture_output=True,
        text=True,
        timeout=120,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
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
    from ibc_module.core.messages import AnyMessage
    from localnet.host.bank_send import MSG_SEND, encode_send

    sender, coins = chains.a.address("alice"), (coin("stake", 10**6),)
    return AnyMessage(MSG_SEND, encode_send(sender, wallet.address.text, coins))
