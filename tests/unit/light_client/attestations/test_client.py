"""The client of attested word: every check in ibc-go's order, what is written, and what stays as it was."""

import pytest

from conformance import memory
from light_client.attestations import states
from light_client.attestations.client import AttestationsLightClient
from light_client.attestations.states import (
    NS_PER_SECOND,
    PACKET_TAG,
    STATE_TAG,
    AttestedEntry,
    attest_packets,
    attest_state,
    sign_attestation,
)
from light_client.interface import Claim, UpgradedStates
from pyibc.codec.anys import pack
from pyibc.codec.encoding import encode
from pyibc.core import paths
from pyibc.core.client.types import Status
from pyibc.core.crypto import ethereum, secp256k1
from pyibc.core.errors import (
    AttestationsClientFrozen,
    AttestedHeightMismatch,
    ClientNotActive,
    ClientNotFound,
    ConsensusStateNotFound,
    DuplicateSigner,
    InvalidAttestationData,
    InvalidAttestationProof,
    InvalidAttestedPath,
    InvalidAttestedValue,
    InvalidAttestorSignature,
    InvalidClient,
    InvalidClientHeader,
    InvalidConsensus,
    InvalidRequest,
    InvalidUpgradeClient,
    NonMembershipFailed,
    NotMember,
    OutOfGas,
    QuorumNotMet,
    UnknownSigner,
)
from pyibc.core.height import Height
from pyibc.core.host.gas import DEFAULT_PRICES, UNLIMITED
from pyibc.core.numbers import MAX_U64
from pyibc.proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb

CLIENT, OTHER = "attestations-3", "attestations-4"
KEY = paths.client_state_path(CLIENT)
KEYS = [number.to_bytes(32, "big") for number in (0xA11CE, 0xB0B, 0xC0C, 0xD0D, 0xE0E)]
STRANGER = (0x5A5A).to_bytes(32, "big")
HEIGHT, SECONDS = 460, 1_704_067_200
AT = Height(0, HEIGHT)
PATH, VALUE = b"far-client\x01" + (7).to_bytes(8, "big"), b"v" * 32
OTHER_PATH = b"far-client\x01" + (8).to_bytes(8, "big")


def address(key):
    return "0x" + ethereum.own_address(key).hex()


def client_state(**changes):
    given = {
        "attestor_addresses": [address(key) for key in KEYS],
        "min_required_sigs": 3,
        "latest_height": HEIGHT,
    }
    return pb.ClientState(**(given | changes))


def message(proof):
    return pack(proof)


def word(number):
    return number.to_bytes(32, "big")


class Host:
    """A block with a client of three of five attestors."""

    def __init__(self):
        self.client = AttestationsLightClient()
        self.ctx = memory.block(10**18, height=7)
        self.client.initialize(self.ctx, CLIENT, encode(client_state()), encode(consensus(SECONDS)))

    def state(self):
        return states.load_client_state(self.ctx.ibc.get(KEY))

    def time_at(self, height):
        raw = self.ctx.ibc.get(paths.consensus_state_path(CLIENT, Height(0, height)))
        return None if raw is None else states.load_consensus_state(raw)

    def update(self, proof):
        """All that a MsgUpdateClient asks, in its order."""
        packed = message(proof)
        self.client.check_message(packed)
        self.client.verify_client_message(self.ctx, CLIENT, packed)
        if self.client.check_for_misbehaviour(self.ctx, CLIENT, packed):
            self.client.update_state_on_misbehaviour(self.ctx, CLIENT, packed)
            return []
        return self.client.update_state(self.ctx, CLIENT, packed)

    def claim(self, proof, path=(PATH,), value=VALUE, height=AT):
        raw = proof if isinstance(proof, bytes) else encode(proof)
        return Claim(height, raw, path, value, 5, 5)

    def member(self, *arguments, **named):
        return self.client.verify_membership(self.ctx, CLIENT, self.claim(*arguments, **named))

    def absent(self, *arguments, **named):
        return self.client.verify_non_membership(self.ctx, CLIENT, self.claim(*arguments, **named))

    def refuses(self, error, call, *arguments, **named):
        before = self.ctx.writes("ibc")
        with pytest.raises(error) as caught:
            call(*arguments, **named)
        assert type(caught.value) is error
        assert self.ctx.writes("ibc") == before
        return caught.value


def consensus(seconds):
    return pb.ConsensusState(timestamp=seconds * NS_PER_SECOND)


ENTRIES = (AttestedEntry(OTHER_PATH, b"o" * 32), AttestedEntry(PATH, VALUE))


