"""The `attestations` light client: access to the store and the `LightClient` interface.

A client trusts data signed by a quorum of its attestors; nothing expires. Two signed times of one height
freeze the client permanently: it cannot be recovered or upgraded.
"""

from light_client.attestations import states
from light_client.attestations.states import (
    PACKET_TAG,
    STATE_TAG,
    AttestedPackets,
    AttestedState,
    ClientState,
    attestors,
    decode_packets,
    decode_state,
    is_attestation,
    signed_digest,
)
from light_client.interface import Claim, ClientTypes, LightClient
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.client.types import Status
from pyibc.core.crypto import ethereum
from pyibc.core.errors import (
    ApplicationFault,
    AttestationsClientFrozen,
    AttestedHeightMismatch,
    ClientNotFound,
    ConsensusStateNotFound,
    DuplicateSigner,
    InvalidAttestationData,
    InvalidAttestationProof,
    InvalidAttestedPath,
    InvalidAttestedValue,
    InvalidAttestorSignature,
    InvalidClientHeader,
    InvalidConsensus,
    InvalidProof,
    InvalidRequest,
    InvalidType,
    NonMembershipFailed,
    NotMember,
    QuorumNotMet,
    UnknownSigner,
)
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.host.gas import DEFAULT_PRICES, Prices
from pyibc.core.proofs import decode
from pyibc.isolation.isolate import builtin
from pyibc.proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb

# -- verification of the signatures of a quorum of attestors


def check_signatures(state: ClientState, proof: pb.AttestationProof, tag: bytes) -> None:
    """Check that the signatures of `proof` are by a quorum of different attestors.

    A single invalid signature invalidates the proof.

    Raises:
        InvalidAttestorSignature: there is no signature, or no key can be recovered from one.
        QuorumNotMet: there are too few signatures.
        DuplicateSigner: an attestor signed twice.
        UnknownSigner: a signer is not an attestor.
    """
    # guard: h167-no-signatures-needed test_membership_that_is_not_shown
    if not proof.signatures:
        raise InvalidAttestorSignature("signatures cannot be empty")
    # guard: h167-no-quorum test_h167_a_quorum_signs_and_nobody_else
    if len(proof.signatures) < state.min_required_sigs:
        raise QuorumNotMet(state.min_required_sigs, len(proof.signatures))
    known, seen = attestors(state), set[bytes]()
    digest = signed_digest(tag, proof.attestation_data)
    for number, signature in enumerate(proof.signatures):
        signer = ethereum.recover(digest, signature)
        if signer is None:
            # guard: h167-a-signature-of-nobody {=> continue} test_h167_a_quorum_signs_and_nobody_else
            raise InvalidAttestorSignature(f"no public key recovered from signature {number}")
        # guard: h167-one-attestor-twice test_h167_a_quorum_signs_and_nobody_else
        if signer in seen:
            raise DuplicateSigner(signer.hex())
        # guard: h167-a-stranger-signs test_h167_a_quorum_signs_and_nobody_else
        if signer not in known:
            raise UnknownSigner(signer.hex())
        seen.add(signer)


# -- the light client

CLIENT_TYPE = "attestations"
COMMITMENT_SIZE = 32
ABSENT = bytes(COMMITMENT_SIZE)
"""Commitment of an absent path."""
_PROOF = {1: decode.BYTES, 2: decode.BYTES}


