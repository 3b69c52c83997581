"""The wheels of the clone, and two chains with an authority."""

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.kit.messages import Messages
from conformance.kit.pair import Pair
from conformance.kit.paired_chain import PairedChain
from conformance.kit.staged_block import StagedBlock
from ibc_module import hookimpl
from ibc_module.plugin import Config
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.core import paths
from pyibc.core.application.v2 import PayloadAnswer
from pyibc.core.client.messages import MsgIbcSoftwareUpgrade
from pyibc.core.client.types import UpgradePlan
from pyibc.core.client_v2 import MsgRegisterCounterparty
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2, MsgRecvPacketV2, MsgSendPacket, MsgTimeoutV2
from pyibc.core.packet_v2.types import Payload, decode_packet
from pyibc.installation import PACKAGES
from pyibc.relayer.clients.tendermint import ClientSettings, client_state
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import SECOND

ACK = acks.success()
AUTHORITY = Wallet.from_seed("authority", "cosmos").address.text
ZERO_NS = GO_ZERO_TIME_NS


@pytest.fixture(scope="session")
def root():
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def packages():
    """The packages that are shipped."""
    return PACKAGES


PIP = (sys.executable, "-m", "pip")


@pytest.fixture(scope="session")
def wheel(root, tmp_path_factory):
    """The wheel, built of the clone."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder))
    subprocess.run([*PIP, "wheel", *options, str(root)], check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """A folder that the wheel is installed in, for tests that do not change it."""
    site = tmp_path_factory.mktemp("installed") / "site"
    options = ("--quiet", "--no-deps", "--no-index", "--target", str(site))
    subprocess.run([*PIP, "install", *options, str(wheel)], check=True, capture_output=True)
    return site


@pytest.fixture(scope="session")
def sources(root):
    """Path below the root -> text, of every shipped module that was written by hand."""
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
        if not path.is_relative_to(root / "pyibc" / "proto")
        or path.name in {"__init__.py", "pool.py", "varint.py"}
    }


class Answering:
    """An application of IBC v2: success, or no answer yet to `later`; writes and emits nothing."""

    def on_send_packet(self):
        pass

    def on_recv_packet(self, received):
        return None if received.payload.value == b"later" else PayloadAnswer(success=True, data=ACK)

    def on_acknowledgement_packet(self):
        pass

    def on_timeout_packet(self):
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
        self.pair = Pair.connected(config=Config(authority=AUTHORITY), make_chain=self.side)
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
        return PairedChain(*arguments, extra=[AnsweringPlugin()], **options)

    def stage(self, side):
        return StagedBlock(side.chain)

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
        state = client_state("alpha-2", height + 1, ClientSettings())
        return MsgIbcSoftwareUpgrade(UpgradePlan("v2", ZERO_NS, height, "", False), state, AUTHORITY)


@pytest.fixture(scope="module")
def governed():
    """Two chains with an authority and packets of IBC v2 under way."""
    return Governed()
