"""The application by itself, over messages that do as a test says."""

import pytest

from conformance.memory import MemoryStore
from pyibc.apps.gmp.app_v2 import CallExecutor, GmpApp
from pyibc.apps.gmp.messages import cosmos_tx
from pyibc.apps.gmp.packet_data import PORT_ID, VERSION, AccountIdentifier, GmpPacketData, encode
from pyibc.apps.gmp.state import CallAccounts
from pyibc.codec.anys import AnyMessage
from pyibc.core.address import AddressCodec
from pyibc.core.application.services import DecodedMessage
from pyibc.core.application.v2 import PayloadAnswer, ReceivedV2, SendingV2
from pyibc.core.errors import (
    ApplicationFault,
    InvalidAddress,
    InvalidCallEncoding,
    InvalidCallVersion,
    InvalidPacketV2,
    InvalidRequest,
    InvalidType,
    LogicFault,
    OutOfGas,
    Unauthorized,
)
from pyibc.core.host.overlay import BlockContext
from pyibc.core.packet_v2.types import ABI, JSON, Payload

CODEC = AddressCodec("cosmos")
ALICE, BOB = (CODEC.encode(bytes([n]) * 20) for n in (1, 2))
ON_A, ON_B = "07-tendermint-1", "07-tendermint-2"
OWN = CODEC.encode(AccountIdentifier(ON_B, ALICE.text, b"").address)
WRITES = AnyMessage("/test.Writes", b"w")


class Accounts:
    """The host's accounts: those that were made."""

    def __init__(self):
        self.made = []

    def get(self, _ctx, address):
        return address if address in self.made else None

    def create(self, _ctx, address, module=""):
        self.made.append(address.raw)


class Messages:
    """The chain's messages: each writes its bytes, and then does as it was told."""

    def __init__(self):
        self.signed = {}
        self.raised = {}

    def decode(self, packed, budget):
        budget.read(len(packed.value))
        return DecodedMessage(packed.type_url, packed.value)

    def signers(self, message):
        return self.signed.get(message.content, (OWN.raw,))

    def deliver(self, ctx, message):
        ctx.store("test").set(message.content, b"!")
        ctx.emit(("test", (("wrote", message.content.decode()),)))
        if message.content in self.raised:
            raise self.raised[message.content]
        return AnyMessage(f"{message.type_url}Response", message.content)

    def wire(self, type_url):
        raise AssertionError(type_url)

    def query(self, ctx, path, request):
        raise AssertionError(path)


class Host:
    def __init__(self):
        self.messages, self.accounts = Messages(), Accounts()
        self.ctx = BlockContext(
            "chain-1", 1, 1, {"ibc": MemoryStore(), "gmp": MemoryStore(), "test": MemoryStore()}
        )
        calls = CallExecutor(self.messages, CODEC)
        self.app = GmpApp(CallAccounts(self.accounts, CODEC), calls, CODEC)

    def receive(self, *messages, **changes):
        data = GmpPacketData(ALICE.text, "", b"", cosmos_tx(messages), "")
        payload = payload_of(data, **changes)
        return self.app.on_recv_packet(self.ctx, ReceivedV2(ON_A, ON_B, 3, payload, BOB))

    def written(self):
        return [key for key, _ in self.ctx.writes("test")]


def payload_of(data, encoding=ABI, version=VERSION, ports=(PORT_ID, PORT_ID), said_to_be=None):
    return Payload(*ports, version, said_to_be or encoding, encode(data, encoding))


def message(content):
    return AnyMessage("/test.Writes", content)


@pytest.fixture
def host():
    return Host()


DATA = GmpPacketData(ALICE.text, "r", b"\1", b"p", "m")
OTHER = "transfer"
NOT_SENT = {
    "another port": ({"ports": (OTHER, PORT_ID)}, DATA, InvalidPacketV2),
    "another port there": ({"ports": (PORT_ID, OTHER)}, DATA, InvalidPacketV2),
    "another version": ({"version": "ics27-1"}, DATA, InvalidCallVersion),
    "another encoding": ({"said_to_be": "text/plain"}, DATA, InvalidCallEncoding),
    "JSON that is said to be ABI": ({"encoding": JSON, "said_to_be": ABI}, DATA, InvalidType),
    "no sender": ({}, DATA._replace(sender=""), InvalidAddress),
    "no address": ({}, DATA._replace(sender="alice"), InvalidAddress),
    "another signer": ({}, DATA._replace(sender=BOB.text), Unauthorized),
}


