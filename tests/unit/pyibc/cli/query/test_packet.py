"""`pyibc query packet`: what became of a packet, by both chains; its last line answers "did bob get it?"."""

from contextlib import closing
from types import SimpleNamespace

import pytest

from pyibc.cli.query import packet
from pyibc.core.channel.types import Order
from pyibc.core.packet import types as packet_types
from pyibc.core.packet_v2.types import NS_PER_S
from pyibc.core.paths import (
    channel_path,
    packet_acknowledgement_path,
    packet_commitment_path,
    packet_receipt_path,
)
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.testing.pair import FUNDS, SECOND, Numbers, TwoChains, ibc_plugins, make_parties
from pyibc.testing.transfers import transfer, transfer_v2
from tests.unit.pyibc.cli.query.conftest import A, B, run, shown

ENDS = ("--from", A, "--to", B)


@pytest.fixture
def path(net):
    return net.open("transfer", Order.UNORDERED, "ics20-1")


def send(net, path, receiver=None, **timeout):
    to = net.b.address("bob") if receiver is None else receiver
    message = transfer(net.a, "alice", path.a, "stake", 5, to, **timeout)
    assert net.a.execute("alice", message).code == 0


def send_v2(net, path, receiver, until_s=0):
    message = transfer_v2(net.a, "alice", path.a, "stake", 5, receiver, until_s=until_s)
    assert net.a.execute("alice", message).code == 0


def without_index(net):
    for node in net.nodes.values():
        refused = EndpointRefused("node", "tx_search", "transaction indexing is disabled")
        node.spoil = lambda method, answer, refused=refused: refused if method.endswith("_search") else answer


def test_a_transfer_that_arrived(net, path):
    send(net, path)
    net.relay(path)
    alice, bob = net.a.address("alice"), net.b.address("bob")
    row = shown("packet", path.a.channel_id, "1", *ENDS)
    steps = {step: row.pop(step) for step in ("sent", "received", "written", "acknowledged")}
    assert all(len(each["tx"]) == 64 and each["height"] > 0 for each in steps.values())
    assert steps["received"] == steps["written"]
    at = steps["received"]["height"]
    del row["timeout"]
    assert row == {
        "source": {"chain_id": "chain-a-1", "end": f"transfer/{path.a.channel_id}"},
        "destination": {"chain_id": "chain-b-1", "end": f"transfer/{path.b.channel_id}"},
        "sequence": 1,
        "fate": "delivered",
        "ended": True,
        "refunded": False,
        "error": "",
        "transfer": {"sender": alice, "receiver": bob, "amount": "5", "denom": "stake", "memo": ""},
        "answer": f"Yes: {bob} received 5 stake on chain-b-1 at height {at}.",
    }
    text = run("packet", f"transfer/{path.a.channel_id}", "1", *ENDS)
    assert text.exit_code == 0
    assert text.stdout.splitlines()[-1] == row["answer"]
    assert f"received:      chain-b-1 height {at}, tx {steps['received']['tx']}" in text.stdout


def test_a_transfer_that_was_refused_is_told_with_the_error_of_the_application(net, path):
    send(net, path, "somebody")
    send(net, path, "nobody")
    net.relay(path)
    row = shown("packet", path.a.channel_id, "2", *ENDS)
    assert (row["fate"], row["ended"], row["refunded"]) == ("refused", True, True)
    assert "nobody" in row["error"]
    alice = net.a.address("alice")
    expected = f"No: chain-b-1 refused the packet: {row['error']}; 5 stake went back to {alice} on chain-a-1."
    assert row["answer"] == expected
    assert "refunded:      yes" in run("packet", path.a.channel_id, "2", *ENDS).stdout
    assert "somebody" in shown("packet", path.a.channel_id, "1", *ENDS)["error"]


def test_the_error_of_another_packet_in_the_transaction_is_not_its_own(net, path):
    two = [transfer(net.a, "alice", path.a, "stake", 5, receiver) for receiver in ("somebody", "nobody")]
    assert net.a.execute("alice", *two).code == 0
    net.relay(path)

    def spoil(method, answer):
        """Leave out the first packet's error, as an application that emits none."""
        if method == "block_results":
            events = [event for tx in answer["txs_results"] or () for event in tx["events"]]
            for pair in (pair for event in events for pair in event["attributes"]):
                if pair["key"].endswith("error") and "somebody" in pair["value"]:
                    pair["key"] = "other"
        return answer

    net.nodes[B].spoil = spoil
    first, second = (shown("packet", path.a.channel_id, number, *ENDS)["error"] for number in "12")
    txs = [shown("packet", path.a.channel_id, number, *ENDS)["received"]["tx"] for number in "12"]
    assert txs[0] == txs[1]
    assert first.startswith("ABCI code: ")
    assert "nobody" in second