@builtin
class AttestationsLightClient(LightClient):
    """ibc-go's attestations light client; all its state is in the `ibc` store."""

    client_type = CLIENT_TYPE
    types = ClientTypes(pb.ClientState, pb.ConsensusState, (pb.AttestationProof,))

    def __init__(self, prices: Prices = DEFAULT_PRICES) -> None:
        """Create the light client; `prices` has the gas of a signature verification."""
        self._price = prices.signature

    def check_client_state(self, client_state: bytes, /) -> None:
        """Check a new client's state; raises InvalidClient."""
        states.check_client_state(states.decode_client_state(client_state))

    def check_consensus_state(self, consensus_state: bytes, /) -> None:
        """Check a new client's consensus state; raises InvalidConsensus."""
        if states.decode_consensus_state(consensus_state) == 0:
            raise InvalidConsensus("timestamp cannot be 0")

    def check_stored_consensus_state(self, _height: Height, consensus_state: bytes, /) -> None:
        """Check that a consensus state decodes; height 0 and time 0 are valid; raises InvalidConsensus."""
        # guard: h167-a-genesis-refuses-what-was-attested {states.decode_consensus_state =>
        #   self.check_consensus_state} test_h167_what_was_attested_comes_back_from_a_genesis
        states.decode_consensus_state(consensus_state)

    def check_message(self, message: AnyMessage, /) -> None:
        """Run the stateless checks of an attestation; raises InvalidClientHeader."""
        proof = _proof(message)
        # guard: h167-no-attestation-at-all test_client::test_messages_that_cannot_be
        if not is_attestation(proof.attestation_data):
            raise InvalidClientHeader("attestation data is neither of a state nor of packets")
        # guard: h167-an-update-without-signatures test_client::test_messages_that_cannot_be
        if not proof.signatures:
            raise InvalidClientHeader("signatures cannot be empty")
        for number, signature in enumerate(proof.signatures):
            # guard: h167-signatures-of-any-size test_client::test_messages_that_cannot_be
            if len(signature) != ethereum.SIGNATURE_SIZE:
                raise InvalidClientHeader(f"signature {number} has {len(signature)} bytes")

    def initialize(
        self, ctx: WriteContext, client_id: str, client_state: bytes, consensus_state: bytes, /
    ) -> None:
        """Write a new client's states; raises InvalidClient, InvalidConsensus."""
        self.check_client_state(client_state)
        self.check_consensus_state(consensus_state)
        state = states.decode_client_state(client_state)
        time_ns = states.decode_consensus_state(consensus_state)
        _set_consensus(ctx, client_id, AttestedState(state.latest_height, time_ns))
        _set(ctx, client_id, state)

    def verify_client_message(self, ctx: ReadContext, client_id: str, message: AnyMessage, /) -> None:
        """Check that a quorum signed a state attestation.

        Raises:
            ClientNotFound: there is no such client.
            AttestationsError: there is no quorum, or a signature is not by an attestor.
        """
        self._check_signed(ctx, _active(ctx, client_id), _proof(message), STATE_TAG)

    def _check_signed(
        self, ctx: ReadContext, state: ClientState, proof: pb.AttestationProof, tag: bytes
    ) -> None:
        # guard: h167-signatures-cost-nothing test_signatures_are_paid_for_before_they_are_looked_at
        ctx.gas.consume(self._price * len(proof.signatures))
        check_signatures(state, proof, tag)

    def check_for_misbehaviour(self, ctx: ReadContext, client_id: str, message: AnyMessage, /) -> bool:
        """Return whether another time is stored for the height."""
        attested = _state_in(message)
        known = _find_time(ctx, client_id, Height(0, attested.height))
        # guard: h167-two-times-of-a-height test_h167_two_times_of_a_height_freeze_for_ever
        return known is not None and known != attested.time_ns

    def update_state_on_misbehaviour(
        self, ctx: WriteContext, client_id: str, _message: AnyMessage, /
    ) -> None:
        """Freeze the client."""
        _set(ctx, client_id, _get(ctx, client_id)._replace(is_frozen=True))

    def update_state(self, ctx: WriteContext, client_id: str, message: AnyMessage, /) -> list[Height]:
        """Write both states, even if they are unchanged, as ibc-go does."""
        attested, state = _state_in(message), _get(ctx, client_id)
        _set_consensus(ctx, client_id, attested)
        _set(ctx, client_id, state._replace(latest_height=max(state.latest_height, attested.height)))
        return [Height(0, attested.height)]

    def verify_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> None:
        """Check that a quorum signed a packet attestation with `claim.value` at the path.

        Raises:
            ClientNotFound, ConsensusStateNotFound: the client does not exist, or has no such height.
            AttestationsError: there is no quorum, or another value is attested.
        """
        state = _active(ctx, client_id)
        if claim.path and not claim.value:
            raise InvalidAttestationData("value cannot be empty")
        packets, path = self._packets(ctx, client_id, state, claim)
        # guard: h167-a-value-of-any-size test_membership_that_is_not_shown
        if len(claim.value) != COMMITMENT_SIZE:
            raise InvalidAttestedValue(len(claim.value))
        # guard: h167-a-value-that-nobody-attested test_membership_that_is_not_shown
        if claim.value not in packets.at(path):
            raise NotMember

    def verify_non_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> None:
        """Check that a quorum signed a packet attestation with 32 zero bytes at the path.

        Raises:
            NotMember: the attestation does not have the path.
            NonMembershipFailed: another value is attested.
            IbcError: see `verify_membership`.
        """
        packets, path = self._packets(ctx, client_id, _active(ctx, client_id), claim)
        found = set(packets.at(path))
        # guard: h167-absence-that-nobody-attested test_absence_that_is_not_shown
        if not found:
            raise NotMember
        # guard: h167-absence-of-what-is-there test_absence_that_is_not_shown
        if found != {ABSENT}:
            raise NonMembershipFailed

    def _packets(
        self, ctx: ReadContext, client_id: str, state: ClientState, claim: Claim
    ) -> tuple[AttestedPackets, bytes]:
        """Return the packet attestation of the claim's height, and the hash of the claim's path."""
        if not claim.path:
            raise InvalidAttestedPath("path cannot be empty")
        # guard: h167-the-time-of-any-height test_membership_that_is_not_shown test_absence_that_is_not_shown
        _time(ctx, client_id, claim.height)
        proof = _decode_proof(claim.proof)
        self._check_signed(ctx, state, proof, PACKET_TAG)
        try:
            packets = decode_packets(proof.attestation_data)
        except InvalidType as error:
            raise InvalidAttestationData(error.got) from None
        # guard: h167-of-another-height test_membership_that_is_not_shown
        if packets.height != claim.height.revision_height:
            raise AttestedHeightMismatch(claim.height.revision_height, packets.height)
        # guard: h167-of-no-packets test_membership_that_is_not_shown
        if not packets.packets:
            raise InvalidAttestationData("packets cannot be empty")
        # guard: h167-a-path-of-several-parts test_membership_that_is_not_shown test_absence_that_is_not_shown
        if len(claim.path) != 1 or not claim.path[0]:
            raise InvalidAttestedPath(f"{len(claim.path)} parts, one expected that is not empty")
        return packets, ethereum.keccak256(claim.path[0])

    def status(self, ctx: ReadContext, client_id: str, /) -> Status:
        """Return Frozen or Active; clients of this type never expire."""
        state = _find(ctx, client_id)
        if state is None:
            return Status.UNKNOWN
        return Status.FROZEN if state.is_frozen else Status.ACTIVE

    def latest_height(self, ctx: ReadContext, client_id: str, /) -> Height:
        """Return the highest attested height, in revision 0."""
        state = _find(ctx, client_id)
        return ZERO_HEIGHT if state is None else Height(0, state.latest_height)

    def timestamp_at_height(self, ctx: ReadContext, client_id: str, height: Height, /) -> int:
        """Return the attested time of a height; raises ConsensusStateNotFound."""
        return _time(ctx, client_id, height)

    def recover(self, _ctx: WriteContext, _client_id: str, _substitute_client_id: str, /) -> None:
        """Raise InvalidRequest: the attestors of a client cannot be replaced."""
        raise InvalidRequest(f"a client of type {CLIENT_TYPE} cannot be recovered")


