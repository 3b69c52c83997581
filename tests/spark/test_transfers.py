"""Transfers over several hops, refunds, second payloads; and the tables beside packets, in one run."""

import itertools
import json
from decimal import Decimal
from types import SimpleNamespace

import pytest

import pyibc
from pyibc.apps.transfer.packet_data import AbiTransfer
from pyibc.apps.transfer.packet_data import encode_abi as to_abi
from pyibc.indexer import open_results
from pyibc.indexer.blocks.block import Block, MessageFacts, Tx, TxContent
from pyibc.indexer.blocks.lines import encode_line
from pyibc.proto.ibc.core.channel.v2.packet_pb2 import Packet
from tests.index_questions import CLIENT, questions
from tests.packet_attributes import attributes

UPDATE, RECV, ACK = (
    f"/ibc.core.{name}"
    for name in ("client.v1.MsgUpdateClient", "channel.v1.MsgRecvPacket", "channel.v1.MsgAcknowledgement")
)
DOWN, UP = b'{"error":"no"}'.hex(), b'{"result":"AQ=="}'.hex()


def event(kind, **attributes):
    return (kind, tuple(attributes.items()))


def packet(kind, sequence, src, dst, told=None, **more):
    found = attributes(sequence, src, dst, until=9 * 10**18, msg_index="0", **more)
    if told is not None:
        found["packet_data_hex"] = json.dumps(told).encode().hex()
    return event(kind, **found)


def told(denom, receiver, memo="", amount="7", sender="alice"):
    return {"denom": denom, "amount": amount, "sender": sender, "receiver": receiver, "memo": memo}


def order(receiver, channel, **more):
    return json.dumps({"forward": {"receiver": receiver, "channel": channel, **more}})


AB, BC, CD = ("channel-1", "channel-2"), ("channel-3", "channel-4"), ("channel-5", "channel-6")


class Story:
    """Chains a-1 to d-1; every transaction is a block of its own, and its hash counts them."""

    def __init__(self):
        self.blocks = {}
        self.hashes = 0

    def tx(self, chain, *events, **more):
        self.hashes += 1
        name = f"{self.hashes:064X}"
        found = self.blocks.setdefault(chain, [])
        found.append(
            Block(
                chain, len(found) + 1, self.hashes * 10**9, (Tx(name, more.pop("code", 0), events, **more),)
            )
        )
        return name

    def over_three_hops(self, sequence, *, fails):
        """From a-1 to d-1; where it `fails`, d-1 refuses, and all before get their coins back."""
        first = told("uatom", "pfm-b", order("pfm-c", "channel-3", next=order("dora", "channel-5")))
        second = told("transfer/channel-2/uatom", "pfm-c", order("dora", "channel-5"), sender="pfm-b")
        third = told("transfer/channel-4/transfer/channel-2/uatom", "dora", sender="pfm-c")
        self.tx("a-1", packet("send_packet", sequence, *AB, first))
        self.tx(
            "b-1",
            packet("recv_packet", sequence, *AB, first),
            packet("send_packet", sequence + 10, *BC, second),
        )
        self.tx(
            "c-1",
            packet("recv_packet", sequence + 10, *BC, second),
            packet("send_packet", sequence + 20, *CD, third),
        )
        ack = {"packet_ack_hex": DOWN if fails else UP}
        back = event("fungible_token_packet", **{"error" if fails else "success": "1"}, msg_index="0")
        hops = (("d-1", 20, CD, third), ("c-1", 10, BC, second), ("b-1", 0, AB, first))
        for number, (chain, more, ends, data) in enumerate(hops):
            events = [packet("write_acknowledgement", sequence + more, *ends, data, **ack)]
            if number == 0:
                events.insert(0, packet("recv_packet", sequence + more, *ends, data))
            else:
                _, before, ends_before, _ = hops[number - 1]
                events.insert(0, packet("acknowledge_packet", sequence + before, *ends_before))
                events.insert(1, back)
            self.tx(chain, *events)
        self.tx("a-1", packet("acknowledge_packet", sequence, *AB), back)


def v2_packet():
    found = Packet(sequence=3, source_client="cl-1", destination_client="cl-2", timeout_timestamp=9)
    abi = to_abi(AbiTransfer("uatom", "0xA1", "bob", 2**256 - 1, "m" * 2000))
    for port, encoding, value in (
        ("icq", "application/json", b"{}"),
        ("transfer", "application/x-solidity-abi", abi),
        ("transfer", "application/json", json.dumps(told("ustake", "bob", amount="5")).encode()),
    ):
        found.payloads.add(
            source_port=port, destination_port=f"{port}2", version="ics20-1", encoding=encoding, value=value
        )
    return event(
        "send_packet",
        packet_source_client="cl-1",
        packet_dest_client="cl-2",
        packet_sequence="3",
        packet_timeout_timestamp="9",
        encoded_packet_hex=found.SerializeToString().hex(),
    )