def packets(keys=KEYS[:3], height=HEIGHT, entries=ENTRIES):
    return attest_packets(keys, height, entries)


@pytest.fixture
def host():
    return Host()


# -- creating


ONE = address(KEYS[0])
BAD_STATES = {
    "no attestors": {"attestor_addresses": []},
    "no quorum": {"min_required_sigs": 0},
    "a quorum above all": {"min_required_sigs": 6},
    "one twice": {"attestor_addresses": [ONE, address(KEYS[1]), ONE]},
    "one twice, without 0x": {"attestor_addresses": [ONE, address(KEYS[1]), ONE[2:]]},
    "one twice, in capitals": {"attestor_addresses": [ONE, address(KEYS[1]), "0X" + ONE[2:].upper()]},
    "an empty address": {"attestor_addresses": [ONE, address(KEYS[1]), ""]},
    "too short": {"attestor_addresses": [ONE, address(KEYS[1]), address(KEYS[2])[:-2]]},
    "0x twice": {"attestor_addresses": [ONE, address(KEYS[1]), "0x" + address(KEYS[2])[:-2]]},
    "no hexadecimal": {"attestor_addresses": [ONE, address(KEYS[1]), "0x" + "g" * 40]},
    "a line more": {"attestor_addresses": [ONE, address(KEYS[1]), address(KEYS[2]) + "\n"]},
    "other digits": {"attestor_addresses": [ONE, address(KEYS[1]), "0x" + "\u0661" * 40]},
}


@pytest.mark.parametrize("changes", BAD_STATES.values(), ids=BAD_STATES)
def test_states_that_cannot_be(host, changes):
    raw, first = encode(client_state(**changes)), encode(consensus(SECONDS))
    host.refuses(InvalidClient, host.client.check_client_state, raw)
    host.refuses(InvalidClient, host.client.initialize, host.ctx, OTHER, raw, first)


def test_bytes_that_are_no_states(host):
    good, first = encode(client_state()), encode(consensus(SECONDS))
    host.refuses(InvalidClient, host.client.initialize, host.ctx, OTHER, b"\xff", first)
    host.refuses(InvalidConsensus, host.client.initialize, host.ctx, OTHER, good, b"\xff")
    host.refuses(InvalidConsensus, host.client.initialize, host.ctx, OTHER, good, b"")  # no time
    host.refuses(InvalidConsensus, host.client.check_consensus_state, b"")


def test_addresses_in_all_shapes_and_height_zero(host):
    shapes = [ONE[2:], "0X" + address(KEYS[1])[2:].upper(), address(KEYS[2])]
    raw = encode(client_state(attestor_addresses=shapes, latest_height=0))
    host.client.initialize(host.ctx, OTHER, raw, encode(consensus(1)))
    assert states.load_client_state(host.ctx.ibc.get(paths.client_state_path(OTHER))) == (
        tuple(shapes),
        3,
        0,
        False,
    )
    assert host.client.timestamp_at_height(host.ctx, OTHER, Height(0, 0)) == NS_PER_SECOND


def test_h167_what_was_attested_comes_back_from_a_genesis(host):
    """Height 0 and time 0 may be attested: a chain must start again from what it exported."""
    host.update(attest_state(KEYS[:3], 0, SECONDS * NS_PER_SECOND))
    host.update(attest_state(KEYS[:3], 480, 0))
    stored = encode(pb.ConsensusState())
    assert (host.time_at(0), host.time_at(480)) == (SECONDS * NS_PER_SECOND, 0)
    host.client.check_stored_consensus_state(Height(0, 0), stored)
    host.refuses(InvalidConsensus, host.client.check_consensus_state, stored)
    host.refuses(InvalidConsensus, host.client.check_stored_consensus_state, AT, b"\xff")


# -- updates


def test_seconds_wrap_as_in_go(host):
    data = word(500) + word(MAX_U64)
    host.update(sign_attestation(KEYS, data, STATE_TAG))
    assert host.time_at(500) == MAX_U64 * NS_PER_SECOND % 2**64


GOOD = attest_state(KEYS[:3], 470, (SECONDS + 5) * NS_PER_SECOND)
DATA = GOOD.attestation_data


def spoilt(data=DATA, signatures=None):
    return pb.AttestationProof(
        attestation_data=data, signatures=GOOD.signatures if signatures is None else signatures
    )


