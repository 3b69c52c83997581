"""The adapter of `attestations`: loads the state, has signatures checked, writes.

A client believes what a quorum of its attestors signed, and nothing expires. Two signed times of one height
freeze it, for ever: nobody recovers or upgrades it.
"""

from ibc_core import paths
from ibc_core.any_message import AnyMessage
from ibc_core.client.types import Status
from ibc_core.crypto import ethereum
from ibc_core.errors import (
    ApplicationFault,
    AttestationsClientFrozen,
    AttestedHeightMismatch,
    ClientNotFound,
    ConsensusStateNotFound,
    InvalidAttestationData,
    InvalidAttestationProof,
    InvalidAttestedPath,
    InvalidAttestedValue,
    InvalidClientHeader,
    InvalidConsensus,
    InvalidProof,
    InvalidRequest,
    InvalidType,
    NonMembershipFailed,
    NotMember,
)
from ibc_core.height import ZERO_HEIGHT, Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.gas import DEFAULT_PRICES, Prices
from ibc_core.host.shipped import shipped
from ibc_core.proofs import wire
from ibc_proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb
from light_client.attestations import states
from light_client.attestations.attested import (
    PACKET_TAG,
    STATE_TAG,
    AttestedPackets,
    AttestedState,
    decode_packets,
    decode_state,
    is_attestation,
)
from light_client.attestations.signatures import check_signatures
from light_client.attestations.states import ClientState
from light_client.interface import Claim, ClientTypes, LightClient

CLIENT_TYPE = "attestations"
COMMITMENT_SIZE = 32
ABSENT = bytes(COMMITMENT_SIZE)
"""What is attested of a path where nothing stands."""
_PROOF = {1: wire.BYTES, 2: wire.BYTES}


@shipped
class AttestationsLightClient(LightClient):
    """ibc-go's light client of attested word. All that it knows stands in the `ibc` store."""

    client_type = CLIENT_TYPE
    types = ClientTypes(pb.ClientState, pb.ConsensusState, (pb.AttestationProof,))

    def __init__(self, prices: Prices = DEFAULT_PRICES) -> None:
        """`prices`: gas of the signatures that are verified."""
        self._price = prices.signature

    def check_client_state(self, client_state: bytes, /) -> None:
        """Checks a new client's state; raises InvalidClient."""
        states.check_client_state(states.decode_client_state(client_state))

    def check_consensus_state(self, consensus_state: bytes, /) -> None:
        """Checks a new client's consensus state; raises InvalidConsensus."""
        if states.decode_consensus_state(consensus_state) == 0:
            raise InvalidConsensus("timestamp cannot be 0")

    def check_stored_consensus_state(self, _height: Height, consensus_state: bytes, /) -> None:
        """Height 0 and time 0 may have been attested; raises InvalidConsensus if it does not decode."""
        # guard: h167-a-genesis-refuses-what-was-attested {states.decode_consensus_state =>
        #   self.check_consensus_state} test_h167_what_was_attested_comes_back_from_a_genesis
        states.decode_consensus_state(consensus_state)

    def check_message(self, message: AnyMessage, /) -> None:
        """Checks an attestation as far as it goes without a client; raises InvalidClientHeader."""
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
        """Writes a new client's states; raises InvalidClient, InvalidConsensus."""
        self.check_client_state(client_state)
        self.check_consensus_state(consensus_state)
        state = states.decode_client_state(client_state)
        time_ns = states.decode_consensus_state(consensus_state)
        _set_consensus(ctx, client_id, AttestedState(state.latest_height, time_ns))
        _set(ctx, client_id, state)

    def verify_client_message(self, ctx: ReadContext, client_id: str, message: AnyMessage, /) -> None:
        """Checks that a quorum signed, as a state.

        Raises:
            ClientNotFound: there is no such client.
            AttestationsError: it did not, or somebody else signed as well.
        """
        self._check_signed(ctx, _active(ctx, client_id), _proof(message), STATE_TAG)

    def _check_signed(
        self, ctx: ReadContext, state: ClientState, proof: pb.AttestationProof, tag: bytes
    ) -> None:
        # guard: h167-signatures-cost-nothing test_signatures_are_paid_for_before_they_are_looked_at
        ctx.gas.consume(self._price * len(proof.signatures))
        check_signatures(state, proof, tag)

    def check_for_misbehaviour(self, ctx: ReadContext, client_id: str, message: AnyMessage, /) -> bool:
        """Whether another time of that height is known."""
        attested = _state_in(message)
        known = _find_time(ctx, client_id, Height(0, attested.height))
        # guard: h167-two-times-of-a-height test_h167_two_times_of_a_height_freeze_for_ever
        return known is not None and known != attested.time_ns

    def update_state_on_misbehaviour(
        self, ctx: WriteContext, client_id: str, _message: AnyMessage, /
    ) -> None:
        """Freezes the client."""
        _set(ctx, client_id, _get(ctx, client_id)._replace(is_frozen=True))

    def update_state(self, ctx: WriteContext, client_id: str, message: AnyMessage, /) -> list[Height]:
        """Writes both states, also what is known already: ibc-go does."""
        attested, state = _state_in(message), _get(ctx, client_id)
        _set_consensus(ctx, client_id, attested)
        _set(ctx, client_id, state._replace(latest_height=max(state.latest_height, attested.height)))
        return [Height(0, attested.height)]

    def verify_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> None:
        """Checks that a quorum signed, as packets, that `claim.value` stands at the path.

        Raises:
            ClientNotFound, ConsensusStateNotFound: there is no such client, or nothing of that height.
            AttestationsError: they did not sign it, or signed something else.
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
        """Checks that a quorum signed, as packets, that 32 zero bytes stand at the path.

        Raises:
            NotMember: they said nothing of the path.
            NonMembershipFailed: something stands there.
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
        """What was attested of the claim's height, and the hash of its path."""
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
        """Frozen or Active: word that was given never expires."""
        state = _find(ctx, client_id)
        if state is None:
            return Status.UNKNOWN
        return Status.FROZEN if state.is_frozen else Status.ACTIVE

    def latest_height(self, ctx: ReadContext, client_id: str, /) -> Height:
        """The highest height attested, in revision 0."""
        state = _find(ctx, client_id)
        return ZERO_HEIGHT if state is None else Height(0, state.latest_height)

    def timestamp_at_height(self, ctx: ReadContext, client_id: str, height: Height, /) -> int:
        """The time that was attested of a height; raises ConsensusStateNotFound."""
        return _time(ctx, client_id, height)

    def recover(self, _ctx: WriteContext, _client_id: str, _substitute_client_id: str, /) -> None:
        """Raises InvalidRequest: whom a client believed is not exchanged under it."""
        raise InvalidRequest(f"a client of type {CLIENT_TYPE} cannot be recovered")


def _decode_proof(raw: bytes) -> pb.AttestationProof:
    """As gogoproto reads it: a proof is bytes that no transaction's decoder has looked into."""
    proof = pb.AttestationProof()
    try:
        for number, _, part in wire.fields(raw, _PROOF, wire.Allowance(len(raw))):
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
    """The state that a verified message attests.

    Raises:
        ApplicationFault: a quorum signed packets that cannot be read as a state; ibc-go panics.
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