def relayed(code=0, fee=(("uatom", "50"),), **more):
    messages = (
        MessageFacts(UPDATE, "rel", "07-tendermint-1", chain_id="a-1", revision=1, height=77, time_ns=10**18),
        MessageFacts(RECV, "rel", port="transfer", channel="channel-2", sequence=1, revision=1, height=77),
        MessageFacts(ACK, "rel", port="transfer", channel="channel-2", sequence=9, revision=1, height=77),
    )
    content = TxContent("by rel", fee, "rel", messages)
    return {"code": code, "content": content, "gas_wanted": 2**63 - 1, "gas_used": 10, **more}


@pytest.fixture(scope="module")
def story():
    made = Story()
    made.over_three_hops(1, fails=False)
    made.over_three_hops(2, fails=True)
    made.tx("a-1", v2_packet())
    created = event("create_client", client_id="07-tendermint-1", client_type="07-tendermint", msg_index="0")
    state = MessageFacts(
        "/ibc.core.client.v1.MsgCreateClient",
        "rel",
        chain_id="a-1",
        revision=1,
        height=5,
        time_ns=10**17,
        trusting_ns=3600 * 10**9,
    )
    made.tx("b-1", created, content=TxContent(messages=(state,)))
    update = event("update_client", client_id="07-tendermint-1", consensus_height="1-77", msg_index="0")
    once = packet("recv_packet", 90, *AB)
    made.tx("b-1", update, once, **relayed())
    made.tx("b-1", **relayed(code=22, codespace="channel"))
    made.tx("b-1", **relayed(code=11, codespace="sdk", fee=(("uatom", "1"), ("uosmo", "2"))))
    handshake = {"port_id": "transfer", "channel_id": "channel-2", "connection_id": "connection-8"}
    other = {"counterparty_port_id": "transfer", "counterparty_channel_id": "channel-1"}
    made.tx("b-1", event("connection_open_ack", connection_id="connection-8", client_id="07-tendermint-1"))
    made.tx("b-1", event("channel_open_confirm", **handshake, **other))
    return made


@pytest.fixture(scope="module")
def found(story, tmp_path_factory):
    folder = tmp_path_factory.mktemp("transfers")
    for chain, blocks in story.blocks.items():
        (folder / f"blocks-{chain}.jsonl").write_bytes(b"".join(map(encode_line, blocks)))
    return pyibc.index(folder, frames="polars")


@pytest.fixture(scope="module")
def ask(found):
    """The rows of a query of the results, as objects."""
    base = open_results(found.folder)
    return lambda query: [SimpleNamespace(**row) for row in base.sql(query).to_arrow_table().to_pylist()]


@pytest.fixture(scope="module")
def transfers(ask):
    return [vars(row) for row in ask("FROM transfers ORDER BY transfer_id, hop")]


def journey(transfers, sequence):
    start = next(row for row in transfers if row["src_chain"] == "a-1" and row["sequence"] == sequence)
    return [row for row in transfers if row["transfer_id"] == start["packet_id"]]


@pytest.mark.parametrize(("sequence", "outcome"), [(1, "delivered"), (2, "refunded")])
def test_a_transfer_is_traced_over_its_hops(transfers, sequence, outcome):
    hops = journey(transfers, sequence)
    told = [(row["hop"], row["src_chain"], row["dst_chain"], row["sequence"], row["outcome"]) for row in hops]
    assert told == [
        (1, "a-1", "b-1", sequence, outcome),
        (2, "b-1", "c-1", sequence + 10, outcome),
        (3, "c-1", "d-1", sequence + 20, outcome),
    ]
    assert {(row["base_denom"], row["amount"], row["amount_decimal"]) for row in hops} == {
        ("uatom", "7", Decimal(7))
    }
    assert [row["trace"] for row in hops] == [
        None,
        "transfer/channel-2",
        "transfer/channel-4/transfer/channel-2",
    ]
    assert all(row["dst_coin"] == after["src_coin"] for row, after in itertools.pairwise(hops))
    assert (hops[0]["src_coin"], hops[0]["sender"], hops[2]["receiver"]) == ("uatom", "alice", "dora")


