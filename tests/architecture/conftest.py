"""The source tree as data."""

from pathlib import Path

import pytest

from ibc_module import hookimpl
from ibc_module.core import acknowledgement as acks
from ibc_module.core import paths
from ibc_module.core.application_v2 import PayloadAnswer
from ibc_module.core.messages import MsgIbcSoftwareUpgrade, UpgradePlan
from ibc_module.core.messages_v2 import (
    MsgAcknowledgementV2,
    MsgRecvPacketV2,
    MsgRegisterCounterparty,
    MsgSendPacket,
    MsgTimeoutV2,
)
from ibc_module.core.packet_v2 import Payload
from ibc_module.plugin import Config
from ibc_module.relayer.tendermint import ClientTerms, client_state
from ibc_module.relayer.wallet import Wallet
from ibc_module.wire.messages.upgrade import GO_ZERO_SECONDS
from ibc_module.wire.states_v2 import decode_packet
from localnet.testkit.clock import SECOND
from localnet.testkit.messages import Messages
from localnet.testkit.pair import Pair
from localnet.testkit.side import Side
from localnet.testkit.stage import Stage

ACK = acks.success()
AUTHORITY = Wallet.from_seed("authority", "cosmos").address.text
ZERO_NS = GO_ZERO_SECONDS * 10**9


PACKAGES = ("ibc_module", "handlers", "keepers", "light_client", "iavl", "localnet")


@pytest.fixture(scope="session")
def root():
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def packages():
    """The packages that are shipped."""
    return PACKAGES


@pytest.fixture(scope="session")
def sources(root):
    """Path below the root -> text, of every shipped module that was written by hand."""
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
        if "_generated" not in path.parts
    }


class Answering:
    """An application of IBC v2: success, or no answer yet to `later`; writes and emits nothing."""

    def on_send_packet(self, *_):
        pass

    def on_recv_packet(self, ctx, client_on_a, client_on_b, sequence, payload, relayer):
        return None if payload.value == b"later" else PayloadAnswer(success=True, data=ACK)

    def on_acknowledgement_packet(self, *_):
        pass

    def on_timeout_packet(self, *_):
        pass


class AnsweringPlugin:
    @hookimpl
    def ibc_register_apps_v2(self):
        return {"answering": Answering()}


class Governed:
    """Two chains with an authority, their clients each other's counterparties; packets of IBC v2 under way.

    `sent` and `later` went from A to B, `answered` was received there, `expired` will not be.
    """

    def __init__(self):
        self.pair = Pair.connected(config=Config(authority=AUTHORITY), make_side=self.side)
        self.a, self.b = self.pair.a, self.pair.b
        self.to_a, self.to_b = Messages(self.pair, self.a), Messages(self.pair, self.b)
        for side in (self.a, self.b):
            self.done(side.submit(self.register(side)))
        names = (b"sent", b"later", b"answered", b"expired")
        for name in names:
            until = 120 if name == b"expired" else 3_600 * 20
            self.done(self.a.submit(self.send(name, until)))
        raw = [
            self.attribute(self.a, height, "encoded_packet_hex")
            for height in range(self.a.chain.height - len(names) + 1, self.a.chain.height + 1)
        ]
        self.sent, self.later, self.answered, self.expired = (decode_packet(bytes.fromhex(r)) for r in raw)
        self.pair.sync()
        self.done(self.b.submit(self.recv(self.answered)))
        self.pair.clock.advance(200 * SECOND)
        self.pair.sync()

    def side(self, *arguments, **options):
        return Side(*arguments, extra=[AnsweringPlugin()], **options)

    def stage(self, side):
        return Stage(side.chain)

    def done(self, outcome):
        assert outcome.code == 0, outcome.log

    def attribute(self, side, height, key):
        (outcome,) = side.chain.block(height).txs
        return next(text for _, pairs in outcome.events for name, text in pairs if name == key)

    def register(self, side, client_id=None):
        far = self.pair.other(side).client_id
        signer = side.relayer.signer
        return MsgRegisterCounterparty(client_id or side.client_id, (b"ibc", b""), far, signer)

    def send(self, data, seconds):
        payload = Payload("answering", "answering", "v1", "text/plain", data)
        until = self.pair.clock.now_ns // SECOND + seconds
        return MsgSendPacket(self.a.client_id, until, (payload,), self.a.relayer.signer)

    def recv(self, packet):
        key = paths.packet_commitment_v2_path(packet.client_id_on_a, packet.sequence)
        proven = self.pair.prove(self.a, key)
        return MsgRecvPacketV2(packet, proven.proof, proven.height, self.b.relayer.signer)

    def acknowledge(self, packet):
        key = paths.packet_acknowledgement_v2_path(packet.client_id_on_b, packet.sequence)
        proven = self.pair.prove(self.b, key)
        return MsgAcknowledgementV2(packet, (ACK,), proven.proof, proven.height, self.a.relayer.signer)

    def timeout(self, packet):
        key = paths.packet_receipt_v2_path(packet.client_id_on_b, packet.sequence)
        proven = self.pair.prove(self.b, key)
        return MsgTimeoutV2(packet, proven.proof, proven.height, self.a.relayer.signer)

    def plan(self, height):
        state = client_state("alpha-2", height + 1, ClientTerms())
        return MsgIbcSoftwareUpgrade(UpgradePlan("v2", ZERO_NS, height, "", False), state, AUTHORITY)


@pytest.fixture(scope="module")
def governed():
    """Two chains with an authority and packets of IBC v2 under way."""
    return Governed()
