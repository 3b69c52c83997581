"""The solo machine's client: every check, what a proof uses up, and what stays as it was."""

import pytest

from conformance import memory
from conformance.kit.solo_machine import SoloMachine
from light_client.interface import Claim, UpgradedStates
from light_client.solomachine import codec
from light_client.solomachine.client import SolomachineLightClient
from light_client.solomachine.codec import ClientState
from pyibc.codec.anys import EMPTY, AnyMessage
from pyibc.core import paths
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    ClientNotFound,
    InvalidClient,
    InvalidClientHeader,
    InvalidClientType,
    InvalidConsensus,
    InvalidIdentifier,
    InvalidMisbehaviour,
    InvalidPath,
    InvalidSignatureAndData,
    InvalidSolomachineHeader,
    InvalidSolomachineProof,
    InvalidUpgradeClient,
    OutOfGas,
    SignatureVerificationFailed,
    UnpackAny,
)
from pyibc.core.height import Height
from pyibc.core.host.gas import DEFAULT_PRICES, UNLIMITED, Prices
from pyibc.core.numbers import MAX_U64
from pyibc.proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as pb

CLIENT = "06-solomachine-0"
OTHER = "06-solomachine-1"
KEY = paths.client_state_path(CLIENT)
PATH = (b"ibc", b"key")
AT = Height(9, 9)

MACHINES = {"one key": ("solo",), "two of three": ("solo", 3, 2)}


@pytest.fixture(params=MACHINES)
def machine(request):
    return SoloMachine(*MACHINES[request.param])


class Host:
    """A block with a client of the machine."""

    def __init__(self, machine):
        self.client = SolomachineLightClient()
        self.ctx = memory.block(10**18, height=7)
        self.machine = machine
        self.create(CLIENT, machine)

    def create(self, client_id, machine):
        state, consensus = machine.states()
        self.client.initialize(self.ctx, client_id, state.value, consensus.value)

    def state(self, client_id=CLIENT):
        return codec.load_client_state(self.ctx.ibc.get(paths.client_state_path(client_id)))

    def put(self, **changes):
        self.ctx.ibc.set(KEY, codec.pack_client_state(self.state()._replace(**changes)))

    def prove(self, proof, value=b"value", path=PATH, ctx=None):
        client = self.client
        return client.verify_membership(ctx or self.ctx, CLIENT, Claim(AT, proof, path, value, 5, 5))

    def refuses(self, error, call, *arguments):
        before = self.ctx.writes("ibc")
        with pytest.raises(error) as caught:
            call(*arguments)
        assert type(caught.value) is error
        assert self.ctx.writes("ibc") == before
        return caught.value


@pytest.fixture
def host(machine):
    return Host(machine)


# -- creating


def spoilt(machine, **changes):
    state = codec.decode_client_state(machine.states()[0].value)
    names = ClientState._fields
    outer = {name: value for name, value in changes.items() if name in names}
    inner = {name: value for name, value in changes.items() if name not in names}
    return state._replace(**outer, consensus_state=state.consensus_state._replace(**inner))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"sequence": 0}, InvalidClient),
        ({"timestamp": 0}, InvalidConsensus),
        ({"diversifier": " \t"}, InvalidConsensus),
        ({"public_key": EMPTY}, InvalidConsensus),
        ({"public_key": AnyMessage("/cosmos.crypto.ed25519.PubKey", b"")}, InvalidConsensus),
        ({"public_key": AnyMessage("/cosmos.crypto.secp256k1.PubKey", b"\x0a\x00")}, InvalidConsensus),
        ({"public_key": AnyMessage("/cosmos.crypto.secp256k1.PubKey", b"\xff")}, InvalidConsensus),
        ({"public_key": AnyMessage("/cosmos.crypto.other.PubKey", b"\x0a\x01a")}, InvalidConsensus),
    ],
)
def test_states_that_cannot_be(host, machine, changes, error):
    state = spoilt(machine, **changes)
    raw, consensus = codec.encode_client_state(state), codec.encode_consensus_state(state.consensus_state)
    host.refuses(error, host.client.check_client_state, raw)
    host.refuses(error, host.client.initialize, host.ctx, OTHER, raw, consensus)
    if error is InvalidConsensus:
        host.refuses(error, host.client.check_consensus_state, consensus)


