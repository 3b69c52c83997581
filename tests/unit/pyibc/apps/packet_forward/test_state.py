"""What is kept of a packet on its way on: bytes that ibc-go stored."""

from base64 import b64decode

import pytest

from pyibc.apps.packet_forward.state import InFlight, decode_in_flight, encode_in_flight
from pyibc.core.errors import InvalidHeight
from pyibc.core.height import Height
from pyibc.core.packet.types import Packet
from pyibc.core.wire.states import CorruptState

SENDER = "cosmos15jqe2m03eeykdm6rl38z33aqp67xr0tk797uen"
DATA = (
    b'{"denom":"stake","amount":"599090","sender":"'
    + SENDER.encode()
    + b'","receiver":"pfm","memo":"{\\"forward\\"'
    b':{\\"channel\\":\\"channel-1\\",\\"port\\":\\"transfer\\",\\"receiver\\":'
    b'\\"cosmos18xv7rf8r8u97j0h8wn39e3j57tmvedgjlyl9du\\",\\"timeout\\":\\"5m\\"}}"}'
)
UNTIL = 1_704_153_993_580_246_801
RECORDED = b64decode(
    "Ci1jb3Ntb3MxNWpxZTJtMDNlZXlrZG02cmwzOHozM2FxcDY3eHIwdGs3OTd1ZW4SCWNoYW5uZWwtMBoIdHJhbnNmZXIiCWNoYW5uZWwtMCoIdHJhbnNm"
    "ZXIwke6nr/Pgl9MXOgYxLTEwMzlCiAJ7ImRlbm9tIjoic3Rha2UiLCJhbW91bnQiOiI1OTkwOTAiLCJzZW5kZXIiOiJjb3Ntb3MxNWpxZTJtMDNlZXlr"
    "ZG02cmwzOHozM2FxcDY3eHIwdGs3OTd1ZW4iLCJyZWNlaXZlciI6InBmbSIsIm1lbW8iOiJ7XCJmb3J3YXJkXCI6e1wiY2hhbm5lbFwiOlwiY2hhbm5l"
    "bC0xXCIsXCJwb3J0XCI6XCJ0cmFuc2ZlclwiLFwicmVjZWl2ZXJcIjpcImNvc21vczE4eHY3cmY4cjh1OTdqMGg4d24zOWUzajU3dG12ZWRnamx5bDlk"
    "dVwiLFwidGltZW91dFwiOlwiNW1cIn19In1IBFiA8JLL3Qg="
)
WAITING = InFlight(
    original_sender_address=SENDER,
    channel_id_on_b="channel-0",
    port_id_on_b="transfer",
    channel_id_on_a="channel-0",
    port_id_on_a="transfer",
    timeout_ns_on_b=UNTIL,
    timeout_height_on_b="1-1039",
    data=DATA,
    sequence=4,
    retries_remaining=0,
    timeout_ns=300 * 10**9,
)


def test_as_ibc_go_stores_it():
    assert decode_in_flight(RECORDED) == WAITING
    assert encode_in_flight(WAITING) == RECORDED


def test_the_packet_that_came():
    waiting = WAITING._replace(port_id_on_a="pa", channel_id_on_a="channel-7", port_id_on_b="pb")
    until = Height(1, 1039)
    assert waiting.packet == Packet(4, "pa", "channel-7", "pb", "channel-0", DATA, until, UNTIL)


def test_a_timeout_that_is_no_height():
    with pytest.raises(InvalidHeight):
        _ = WAITING._replace(timeout_height_on_b="soon").packet


def test_what_is_no_entry():
    with pytest.raises(CorruptState):
        decode_in_flight(b"\x0a\x05abc")