@pytest.mark.parametrize(("changes", "data", "error"), NOT_SENT.values(), ids=NOT_SENT)
def test_h166_what_may_not_leave(host, changes, data, error):
    good = SendingV2(ON_A, ON_B, 3, payload_of(DATA), ALICE)
    host.app.on_send_packet(host.ctx, good)
    assert [kind for kind, _ in host.ctx.take_events()] == ["ics27_gmp_send_call", "message"]
    with pytest.raises(error):
        host.app.on_send_packet(host.ctx, good._replace(payload=payload_of(data, **changes)))
    for client in ({"client_id_on_a": "client"}, {"client_id_on_b": "client"}):
        with pytest.raises(InvalidPacketV2):
            host.app.on_send_packet(host.ctx, good._replace(**client))
    assert host.ctx.take_events() == ()


NOT_EXECUTED = {
    "another port": {"ports": (OTHER, PORT_ID)},
    "another port here": {"ports": (PORT_ID, OTHER)},
    "another version": {"version": "ics27-1"},
    "another encoding": {"said_to_be": "text/plain"},
}


@pytest.mark.parametrize("changes", NOT_EXECUTED.values(), ids=NOT_EXECUTED)
def test_h166_what_is_not_executed(host, changes):
    assert host.receive(message(b"one"), **changes) == PayloadAnswer(success=False)
    assert host.written() == []
    ((kind, pairs), _) = host.ctx.take_events()
    assert (kind, dict(pairs)["sender"], dict(pairs)["success"]) == ("ics27_gmp_recv_packet", "", "false")


@pytest.mark.parametrize("signers", [(OWN.raw, OWN.raw), (OWN.raw, ALICE.raw), (ALICE.raw,)])
def test_h166_one_signer_a_message(host, signers):
    host.messages.signed[b"two"] = signers
    assert not host.receive(message(b"one"), message(b"two")).success
    assert host.written() == []


def test_h166_nobody_signs(host):
    host.messages.signed[b"one"] = ()
    assert not host.receive(message(b"one")).success
    assert host.written() == []


def test_h166_messages_are_executed_in_a_branch(host):
    host.messages.raised[b"two"] = InvalidRequest("no")
    assert host.receive(message(b"one"), message(b"two"), message(b"three")) == PayloadAnswer(success=False)
    assert host.written() == []
    ((kind, pairs), _) = host.ctx.take_events()
    assert (kind, dict(pairs)["error"]) == ("ics27_gmp_recv_packet", "invalid request: no")


@pytest.mark.parametrize(
    "error", [OutOfGas(1, 2), LogicFault("broken"), ApplicationFault("somewhere"), KeyError("a bug")]
)
def test_h166_no_verdict(host, error):
    """What is not the message's fault is answered by nobody: the packet can be received again."""
    host.messages.raised[b"one"] = error
    with pytest.raises(type(error)):
        host.receive(message(b"one"))
    assert host.written() == []


def test_others_are_told_who_calls(host):
    told = host.app.decode_packet_data(payload_of(DATA._replace(memo='{"dest_callback":{"address":"c"}}')))
    assert (told.sender, told.receiver) == (ALICE.text, "r")
    assert told.custom("src_callback").get("address") == ALICE.text
    assert told.custom("dest_callback").get("address") == "c"
    forged = DATA._replace(memo='{"src_callback":{"address":"c"}}', sender='a"b')
    assert host.app.decode_packet_data(payload_of(forged)).custom("src_callback").get("address") == 'a"b'


def test_answers_and_timeouts_change_nothing(host):
    assert host.app.on_acknowledgement_packet() is None
    assert host.app.on_timeout_packet() is None