NO_MESSAGES = {
    "nothing but zeros, which reads as no packets": attest_state(KEYS, 0, 0),
    "no data": spoilt(b""),
    "cut short": spoilt(DATA[:-1]),
    "a height too big": spoilt(word(2**64) + DATA[32:]),
    "a time too big": spoilt(DATA[:32] + word(2**64)),
    "no packets": attest_packets(KEYS, HEIGHT, ()),
    "no signatures": spoilt(signatures=[]),
    "a short signature": spoilt(signatures=[*GOOD.signatures[:2], GOOD.signatures[2][:-1]]),
    "a long signature": spoilt(signatures=[*GOOD.signatures[:2], GOOD.signatures[2] + b"\0"]),
}


@pytest.mark.parametrize("proof", NO_MESSAGES.values(), ids=NO_MESSAGES)
def test_messages_that_cannot_be(host, proof):
    host.client.check_message(message(GOOD))
    host.refuses(InvalidClientHeader, host.client.check_message, message(proof))


def high(signature):
    """The other signature of the same key: s from the upper half, and the other v."""
    s = secp256k1.ORDER - int.from_bytes(signature[32:64], "big")
    return signature[:32] + s.to_bytes(32, "big") + bytes((signature[64] ^ 1,))


def other_v(signature, v):
    return signature[:64] + bytes((v,))


def signed_by(*keys, data=DATA, tag=STATE_TAG):
    return sign_attestation(keys, data, tag).signatures


*TWO, THIRD = GOOD.signatures
SIGNED = {
    "below quorum": (TWO, QuorumNotMet),
    "zeros": ([*TWO, bytes(65)], InvalidAttestorSignature),
    "v 4": ([*TWO, other_v(THIRD, 4)], InvalidAttestorSignature),
    "v 29": ([*TWO, other_v(THIRD, 29)], InvalidAttestorSignature),
    "v 255": ([*TWO, other_v(THIRD, 255)], InvalidAttestorSignature),
    "r of zero": ([*TWO, bytes(32) + THIRD[32:]], InvalidAttestorSignature),
    "s above the order": ([*TWO, THIRD[:32] + b"\xff" * 32 + b"\0"], InvalidAttestorSignature),
    "another v": ([*TWO, other_v(THIRD, THIRD[64] ^ 1)], UnknownSigner),
    "one twice": ([*TWO, GOOD.signatures[0]], DuplicateSigner),
    "one twice, beyond the quorum": ([*GOOD.signatures, GOOD.signatures[0]], DuplicateSigner),
    "one twice, in its other form": ([*TWO, high(GOOD.signatures[0])], DuplicateSigner),
    "a stranger beyond the quorum": ([*GOOD.signatures, *signed_by(STRANGER)], UnknownSigner),
    "a bad one beyond the quorum": ([*GOOD.signatures, bytes(65)], InvalidAttestorSignature),
    "signed for packets": (signed_by(*KEYS[:3], tag=PACKET_TAG), UnknownSigner),
    "signed without a tag": (signed_by(*KEYS[:3], tag=b""), UnknownSigner),
    "signed for other data": (signed_by(*KEYS[:3], data=DATA + b"\0"), UnknownSigner),
}


@pytest.mark.parametrize(("signatures", "error"), SIGNED.values(), ids=SIGNED)
def test_h167_a_quorum_signs_and_nobody_else(host, signatures, error):
    host.refuses(error, host.update, spoilt(signatures=signatures))
    assert host.time_at(470) is None
    host.update(GOOD)


def test_bytes_beyond_the_data_are_signed_too(host):
    assert host.update(sign_attestation(KEYS[:3], DATA + b"\0", STATE_TAG)) == [Height(0, 470)]


def test_an_unknown_client_takes_nothing(host):
    for call in (
        host.client.verify_client_message,
        host.client.update_state,
        host.client.update_state_on_misbehaviour,
    ):
        host.refuses(ClientNotFound, call, host.ctx, OTHER, message(GOOD))


def test_signatures_are_paid_for_before_they_are_looked_at(host):
    used = host.ctx.gas.used
    host.client.verify_client_message(host.ctx, CLIENT, message(GOOD))
    least = 3 * DEFAULT_PRICES.signature
    assert host.ctx.gas.used - used > least
    host.ctx.gas.reset(1_500 + least)
    many = spoilt(signatures=[b"?" * 65] * 100)
    host.refuses(OutOfGas, host.client.verify_client_message, host.ctx, CLIENT, message(many))
    host.ctx.gas.reset(UNLIMITED)


# -- misbehaviour


