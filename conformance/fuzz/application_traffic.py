"""Three chains with every built-in application, and a received packet of each application.

Covers plain, forwarded and contract-calling transfers, an interchain account per encoding, and GMP calls per
encoding. `packets` uses them to run applications on packet data after the proof was verified.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from conformance.fuzz.block_stage import recorded
from conformance.fuzz.builtin_apps import CONTRACT, apps
from conformance.kit.outcomes import must
from ibc_module.plugin import IbcPlugin
from keepers.keepers import Keepers
from pyibc.apps.gmp.messages import MsgSendCall
from pyibc.apps.gmp.packet_data import AccountIdentifier
from pyibc.apps.interchain_accounts.packet_data import (
    ENCODINGS,
    PROTO3_JSON,
    TX_TYPE,
    VERSION,
    Metadata,
    encode_metadata,
)
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.packet.messages import MsgRecvPacket
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.messages import MsgRecvPacketV2
from pyibc.core.packet_v2.types import ABI, JSON, NS_PER_S, PROTOBUF, PacketV2
from pyibc.core.wire.message import decode_msg, pack_msg
from pyibc.relayer.interchain_tx import write_messages
from pyibc.relayer.paths.path import ClientPath, Path
from pyibc.testing.interchain_accounts import account_of, register_account, send_tx
from pyibc.testing.pair import Party, TwoChains, ibc_plugins
from pyibc.testing.transfers import transfer, transfer_v2
from pyibc.testing.triple import three_chains

_OWNERS = {encoding: owner for owner, encoding in zip(("alice", "bob"), ENCODINGS, strict=True)}


class ReceivedPacket(NamedTuple):
    """A packet that an application of `party` received."""

    name: str
    packet: Packet | PacketV2
    version: str  # of the channel
    party: Party
    keepers: Keepers


class ApplicationTraffic(NamedTuple):
    """The chains, and the packets that the second one received."""

    parties: tuple[Party, ...]
    received: tuple[ReceivedPacket, ...]


def live_applications() -> ApplicationTraffic:
    """Create the chains and let each application send and receive."""
    made: list[IbcPlugin] = []

    def plugins() -> Sequence[object]:
        listed = list(ibc_plugins())
        made.extend(each for each in listed if isinstance(each, IbcPlugin))
        return [*listed, *apps()]

    net = three_chains(plugins=plugins)
    ab, bc = net.open(net.a, net.b), net.open(net.b, net.c)
    two = TwoChains(net.a, net.b, net.clock)
    forward = {"receiver": net.c.address("bob"), "port": "transfer", "channel": bc.a.channel_id, "retries": 1}
    memos = ("", json.dumps({"forward": forward}), json.dumps({"dest_callback": {"address": CONTRACT}}))
    for memo in memos:
        sent = transfer(net.a, "alice", ab.a, "ualpha", 5, net.b.address("bob"), memo=memo)
        must(net.a.execute("alice", sent))
    net.relay()
    paths = list(_accounts(two, ab))
    clients = two.open_clients()
    _calls(two, clients)
    must(net.a.execute("alice", transfer_v2(net.a, "alice", clients.a, "ualpha", 5, net.b.address("bob"))))
    two.relay(*paths, clients)
    versions = {path.b.channel_id: path.version for path in (ab, *paths)}
    return ApplicationTraffic(net.parties, tuple(_received(net.b, made[1].keepers, versions)))


def _accounts(two: TwoChains, ab: Path) -> Iterator[Path]:
    """Register an account per encoding, fund it, and let it execute a payment."""
    here, there = ab.a.connection_id, ab.b.connection_id
    for encoding, owner in _OWNERS.items():
        version = encode_metadata(Metadata(VERSION, here, there, "", encoding, TX_TYPE))
        path = register_account(two, owner, here, Order.UNORDERED, version)
        payment = _funded(two.b, account_of(path))
        must(two.a.execute(owner, send_tx(two.a, owner, here, [payment], encoding)))
        yield path


def _funded(party: Party, account: str) -> AnyMessage:
    """Fund an account from Bob; return the message by which the account pays one coin back."""
    bob = party.address("bob")
    must(party.execute("bob", AnyMessage(MSG_SEND, encode_send(bob, account, (coin("ubeta", 1_000),)))))
    return AnyMessage(MSG_SEND, encode_send(account, bob, (coin("ubeta", 1),)))


def _calls(two: TwoChains, clients: ClientPath) -> None:
    """Return a GMP call in each packet encoding, with its messages in protobuf and in JSON."""
    alice = two.a.address("alice")
    identifier = AccountIdentifier(clients.b.client_id, alice, b"")
    account = two.b.chain.app.addresses.encode(identifier.address).text
    payment = _funded(two.b, account)
    until = two.a.chain.tip().time_ns // NS_PER_S + 600
    for encoding in (ABI, JSON, PROTOBUF):
        for payload in (write_messages([payment], each) for each in ENCODINGS):
            call = MsgSendCall(clients.a.client_id, alice, "", b"", payload, until, "", encoding)
            must(two.a.execute("alice", pack_msg(call)))


def _received(party: Party, keepers: Keepers, versions: Mapping[str, str]) -> Iterator[ReceivedPacket]:
    for _, message in recorded(party.chain):
        if message.type_url == MsgRecvPacket.TYPE_URL:
            packet = decode_msg(MsgRecvPacket, message.value).packet
            version = versions.get(packet.channel_id_on_b)
            if version is not None:
                yield ReceivedPacket(_name(packet, version), packet, version, party, keepers)
        elif message.type_url == MsgRecvPacketV2.TYPE_URL:
            packet_v2 = decode_msg(MsgRecvPacketV2, message.value).packet
            (payload,) = packet_v2.payloads
            name = f"{payload.port_id_on_b} over a client in {payload.encoding.rpartition('/')[2]}"
            yield ReceivedPacket(name, packet_v2, "", party, keepers)


def _name(packet: Packet, version: str) -> str:
    return f"{packet.port_id_on_b} in proto3json" if PROTO3_JSON in version else packet.port_id_on_b