def test_a_transfer_that_is_under_way_and_one_that_can_no_longer_arrive(net, path):
    send(net, path, until=net.clock.now_ns + 600 * SECOND)
    row = shown("packet", path.a.channel_id, "1", *ENDS, code=3)
    assert (row["fate"], row["ended"], row["refunded"]) == ("pending", False, False)
    assert row["answer"].startswith("Not yet: chain-b-1 has not received the packet; run a relayer")
    net.clock.advance(3600 * SECOND)
    net.b.chain.make_block()
    row = shown("packet", path.a.channel_id, "1", *ENDS, code=3)
    assert (row["fate"], row["refunded"]) == ("expired", False)
    assert row["answer"].startswith("No: the packet timed out before chain-b-1 received it; 5 stake go back")
    net.relay(path)
    row = shown("packet", path.a.channel_id, "1", *ENDS)
    assert (row["fate"], row["refunded"], "timed_out" in row) == ("timed_out", True, True)
    assert row["answer"].endswith(f"; 5 stake went back to {net.a.address('alice')} on chain-a-1.")


def test_an_answer_that_has_not_come_back_is_left_to_relay(net, path, monkeypatch):
    send(net, path)
    send(net, path, "nobody")
    keys = [packet_commitment_path("transfer", path.a.channel_id, sequence) for sequence in (1, 2)]
    before = {key: net.a.chain.get(key) for key in keys}
    net.relay(path)
    get = RpcEndpoint.get
    monkeypatch.setattr(RpcEndpoint, "get", lambda chain, key: before.get(key) or get(chain, key))
    row = shown("packet", path.a.channel_id, "1", *ENDS, code=3)
    assert (row["fate"], row["ended"], "acknowledged" in row) == ("delivered", False, False)
    assert row["answer"].startswith("Yes: ")
    assert "chain-a-1 has not been told: run a relayer" in row["answer"]
    row = shown("packet", path.a.channel_id, "2", *ENDS, code=3)
    assert (row["fate"], row["refunded"]) == ("refused", False)
    assert "5 stake go back to" in row["answer"]


def without_receipt(path, monkeypatch):
    """The receiver's node has neither receipt nor acknowledgement of the first packet."""
    keys_of = (packet_receipt_path, packet_acknowledgement_path)
    lacking = {make("transfer", path.b.channel_id, 1) for make in keys_of}
    get = RpcEndpoint.get
    monkeypatch.setattr(RpcEndpoint, "get", lambda chain, key: None if key in lacking else get(chain, key))


def test_a_node_of_the_receiver_that_lags_does_not_make_it_a_timeout(net, path, monkeypatch):
    send(net, path)
    net.relay(path)
    without_receipt(path, monkeypatch)
    row = shown("packet", path.a.channel_id, "1", *ENDS)
    assert (row["fate"], row["refunded"], "acknowledged" in row) == ("answered", False, True)


def test_a_packet_that_ended_without_a_trace_on_either_chain_is_not_told_as_timed_out(net, path, monkeypatch):
    send(net, path)
    net.relay(path)
    without_receipt(path, monkeypatch)
    without_index(net)
    row = shown("packet", path.a.channel_id, "1", *ENDS)
    assert (row["fate"], row["ended"], row["refunded"]) == ("unknown", True, False)
    assert row["answer"].startswith("Not known: chain-a-1 has finished with the packet")
    assert "Ask again later, or another node: --to for chain-b-1" in row["answer"]


def test_a_packet_that_is_received_while_the_nodes_are_asked_has_not_expired(net, path, monkeypatch):
    send(net, path, until=net.clock.now_ns + 600 * SECOND)
    receipt, get = packet_receipt_path("transfer", path.b.channel_id, 1), RpcEndpoint.get

    def get_before_the_next_block(chain, key):
        value = get(chain, key)
        if key == receipt:
            net.clock.advance(3600 * SECOND)
            net.b.chain.make_block()
        return value

    monkeypatch.setattr(RpcEndpoint, "get", get_before_the_next_block)
    assert shown("packet", path.a.channel_id, "1", *ENDS, code=3)["fate"] == "pending"


def test_nodes_without_an_index_tell_the_fate_from_state(net, path):
    send(net, path)
    send(net, path, "nobody")
    net.relay(path)
    send(net, path)
    without_index(net)
    row = shown("packet", path.a.channel_id, "1", *ENDS)
    assert (row["fate"], row["ended"], "sent" in row) == ("delivered", True, False)
    assert row["answer"] == "Yes: the application on chain-b-1 accepted the packet."
    row = shown("packet", path.a.channel_id, "2", *ENDS)
    assert (row["fate"], row["ended"]) == ("answered", True)
    assert row["answer"].startswith("Not known: chain-b-1 answered the packet")
    assert shown("packet", path.a.channel_id, "3", *ENDS, code=3)["fate"] == "pending"