def _decode_proof(raw: bytes) -> pb.AttestationProof:
    """Decode a proof as gogoproto: it is opaque bytes to the transaction decoder."""
    proof = pb.AttestationProof()
    try:
        for number, _, part in decode.fields(raw, _PROOF, decode.Allowance(len(raw))):
            if number == 1:
                proof.attestation_data = part
            else:
                proof.signatures.append(part)
    except InvalidProof:
        raise InvalidAttestationProof("malformed") from None
    return proof


def _proof(message: AnyMessage) -> pb.AttestationProof:
    return _decode_proof(message.value)


def _state_in(message: AnyMessage) -> AttestedState:
    """Return the state attestation in a verified message.

    Raises:
        ApplicationFault: a quorum signed packets that do not decode as a state; ibc-go panics.
    """
    try:
        return decode_state(_proof(message).attestation_data)
    except InvalidType:
        raise ApplicationFault(f"{CLIENT_TYPE}: packets were signed as a state") from None


def _find(ctx: ReadContext, client_id: str) -> ClientState | None:
    raw = ctx.ibc.get(paths.client_state_path(client_id))
    return None if raw is None else states.load_client_state(raw)


def _get(ctx: ReadContext, client_id: str) -> ClientState:
    found = _find(ctx, client_id)
    if found is None:
        raise ClientNotFound(client_id)
    return found


def _active(ctx: ReadContext, client_id: str) -> ClientState:
    state = _get(ctx, client_id)
    # guard: h167-a-frozen-client-acts test_h167_two_times_of_a_height_freeze_for_ever
    if state.is_frozen:
        raise AttestationsClientFrozen(client_id)
    return state


def _set(ctx: WriteContext, client_id: str, state: ClientState) -> None:
    ctx.ibc.set(paths.client_state_path(client_id), states.store_client_state(state))


def _find_time(ctx: ReadContext, client_id: str, height: Height) -> int | None:
    raw = ctx.ibc.get(paths.consensus_state_path(client_id, height))
    return None if raw is None else states.load_consensus_state(raw)


def _time(ctx: ReadContext, client_id: str, height: Height) -> int:
    found = _find_time(ctx, client_id, height)
    if found is None:
        raise ConsensusStateNotFound(client_id, str(height))
    return found


def _set_consensus(ctx: WriteContext, client_id: str, attested: AttestedState) -> None:
    path = paths.consensus_state_path(client_id, Height(0, attested.height))
    ctx.ibc.set(path, states.store_consensus_state(attested.time_ns))
