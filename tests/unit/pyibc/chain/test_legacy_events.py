"""Attributes of ibc-go before v9: added where the host says so, and nothing changed where it does not."""

import pytest

from pyibc.chain.config import HostConfig
from pyibc.chain.events import UPDATE_CLIENT, with_legacy
from pyibc.core.channel.types import Order
from pyibc.core.wire.tx import decode_tx
from pyibc.proto.google.protobuf.any_pb2 import Any
from pyibc.proto.ibc.core.client.v1.tx_pb2 import MsgUpdateClient
from pyibc.testing.pair import two_chains
from pyibc.testing.transfers import transfer

ADDED = {"packet_data", "packet_ack", "header"}


def run(legacy):
    """All blocks of two chains with a packet there and back; what is signed does not depend on events."""
    chains = two_chains(config=HostConfig("c", legacy_events=legacy))
    path = chains.open("transfer", Order.UNORDERED, "ics20-1")
    chains.a.execute("alice", transfer(chains.a, "alice", path.a, "stake", 3, chains.b.address("bob")))
    chains.relay(path)
    blocks = [[side.chain.block(h) for h in range(1, side.chain.height + 1)] for side in (chains.a, chains.b)]
    chains.close()
    return [block for side in blocks for block in side]


@pytest.fixture(scope="module")
def plain():
    return run(False)


@pytest.fixture(scope="module")
def legacy():
    return run(True)


def events(blocks):
    return [event for block in blocks for tx in block.txs for event in tx.events]


def without(pairs):
    return tuple(pair for pair in pairs if pair[0] not in ADDED)


def test_nothing_else_changes(plain, legacy):
    assert [block.app_hash for block in plain] == [block.app_hash for block in legacy]
    for old, new in zip(plain, legacy, strict=True):
        for before, after in zip(old.txs, new.txs, strict=True):
            assert after._replace(events=()) == before._replace(events=())
            assert tuple((kind, without(pairs)) for kind, pairs in after.events) == before.events
    assert not [key for _, pairs in events(plain) for key, _ in pairs if key in ADDED]


def test_an_application_s_event_under_the_name_of_ours_need_not_be_in_hex():
    event = ("send_packet", (("packet_data_hex", "no hex"), ("packet_ack_hex", "61")))
    (found,) = with_legacy([event])
    assert found == ("send_packet", (event[1][0], ("packet_ack", "a"), event[1][1]))


def test_events_of_applications_stay_as_they_are():
    event = ("my_event", (("packet_data_hex", "61"),))
    assert with_legacy([event], "header") == (event,)


def test_raw_text_stands_before_the_hex(legacy):
    found = [(kind, pairs) for kind, pairs in events(legacy) if dict(pairs).get("packet_data_hex")]
    assert {kind for kind, _ in found} >= {"send_packet", "recv_packet", "write_acknowledgement"}
    for _, pairs in found:
        keys = [key for key, _ in pairs]
        for key in {"packet_data", "packet_ack"} & set(keys):
            assert keys[keys.index(key) + 1] == f"{key}_hex"
            assert bytes.fromhex(dict(pairs)[f"{key}_hex"]).decode() == dict(pairs)[key]
    acks = [pairs for kind, pairs in found if kind == "write_acknowledgement"]
    assert all("packet_ack" in dict(pairs) for pairs in acks)


def test_the_header_is_the_clients_message(legacy):
    seen = 0
    for block in legacy:
        for tx in block.txs:
            updates = [each for each in decode_tx(tx.tx).messages if each.type_url == UPDATE_CLIENT]
            told = [dict(pairs) for kind, pairs in tx.events if kind == "update_client"]
            for message, attributes in zip(updates, told, strict=True):
                header = Any.FromString(bytes.fromhex(attributes["header"]))
                assert header == MsgUpdateClient.FromString(message.value).client_message
                assert header.type_url == "/ibc.lightclients.tendermint.v1.Header"
                assert list(attributes)[-2:] == ["header", "msg_index"]
                seen += 1
    assert seen > 3


def test_bytes_that_are_no_text_are_replaced():
    ((_, pairs),) = with_legacy([("write_acknowledgement", (("packet_ack_hex", "ff41"),))])
    assert pairs == (("packet_ack", "�A"), ("packet_ack_hex", "ff41"))


FAMILIES = {
    "ibc_client": {"create_client", "update_client"},
    "ibc_connection": {f"connection_open_{step}" for step in ("init", "try", "ack", "confirm")},
    "ibc_channel": {
        *(f"channel_open_{step}" for step in ("init", "try", "ack", "confirm")),
        "send_packet",
        "recv_packet",
        "write_acknowledgement",
        "acknowledge_packet",
    },
}


def test_every_transaction_names_the_family_of_its_events(plain):
    """Push mode: relayers subscribe to `message.module = 'ibc_...'` and see no other transaction."""
    seen = set()
    for block in plain:
        for tx in block.txs:
            modules = {dict(pairs).get("module") for kind, pairs in tx.events if kind == "message"}
            for family, kinds in FAMILIES.items():
                own = kinds & {kind for kind, _ in tx.events}
                seen |= own
                assert not own or family in modules
    assert seen == set().union(*FAMILIES.values())