def test_every_payload_has_a_row(transfers, ask):
    rows = [row for row in transfers if row["protocol"] == 2]
    (packet,) = ask("FROM packets WHERE protocol = 2")
    assert (packet.payloads, packet.sender, packet.denom) == (3, None, None)
    assert [(row["payload"], row["src_port"], row["dst_port"], row["amount"]) for row in rows] == [
        (1, "transfer", "transfer2", str(2**256 - 1)),
        (2, "transfer", "transfer2", "5"),
    ]
    assert [row["transfer_id"] for row in rows] == [f"{packet.packet_id}#1", f"{packet.packet_id}#2"]
    assert (rows[0]["sender"], rows[0]["amount_decimal"], rows[0]["memo"]) == ("0xA1", None, "m" * 1024)
    assert {row["outcome"] for row in rows} == {"pending"}
    assert len(transfers) == 8


def test_packets_name_their_transactions_and_people(ask):
    (row,) = ask("FROM packets WHERE src_chain = 'a-1' AND sequence = 1 AND protocol = 1")
    assert [row.send_tx, row.recv_tx, row.ack_tx, row.timeout_tx] == [f"{n:064X}" for n in (1, 2, 7)] + [None]
    assert (row.sender, row.receiver, json.loads(row.memo)["forward"]["channel"], row.payloads) == (
        "alice",
        "pfm-b",
        "channel-3",
        1,
    )


def test_transactions_and_messages(ask, story):
    txs = ask("FROM transactions WHERE relays > 0 ORDER BY height")
    assert [(tx.code, tx.codespace, tx.fee_denom, tx.fee_amount, tx.fee) for tx in txs] == [
        (0, None, "uatom", "50", "50uatom"),
        (22, "channel", "uatom", "50", "50uatom"),
        (11, "sdk", None, None, "1uatom,2uosmo"),
    ]
    assert {(tx.signer, tx.memo, tx.gas_wanted, tx.gas_used, tx.messages, tx.relays) for tx in txs} == {
        ("rel", "by rel", 2**63 - 1, 10, 3, 2)
    }
    assert [tx.steps for tx in txs] == [1, 0, 0]
    assert len(ask("FROM transactions")) == sum(map(len, story.blocks.values()))
    messages = ask("FROM messages WHERE code = 22 ORDER BY message_index")
    assert [
        (m.type_url, m.client, m.channel, m.sequence, m.other_chain, m.other_height) for m in messages
    ] == [
        (UPDATE, "07-tendermint-1", None, None, "a-1", "1-77"),
        (RECV, None, "channel-2", 1, None, "1-77"),
        (ACK, None, "channel-2", 9, None, "1-77"),
    ]


def test_clients_and_channels(ask):
    (client,) = ask("FROM clients")
    assert (client.chain, client.client, client.claimed_chain, client.updates) == (
        "b-1",
        "07-tendermint-1",
        "a-1",
        1,
    )
    assert (client.trusting_period_s, client.consensus_height, client.misbehaved) == (3600.0, "1-77", False)
    assert (client.expires_time - client.consensus_time).total_seconds() == 3600.0
    assert client.created_height < client.last_update_height
    (asked,) = ask(questions("a-1", "b-1")[4])
    assert vars(asked) == {name: getattr(client, name) for name in CLIENT}
    channels = {(row.chain, row.port, row.channel): row for row in ask("FROM channels")}
    end = channels["b-1", "transfer", "channel-2"]
    assert (end.state, end.connection, end.client, end.other_chain, end.other_channel) == (
        "OPEN",
        "connection-8",
        "07-tendermint-1",
        "a-1",
        "channel-1",
    )
    seen = channels["a-1", "transfer", "channel-1"]  # by its packets alone
    assert (seen.state, seen.other_channel, seen.connection) == (None, "channel-2", None)


def test_what_relaying_costs(found):
    costs = [SimpleNamespace(**row) for row in found.relayer_costs.rows(named=True)]
    rows = {row.fee_denom: row for row in costs if row.relayer == "rel"}
    one, many = rows["uatom"], rows[None]
    assert (one.chain, one.transactions, one.failed, one.failed_redundant) == ("b-1", 2, 1, 1)
    assert (one.messages, one.redundant, one.fees, one.failed_fees) == (4, 1, Decimal(100), Decimal(50))
    assert (many.transactions, many.failed, many.failed_redundant, many.fees) == (1, 1, 0, None)
