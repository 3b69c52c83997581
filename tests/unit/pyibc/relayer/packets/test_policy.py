"""Filters of packets, by the data that the receiving chain would read."""

import json

import pytest

from pyibc.apps.transfer import packet_data
from pyibc.core.height import Height
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF, PacketV2, Payload
from pyibc.proto.ibc.applications.transfer.v1.packet_pb2 import FungibleTokenPacketData
from pyibc.relayer.packets.policy import RELAY_ALL, Policy, Rule, matches, reason_to_wait

SENT = {
    "denom": "transfer/channel-3/uatom",
    "amount": "5",
    "sender": "cosmos1bad",
    "receiver": "py1you",
    "memo": "é",
}
BAD = Policy(sender=Rule(deny=("cosmos1bad",)))


def packet(data=SENT, port_a="transfer", port_b="transfer"):
    raw = data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False).encode()
    return Packet(7, port_a, "channel-3", port_b, "channel-8", raw, Height(1, 9), 0)


def payload(encoding, value, version="ics20-1"):
    return Payload("transfer", "transfer", version, encoding, value)


def v2(*payloads):
    return PacketV2(7, "07-tendermint-1", "07-tendermint-2", 5, payloads)


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (RELAY_ALL, None),
        (BAD, "sender 'cosmos1bad'"),
        (Policy(sender=Rule(allow=("cosmos1good",))), "sender 'cosmos1bad'"),
        (Policy(sender=Rule(allow=("cosmos1*",))), None),
        (Policy(sender=Rule(allow=("*",), deny=("*bad",))), "sender 'cosmos1bad'"),
        (Policy(receiver=Rule(deny=("py1*",))), "receiver 'py1you'"),
        (Policy(denom=Rule(allow=("uatom",))), "denom 'transfer/channel-3/uatom'"),
        (Policy(denom=Rule(allow=("*/uatom",))), None),
        (Policy(source=Rule(allow=("transfer/channel-3",))), None),
        (Policy(source=Rule(deny=("transfer/channel-3",))), "source 'transfer/channel-3'"),
        (Policy(destination=Rule(allow=("transfer/channel-3",))), "destination 'transfer/channel-8'"),
        (Policy(max_memo=2), None),  # two bytes, one character
        (Policy(max_memo=1), "memo of 2 bytes, at most 1"),
        (Policy(max_receiver=5), "receiver of 6 bytes, at most 5"),
        (Policy(max_receiver=6), None),
        (Policy(max_data=10), "data of 112 bytes, at most 10"),
    ],
)
def test_h155_rules(policy, reason):
    assert reason_to_wait(policy, packet()) == reason


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps(SENT | {"sender": "x"})[:-1].encode()
        + b', "sender": "cosmos1bad"}',  # the last one counts
        json.dumps(SENT).replace("sender", "Sender").encode(),  # Go's names are of any case
        json.dumps(SENT).replace("cosmos1bad", "cosmos1b\\u0061d").encode(),
        b"  " + json.dumps(SENT).encode() + b"\n",
    ],
)
def test_h155_no_spelling_of_the_json_passes(raw):
    assert reason_to_wait(BAD, packet(raw)) == "sender 'cosmos1bad'"


@pytest.mark.parametrize("raw", [b"{", b"\xff", json.dumps(SENT | {"extra": 1}).encode(), b"[]"])
def test_h155_what_cannot_be_read_waits_where_transfers_are(raw):
    assert reason_to_wait(BAD, packet(raw)) == "unreadable transfer"
    assert reason_to_wait(Policy(max_memo=9), packet(raw, "icahost", "transfer")) == "unreadable transfer"
    assert reason_to_wait(BAD, packet(raw, port_b="wasm.py1contract")) == "unreadable transfer"
    assert reason_to_wait(RELAY_ALL, packet(raw)) is None
    assert reason_to_wait(Policy(max_data=999), packet(raw)) is None


def test_other_applications_pass_but_not_a_list():
    other = packet(b"\x0a", "icacontroller-1", "icahost")
    assert reason_to_wait(BAD, other) is None
    assert reason_to_wait(Policy(max_memo=0), other) is None
    assert (
        reason_to_wait(Policy(denom=Rule(allow=("uatom",))), other) == "no denom to look up in an allow list"
    )


def test_h155_every_payload_and_encoding_is_looked_at():
    fields = SENT | {"memo": ""}
    same = [
        payload(JSON, json.dumps(fields).encode()),
        payload(PROTOBUF, FungibleTokenPacketData(**fields).SerializeToString()),
        payload(
            ABI,
            packet_data.encode_abi(
                packet_data.AbiTransfer(SENT["denom"], SENT["sender"], SENT["receiver"], 5, "")
            ),
        ),
    ]
    good = payload(JSON, json.dumps(fields | {"sender": "cosmos1good"}).encode())
    assert reason_to_wait(BAD, v2(good, good)) is None
    for bad in same:
        assert reason_to_wait(BAD, v2(good, bad)) == "sender 'cosmos1bad'"
    assert reason_to_wait(BAD, v2(good, payload(JSON, same[0].value, "ics20-9"))) == "unreadable transfer"
    assert reason_to_wait(Policy(max_data=2 * len(good.value) - 1), v2(good, good)) is not None
    assert (
        reason_to_wait(Policy(source=Rule(deny=("07-tendermint-1",))), v2(good)) == "source '07-tendermint-1'"
    )


def test_a_reason_is_short_and_plain():
    reason = reason_to_wait(Policy(sender=Rule(deny=("*",))), packet(SENT | {"sender": "\x1b[31mé" * 10**5}))
    assert reason.isascii()
    assert reason.isprintable()
    assert len(reason) < 700


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("", "", True),
        ("", "a", False),
        ("*", "", True),
        ("a*", "ab", True),
        ("a*", "ba", False),
        ("*a", "ba", True),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("a*b*c", "a-b-c", True),
        ("a*b*c", "a-c-b", False),
        ("*ab*ab*", "xabyab", True),
        ("*ab*ab*", "xab", False),
        ("a**b", "ab", True),
        ("[a]", "a", False),
        ("a?", "ab", False),
        ("a.c", "abc", False),
    ],
)
def test_patterns(pattern, text, expected):
    assert matches(pattern, text) is expected
