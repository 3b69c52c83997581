"""Transfers over several hops, refunds, second payloads; and the tables beside packets, in one run."""

import itertools
import json
from decimal import Decimal
from types import SimpleNamespace

import pytest

import pyibc
from pyibc.indexer import open_results
from pyibc.indexer.blocks.lines import encode_line
from tests.index_questions import CLIENT, questions
from tests.transfer_stories import (
    ACK,
    RECV,
    UPDATE,
    whole_story,
)


@pytest.fixture(scope="module")
def story():
    return whole_story()


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
