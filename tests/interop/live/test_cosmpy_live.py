"""cosmpy as a wallet of our chain under CometBFT, and of ibc-go's: what it sees, and how it tells errors."""

from contextlib import ExitStack

import pytest

from conformance.peers.chain import key_text

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module", params=["comet-go", "go-comet"])
def seen(request, cosmpy, open_pair, tmp_path_factory):
    """What cosmpy saw of the first chain, the chain, and what bob and his receivers had before."""
    with ExitStack() as stack:
        pair = open_pair(stack, tmp_path_factory.mktemp("cosmpy"), request.param)
        path = pair.open()
        chain, address = pair.a, pair.a.grpc.removeprefix("http://")
        words = [chain.chain_id, key_text("bob"), chain.address("alice"), "transfer", path.a.channel_id]
        yield cosmpy(address, *words, pair.b.address("alice")), chain, path


def test_balance_send_and_transfer(seen):
    told, chain, path = seen
    assert told["chain_id"] == chain.chain_id
    assert told["account"][1] == 0
    assert told["sequence"] == 2
    assert told["send"]["code"] == told["transfer"]["code"] == 0
    assert 0 < told["height"] < told["send"]["height"] < told["transfer"]["height"]
    sent = {"sender": chain.address("bob"), "recipient": chain.address("alice"), "amount": "5stake"}
    assert sent.items() <= told["send"]["values"]["transfer"].items()
    packet = {"packet_src_channel": path.a.channel_id, "packet_sequence": "1"}
    assert packet.items() <= told["transfer"]["values"]["send_packet"].items()
    assert {"tx", "message", "ibc_transfer", "send_packet"} <= set(told["transfer"]["events"])
    assert told["after"] <= told["before"] - 5 - 11  # and fees, where somebody takes them
    assert 0 < told["send"]["gas_used"] < told["send"]["gas_wanted"]


ERRORS = {
    "unknown account": ("RpcError", "not found"),
    "unknown tx": ("NotFoundError", ""),
    "future block": ("RpcError", "requested"),
    "too much, simulated": ("RpcError", "insufficient funds"),
    "too much": ("BroadcastError", "insufficient funds"),
    "no gas for signing": ("OutOfGasError", "Out of Gas (wanted: 1000, used: "),
    "no gas for the message": ("OutOfGasError", "Out of Gas (wanted: "),
    "sequence": ("BroadcastError", "account sequence mismatch, expected "),
    "too late": ("BroadcastError", "timeout height: 1: tx timeout height"),
    "memo": ("BroadcastError", "257"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(seen, name):
    kind, text = ERRORS[name]
    told = seen[0]["refused"][name]
    assert told["kind"] == kind, told
    assert text in told["text"]
    if kind == "OutOfGasError":
        wanted, used = told["gas"]
        assert 0 < wanted < used
