"""Transfers over several hops, payloads of IBC v2, and relay transactions, as blocks for tests."""

import json

from pyibc.apps.transfer.packet_data import AbiTransfer
from pyibc.apps.transfer.packet_data import encode_abi as to_abi
from pyibc.indexer.blocks.block import Block, MessageFacts, Tx, TxContent
from pyibc.proto.ibc.core.channel.v2.packet_pb2 import Packet
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

    def __init__(self, pace=1):
        self.pace = pace  # seconds from block to block
        self.blocks = {}
        self.hashes = 0

    def tx(self, chain, *events, **more):
        self.hashes += 1
        name = f"{self.hashes:064X}"
        found = self.blocks.setdefault(chain, [])
        found.append(
            Block(
                chain,
                len(found) + 1,
                self.hashes * self.pace * 10**9,
                (Tx(name, more.pop("code", 0), events, **more),),
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


def whole_story(pace=1):
    """All of these: transfers that arrive and fail, a client, a connection and a channel."""
    made = Story(pace)
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