def test_h167_two_times_of_a_height_freeze_for_ever(host):
    host.update(GOOD)
    conflict = attest_state(KEYS[2:], 470, (SECONDS + 6) * NS_PER_SECOND)
    assert host.update(conflict) == []
    assert host.state().is_frozen
    assert host.time_at(470) == (SECONDS + 5) * NS_PER_SECOND
    assert host.client.status(host.ctx, CLIENT) is Status.FROZEN
    host.refuses(AttestationsClientFrozen, host.update, GOOD)
    host.refuses(AttestationsClientFrozen, host.member, packets())
    host.refuses(AttestationsClientFrozen, host.absent, packets(entries=[AttestedEntry(PATH)]))
    claim = host.claim(packets())
    host.refuses(ClientNotActive, host.client.verify_membership_if_active, host.ctx, CLIENT, claim)
    host.refuses(InvalidRequest, host.client.recover, host.ctx, CLIENT, OTHER)
    upgraded = UpgradedStates(b"", b"", b"", b"")
    host.refuses(
        InvalidUpgradeClient, host.client.verify_upgrade_and_update_state, host.ctx, CLIENT, upgraded
    )


# -- proofs


ATTESTED = packets().attestation_data
MEMBERS = {
    "no path": (packets(), {"path": ()}, InvalidAttestedPath),
    "no value": (packets(), {"value": b""}, InvalidAttestationData),
    "another height": (packets(), {"height": Height(0, 461)}, ConsensusStateNotFound),
    "another revision": (packets(), {"height": Height(1, HEIGHT)}, ConsensusStateNotFound),
    "garbage": (b"\xff", {}, InvalidAttestationProof),
    "data of another wire type": (encode(packets()) + b"\x08\x01", {}, InvalidAttestationProof),
    "no signatures": (spoilt(ATTESTED, []), {}, InvalidAttestorSignature),
    "an empty signature": (spoilt(ATTESTED, [b""] * 3), {}, InvalidAttestorSignature),
    "below quorum": (packets(KEYS[:2]), {}, QuorumNotMet),
    "signed as a state": (sign_attestation(KEYS[:3], ATTESTED, STATE_TAG), {}, UnknownSigner),
    "a state": (sign_attestation(KEYS[:3], DATA, PACKET_TAG), {}, InvalidAttestationData),
    "attested at another height": (packets(height=461), {}, AttestedHeightMismatch),
    "nothing attested": (packets(entries=()), {}, InvalidAttestationData),
    "two parts": (packets(), {"path": (b"ibc", PATH)}, InvalidAttestedPath),
    "an empty part": (packets(), {"path": (b"",)}, InvalidAttestedPath),
    "a long value": (packets(), {"value": VALUE + b"v"}, InvalidAttestedValue),
    "a short value": (packets(), {"value": VALUE[:-1]}, InvalidAttestedValue),
    "another value": (packets(), {"value": b"w" * 32}, NotMember),
    "another path": (packets(), {"path": (PATH + b"?",)}, NotMember),
    "another's value": (packets(), {"value": b"o" * 32}, NotMember),
}


@pytest.mark.parametrize(("proof", "how", "error"), MEMBERS.values(), ids=MEMBERS)
def test_membership_that_is_not_shown(host, proof, how, error):
    host.refuses(error, host.member, proof, **how)


NOTHING = AttestedEntry(PATH)
ABSENT = {
    "not said": (packets(entries=[AttestedEntry(OTHER_PATH)]), {}, NotMember),
    "something there": (packets(), {}, NonMembershipFailed),
    "there and not there": (packets(entries=[NOTHING, ENTRIES[1]]), {}, NonMembershipFailed),
    "no path": (packets(entries=[NOTHING]), {"path": ()}, InvalidAttestedPath),
    "two parts": (packets(entries=[NOTHING]), {"path": (b"ibc", PATH)}, InvalidAttestedPath),
    "nothing attested": (packets(entries=()), {}, InvalidAttestationData),
    "below quorum": (packets(KEYS[:2], entries=[NOTHING]), {}, QuorumNotMet),
    "another height": (packets(entries=[NOTHING]), {"height": Height(0, 461)}, ConsensusStateNotFound),
    "garbage": (b"\xff", {}, InvalidAttestationProof),
}


@pytest.mark.parametrize(("proof", "how", "error"), ABSENT.values(), ids=ABSENT)
def test_absence_that_is_not_shown(host, proof, how, error):
    host.refuses(error, host.absent, proof, **how)


def test_proofs_are_asked_of_a_client(host):
    for verify in (host.client.verify_membership, host.client.verify_non_membership):
        host.refuses(ClientNotFound, verify, host.ctx, OTHER, host.claim(packets()))