def test_keys_are_kept_in_canonical_form(host, machine):
    """The SDK packs again what it unpacks: keys are compared, signed and stored so."""
    state, consensus = (each.value for each in machine.states())
    long = pb.ConsensusState.FromString(consensus)
    long.public_key.value += _again(long.public_key.value)
    host.client.initialize(host.ctx, OTHER, state, long.SerializeToString())
    assert codec.encode_client_state(host.state(OTHER)) == state
    both = pb.ClientState.FromString(state)
    both.consensus_state.public_key.value = long.public_key.value
    host.client.initialize(host.ctx, OTHER, both.SerializeToString(), consensus)
    assert codec.encode_client_state(host.state(OTHER)) == state


def _again(key):
    """The first field once more: the same threshold, or the same single key."""
    return key[:2] if key[:1] == b"\x08" else key


def test_bytes_that_gogoproto_refuses_are_no_proof(host, machine):
    """A field of another wire type is an error there; protobuf's C core takes it for one that is unknown."""
    proof = machine.proof(b"key", b"value")
    for tail in (b"\x08\x01", b"\x12\x01a"):
        host.refuses(InvalidSolomachineProof, host.prove, proof + tail)
    for tail in (b"", b"\x78\x01", b"\x7b\x74"):  # unknown fields, and a group that ends as another
        assert host.prove(proof + tail) is not None


# -- proofs


def test_the_sequence_wraps_as_in_go(host, machine):
    host.put(sequence=MAX_U64)
    machine.sequence = MAX_U64
    assert codec.load_client_state(host.prove(machine.proof(b"key", b"value")).client_state).sequence == 0


@pytest.mark.parametrize("path", [(), (b"key",), (b"ibc", b"key", b"more")])
def test_a_path_has_two_parts(host, machine, path):
    host.refuses(InvalidPath, host.prove, machine.proof(b"key", b"value"), b"value", path)


def test_no_client_no_proof(host, machine):
    verify = host.client.verify_membership
    proof = machine.proof(b"key", b"value")
    host.refuses(ClientNotFound, verify, host.ctx, OTHER, Claim(AT, proof, PATH, b"value"))


# -- headers


def test_headers_that_are_refused(host, machine):
    verify, check = host.client.verify_client_message, host.client.check_message
    heir = SoloMachine("heir")
    forged = SoloMachine("thief", len(machine._keys), 1).header(heir)
    host.refuses(InvalidSolomachineHeader, verify, host.ctx, CLIENT, forged)
    heir.timestamp = 9
    host.refuses(InvalidClientHeader, verify, host.ctx, CLIENT, machine.header(heir))
    for name, value in (("timestamp", 0), ("new_diversifier", "  "), ("signature", b"")):
        wire = pb.Header.FromString(machine.header(heir).value)
        setattr(wire, name, value)
        bad = AnyMessage(codec.HEADER_TYPE_URL, wire.SerializeToString())
        host.refuses(InvalidClientHeader, check, bad)
        host.refuses(InvalidClientHeader, verify, host.ctx, CLIENT, bad)
    heir.timestamp = 10
    wire = pb.Header.FromString(machine.header(heir).value)
    wire.signature = b"\xff"
    bad = AnyMessage(codec.HEADER_TYPE_URL, wire.SerializeToString())
    host.refuses(SignatureVerificationFailed, verify, host.ctx, CLIENT, bad)
    wire.ClearField("new_public_key")
    keyless = AnyMessage(codec.HEADER_TYPE_URL, wire.SerializeToString())
    host.refuses(InvalidClientHeader, check, keyless)
    host.refuses(UnpackAny, check, AnyMessage(codec.HEADER_TYPE_URL, b"\xff"))
    host.refuses(InvalidClientType, verify, host.ctx, CLIENT, AnyMessage("/x", b""))
    host.refuses(ClientNotFound, verify, host.ctx, OTHER, machine.header(SoloMachine("heir")))


# -- misbehaviour


def spoil(evidence, change):
    wire = pb.Misbehaviour.FromString(evidence.value)
    change(wire)
    return AnyMessage(evidence.type_url, wire.SerializeToString())


