"""The chain at the other end, named by one side's own data, through the whole job."""

import json
from collections import Counter

import pytest

from pyibc.indexer.blocks.block import Block, MessageFacts, Tx, TxContent
from pyibc.indexer.blocks.lines import encode_line
from tests.packet_attributes import attributes

CREATE, UPDATE, RECV = (
    f"/ibc.core.{name}"
    for name in ("client.v1.MsgCreateClient", "client.v1.MsgUpdateClient", "channel.v1.MsgRecvPacket")
)


def event(kind, **attributes):
    return (kind, tuple(attributes.items()))


def packet(kind, sequence, src="channel-0", dst="channel-7", **more):
    return event(kind, **attributes(sequence, src, ("wasm.x", dst), **more))


def tx(*events, messages=(), code=0, problems=()):
    return Tx("AB", code, events, content=TxContent(messages=messages, problems=problems))


def handshake(client, claims, channel="channel-0", other="channel-7"):
    return tx(
        event("create_client", client_id=client, msg_index="0"),
        event(
            "connection_open_init", connection_id="connection-3", client_id=client, counterparty_client_id="c"
        ),
        event(
            "channel_open_ack",
            port_id="transfer",
            channel_id=channel,
            counterparty_port_id="wasm.x",
            counterparty_channel_id=other,
            connection_id="connection-3",
        ),
        messages=(MessageFacts(CREATE, chain_id=claims),),
    )


def proved(client, channel, sequence):
    return tx(
        event("update_client", client_id=client),
        packet("recv_packet", sequence, src="channel-5", dst=channel, connection_id="connection-8"),
        messages=(
            MessageFacts(UPDATE, client_id=client, chain_id="far-1", revision=1, height=9),
            MessageFacts(RECV, port="wasm.x", channel=channel, sequence=1, revision=1, height=9),
        ),
    )


STORIES = {
    "handshake-1": [handshake("07-tendermint-2", "other-4"), tx(packet("send_packet", 1))],
    "liar-1": [handshake("07-tendermint-2", "handshake-1"), tx(packet("send_packet", 1))],
    "failed-1": [
        handshake("07-tendermint-2", "other-4")._replace(code=7),
        tx(packet("send_packet", 1)),
    ],
    "differing-1": [
        handshake("07-tendermint-2", "other-4"),
        handshake("07-tendermint-2", "else-4"),
        tx(packet("send_packet", 1)),
    ],
    "proved-1": [
        proved("07-tendermint-6", "channel-2", 1),
        tx(packet("send_packet", 4, src="channel-2", dst="channel-5", connection_id="connection-8")),
        tx(packet("recv_packet", 2, src="channel-5", dst="channel-2")),  # of a chain that tells no connection
    ],
    "file-1": [tx(packet("send_packet", 1, src="channel-55"))],
    "odd-1": [
        tx(event("create_client", client_type="x"), packet("send_packet", 1)),
        tx(packet("send_packet", 2), problems=("message 0: /m: no m",)),
        tx(code=3, problems=("message 1: /m: no m",)),
    ],
}


@pytest.fixture(scope="module")
def world(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    (folder / "in").mkdir()
    for chain, txs in STORIES.items():
        lines = [encode_line(Block(chain, n, n * 10**9, (each,))) for n, each in enumerate(txs, 1)]
        (folder / "in" / f"blocks-{chain}.jsonl").write_bytes(b"".join(lines))
    names = {"chain_registry": {"file-1": {"channel-55": "other-4"}}}
    (folder / "in" / "names.json").write_text(json.dumps(names))
    (folder / "in" / "odd-names.json").write_text('{"chain_registry": {"file-1": 5}}')
    outcome, rows = run(folder / "out", folder / "in")
    return outcome, rows, folder


def ends(rows, chain):
    return Counter(
        (row["src_chain"], row["dst_chain"], row["src_known_by"], row["dst_known_by"])
        for row in rows
        if chain in {row["src_chain"], row["dst_chain"]}
    )


def test_each_end_is_named_by_what_its_chain_tells(world):
    _, rows, _ = world
    assert ends(rows, "handshake-1") == {
        ("handshake-1", "other-4", "packets", "handshake"): 1,
        ("liar-1", "handshake-1", "packets", "handshake"): 1,  # a claim, and no more
    }
    assert ends(rows, "failed-1") == {("failed-1", None, "packets", None): 1}
    assert ends(rows, "differing-1") == {("differing-1", None, "packets", None): 1}
    assert ends(rows, "proved-1") == {
        ("far-1", "proved-1", "proof", "packets"): 2,
        ("proved-1", "far-1", "packets", "proof"): 1,
    }
    assert ends(rows, "file-1") == {("file-1", "other-4", "packets", "registry"): 1}
    assert len(rows) == 10


def test_a_chain_that_is_merely_named_has_no_counts(world):
    outcome, _, _ = world
    assert set(outcome.summary["chains"]) == set(STORIES)
    assert outcome.summary["chains"]["handshake-1"]["received"] == 0


def test_what_differs_and_what_is_malformed_is_said(world):
    outcome, _, _ = world
    (note,) = outcome.notes
    assert note.reason == (
        "differing-1: conflicting facts about the counterparty of transfer/channel-0: "
        "07-tendermint-2 claims else-4 and other-4"
    )
    assert [entry["reason"] for entry in outcome.summary["skipped"]] == [
        "height 1, transaction 0, event 0: create_client: create_client has no attribute client_id",
        "height 2, transaction 0, message 0: /m: no m",
        "the value of 'file-1' is not an object",
    ]