def test_packets_between_clients(net):
    path = net.open_clients()
    soon = net.a.chain.tip().time_ns // NS_PER_S + 600
    for receiver, until_s in ((net.b.address("bob"), 0), ("nobody", 0), (net.b.address("bob"), soon)):
        send_v2(net, path, receiver, until_s)
        if not until_s:
            net.relay(path)
    client = path.a.client_id
    row = shown("packet", client, "1", *ENDS)
    assert (row["fate"], row["source"]["end"]) == ("delivered", client)
    row = shown("packet", client, "2", *ENDS)
    assert (row["fate"], row["refunded"]) == ("refused", True)
    assert "nobody" in row["error"]
    net.clock.advance(3600 * SECOND)
    net.b.chain.make_block()
    assert shown("packet", client, "3", *ENDS, code=3)["fate"] == "expired"
    net.relay(path)
    assert shown("packet", client, "3", *ENDS)["fate"] == "timed_out"
    without_index(net)
    fates = [shown("packet", client, str(number), *ENDS)["fate"] for number in (1, 2, 3)]
    assert fates == ["delivered", "answered", "unknown"]


def test_a_packet_of_another_chain_with_the_same_source_end_and_sequence_is_not_taken_for_it(net, path):
    funds = {"chain-c-1": FUNDS}
    (far,) = make_parties(
        {"chain-c-1": Numbers()}, plugins=ibc_plugins, users=["alice"], funds=funds, clock=net.clock
    )
    with closing(far.chain):
        others = TwoChains(far, net.b, net.clock)
        theirs = others.open("transfer", Order.UNORDERED, "ics20-1")
        assert theirs.a.channel_id == path.a.channel_id
        send(others, theirs, "nobody")
        others.relay(theirs)
    before = net.b.chain.height
    send(net, path)
    net.relay(path)
    row = shown("packet", path.a.channel_id, "1", *ENDS)
    received = row.get("received", {"height": 0})
    assert (row["fate"], received["height"] > before) == ("delivered", True)


def test_a_packet_that_was_not_sent_has_an_exit_code_of_its_own(net, path):
    done = run("packet", path.a.channel_id, "1", *ENDS)
    assert (done.exit_code, done.stdout) == (4, "")
    assert done.stderr.startswith("error: chain-a-1 has sent no packet 1 over transfer/")
    done = run("packet", "channel-77", "1", *ENDS)
    assert (done.exit_code, done.stdout) == (4, "")
    assert "chain-a-1 has no channel transfer/channel-77" in done.stderr
    clients = net.open_clients()
    assert run("packet", clients.a.client_id, "1", *ENDS).exit_code == 4


def test_a_packet_other_than_the_committed_one_is_malformed(net, path, monkeypatch):
    send(net, path)
    monkeypatch.setattr("pyibc.relayer.packets.history.commitment_of", lambda _packet: b"another")
    done = run("packet", path.a.channel_id, "1", *ENDS)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "malformed answer: the event's packet is not the committed one" in done.stderr


def test_an_acknowledgement_other_than_the_committed_one_is_malformed(net, path, monkeypatch):
    send(net, path)
    net.relay(path)
    monkeypatch.setattr(packet_types, "acknowledgement_commitment", lambda _raw: b"another")
    done = run("packet", path.a.channel_id, "1", *ENDS)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "malformed answer: the event's acknowledgement is not the committed one" in done.stderr


def test_a_path_that_leads_elsewhere_is_refused(net, path, monkeypatch):
    done = run("packet", path.a.channel_id, "1", "--from", A, "--to", A)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "leads to chain-b-1, not to chain-a-1 (--to)" in done.stderr
    key = channel_path("transfer", path.b.channel_id)
    assert len(path.a.channel_id) == len("channel-7")
    end = net.b.chain.get(key).replace(path.a.channel_id.encode(), b"channel-7")
    get = RpcEndpoint.get
    monkeypatch.setattr(RpcEndpoint, "get", lambda chain, asked: end if asked == key else get(chain, asked))
    done = run("packet", path.a.channel_id, "1", *ENDS)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "does not lead back to it" in done.stderr


def test_chains_of_a_localnet_are_named_and_the_other_one_is_found_by_the_client(net, path, monkeypatch):
    nodes = [
        SimpleNamespace(chain_id="chain-a-1", rpc=A, pid=1),
        SimpleNamespace(chain_id="chain-b-1", rpc=B, pid=1),
    ]
    asked = []
    monkeypatch.setattr(packet, "running", lambda name: (asked.append(name), nodes))
    send(net, path)
    net.relay(path)
    for arguments in ((), ("--from", "chain-a-1"), ("--from", "default/chain-a-1", "--to", "chain-b-1")):
        assert shown("packet", path.a.channel_id, "1", *arguments)["fate"] == "delivered"
    assert set(asked) == {"default"}
    assert shown("packet", path.a.channel_id, "1", "--from", "try/chain-a-1")["fate"] == "delivered"
    assert asked[-2:] == ["try", "try"]
    done = run("packet", path.a.channel_id, "1", "--from", "chain-c-1")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--from: network 'default' has no chain 'chain-c-1'; it has chain-a-1, chain-b-1" in done.stderr
    done = run("packet", path.a.channel_id, "1", "--from", A)
    assert (done.exit_code, done.stderr) == (2, "error: --to is missing: the RPC of chain-b-1\n")