EVIDENCE = {
    "sequence 0": (lambda w: setattr(w, "sequence", 0), InvalidMisbehaviour),
    "no signature": (lambda w: setattr(w.signature_one, "signature", b""), InvalidSignatureAndData),
    "no data": (lambda w: setattr(w.signature_two, "data", b""), InvalidSignatureAndData),
    "no path": (lambda w: setattr(w.signature_two, "path", b""), InvalidSignatureAndData),
    "no time": (lambda w: setattr(w.signature_two, "timestamp", 0), InvalidSignatureAndData),
    "second absent": (lambda w: w.ClearField("signature_two"), InvalidSignatureAndData),
    "the same twice": (lambda w: w.signature_two.CopyFrom(w.signature_one), InvalidMisbehaviour),
    "the same data": (lambda w: setattr(w.signature_two, "data", b"one"), InvalidMisbehaviour),
}
LIES = {
    "another sequence": (lambda w: setattr(w, "sequence", 2), SignatureVerificationFailed),
    "second not signed": (lambda w: setattr(w.signature_two, "data", b"2"), SignatureVerificationFailed),
    "first not signed": (lambda w: setattr(w.signature_one, "timestamp", 9), SignatureVerificationFailed),
    "no Merkle path": (lambda w: setattr(w.signature_one, "path", b"\xff"), InvalidSignatureAndData),
    "a path of numbers": (lambda w: setattr(w.signature_one, "path", b"\x08\x01"), InvalidSignatureAndData),
}


@pytest.mark.parametrize("name", [*EVIDENCE, *LIES])
def test_evidence_that_shows_nothing(host, machine, name):
    change, error = {**EVIDENCE, **LIES}[name]
    bad = spoil(machine.misbehaviour(b"one", b"two"), change)
    if name in EVIDENCE:
        host.refuses(error, host.client.check_message, bad)
    else:
        host.client.check_message(bad)
    host.refuses(error, host.client.verify_client_message, host.ctx, CLIENT, bad)


# -- recovery and upgrade


def test_recovery_takes_another_machine_over(host):
    heir = SoloMachine("heir")
    heir.sequence = 5
    host.create(OTHER, heir)
    expected = host.state(OTHER)
    host.client.update_state_on_misbehaviour(host.ctx, OTHER, EMPTY)
    host.put(is_frozen=True)
    host.client.recover(host.ctx, CLIENT, OTHER)
    assert host.state() == expected
    assert host.client.status(host.ctx, CLIENT) is Status.ACTIVE


def test_recoveries_that_are_refused(host, machine):
    host.create(OTHER, machine)
    recover = host.client.recover
    host.refuses(InvalidClientHeader, recover, host.ctx, CLIENT, OTHER)
    host.refuses(InvalidClientType, recover, host.ctx, CLIENT, "07-tendermint-0")
    host.refuses(InvalidIdentifier, recover, host.ctx, CLIENT, "solo")
    host.refuses(ClientNotFound, recover, host.ctx, CLIENT, "06-solomachine-9")
    host.refuses(ClientNotFound, recover, host.ctx, "06-solomachine-9", OTHER)


def test_a_machine_has_no_revisions(host):
    upgrade = host.client.verify_upgrade_and_update_state
    host.refuses(InvalidUpgradeClient, upgrade, host.ctx, CLIENT, UpgradedStates(b"", b"", b"", b""))


def test_another_state_in_its_place_is_none_of_it(host):
    host.ctx.ibc.set(KEY, b"\x0a\x02/x")
    host.refuses(InvalidClient, host.client.status, host.ctx, CLIENT)


# -- gas


def test_h61_each_signature_of_a_machine_is_paid_for_before_one_is_verified(host, machine, monkeypatch):
    verified = []
    monkeypatch.setattr(
        "light_client.solomachine.keys.verify_signature", lambda *given: verified.append(given) or True
    )
    proof = machine.proof(b"key", b"value", 12)
    host.ctx.gas.reset(UNLIMITED)
    host.prove(proof)
    needed, signatures = host.ctx.gas.used, len(verified)
    host.client = SolomachineLightClient(Prices(signature=0))
    host.ctx.gas.reset(UNLIMITED)
    host.prove(proof)
    assert needed - host.ctx.gas.used == DEFAULT_PRICES.signature * signatures
    verified.clear()
    host.client = SolomachineLightClient()
    host.ctx.gas.reset(needed - 1)
    host.refuses(OutOfGas, host.prove, proof)
    assert not verified
