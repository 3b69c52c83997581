"""The adapter of `06-solomachine`: loads the state, checks signatures, writes.

A signature is for one sequence, so each proof moves the client on. Verification reads; what it leaves to
write is its `ProofEffect`.
"""

from collections.abc import Callable

from ibc_core import paths
from ibc_core.any_message import AnyMessage
from ibc_core.client.types import SOLOMACHINE, Status
from ibc_core.errors import (
    ClientNotFound,
    InvalidClientHeader,
    InvalidClientType,
    InvalidConsensus,
    InvalidPath,
    InvalidSolomachineHeader,
    InvalidSolomachineProof,
    SignatureVerificationFailed,
)
from ibc_core.height import ZERO_HEIGHT, Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.gas import DEFAULT_PRICES, Prices
from ibc_core.host.shipped import shipped
from ibc_core.identifiers import parse_client_id
from ibc_core.numbers import MAX_U64
from ibc_proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as pb
from light_client.interface import Claim, ClientTypes, LightClient, ProofEffect
from light_client.solomachine import codec
from light_client.solomachine.keys import check_signature, decode_public_key
from light_client.solomachine.signatures import Signature, count_of, decode_signature
from light_client.solomachine.states import (
    ClientState,
    ConsensusState,
    Header,
    Misbehaviour,
    check_client_state,
    check_consensus_state,
    check_header,
    check_misbehaviour,
)

_Charge = Callable[[int], None]
"""Charges gas for a number of signatures; raises OutOfGas."""

HEADER_PATH = b"solomachine:header"
"""The path that a header is signed for."""


@shipped
class SolomachineLightClient(LightClient):
    """ICS-6. Stateless: every client lives in the `ibc` store. A machine has a sequence, and no past."""

    client_type = SOLOMACHINE
    types = ClientTypes(pb.ClientState, pb.ConsensusState, (pb.Header, pb.Misbehaviour))

    def __init__(self, prices: Prices = DEFAULT_PRICES) -> None:
        """`prices`: gas of the signatures that are verified."""
        self._price = prices.signature

    def check_client_state(self, client_state: bytes, /) -> None:
        """Checks a new client's state.

        Raises:
            InvalidClient, InvalidConsensus: it is malformed or impossible.
        """
        check_client_state(codec.decode_client_state(client_state))

    def check_consensus_state(self, consensus_state: bytes, /) -> None:
        """Checks a new client's consensus state.

        Raises:
            InvalidConsensus: it is malformed or impossible.
        """
        check_consensus_state(codec.decode_consensus_state(consensus_state))

    def check_message(self, message: AnyMessage, /) -> None:
        """Checks a header or evidence as far as it goes without trust.

        Raises:
            InvalidClientHeader, InvalidMisbehaviour, InvalidSignatureAndData: it is impossible.
        """
        decoded = _decode(message)
        if isinstance(decoded, Header):
            check_header(decoded)
        else:
            check_misbehaviour(decoded)

    def initialize(
        self, ctx: WriteContext, client_id: str, client_state: bytes, consensus_state: bytes, /
    ) -> None:
        """Writes a new client's state, which holds the consensus state.

        Raises:
            InvalidClient, InvalidConsensus: a state is malformed, or the two consensus states differ.
        """
        state = codec.decode_client_state(client_state)
        check_client_state(state)
        first = codec.decode_consensus_state(consensus_state)
        check_consensus_state(first)
        if first != state.consensus_state:
            raise InvalidConsensus("the client state holds another consensus state")
        _set(ctx, client_id, state)

    def verify_client_message(self, ctx: ReadContext, client_id: str, message: AnyMessage, /) -> None:
        """Checks a header or evidence of misbehaviour in full.

        Raises:
            ClientNotFound: there is no such client.
            InvalidClientHeader, InvalidSolomachineHeader: the machine's time turned back, or its key did
                not sign.
            SignatureVerificationFailed, InvalidSignatureAndData: a malformed signature, or evidence that
                the key did not sign.
        """
        self.check_message(message)
        decoded, state = _decode(message), _get(ctx, client_id)
        if isinstance(decoded, Header):
            _verify_header(state, decoded, self._meter(ctx))
        else:
            _verify_misbehaviour(state, decoded, self._meter(ctx))

    def _meter(self, ctx: ReadContext) -> _Charge:
        """Charges for a number of signatures."""
        return lambda count: ctx.gas.consume(self._price * count)

    def check_for_misbehaviour(self, _ctx: ReadContext, _client_id: str, message: AnyMessage, /) -> bool:
        """Whether a verified message is evidence: it always shows what it says."""
        return isinstance(_decode(message), Misbehaviour)

    def update_state_on_misbehaviour(
        self, ctx: WriteContext, client_id: str, _message: AnyMessage, /
    ) -> None:
        """Freezes the client; the message is not asked again."""
        _set(ctx, client_id, _get(ctx, client_id)._replace(is_frozen=True))

    def update_state(self, ctx: WriteContext, client_id: str, message: AnyMessage, /) -> list[Height]:
        """Takes the machine's new key over."""
        header = _decode(message)
        if isinstance(header, Misbehaviour):
            return []
        sequence = _next(_get(ctx, client_id).sequence)
        signer = ConsensusState(header.new_public_key, header.new_diversifier, header.timestamp)
        _set(ctx, client_id, ClientState(sequence, False, signer))
        return [Height(0, sequence)]

    def verify_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> ProofEffect:
        """Checks that the machine signed for a value at a path, with the sequence that is due.

        Raises:
            ClientNotFound: there is no such client.
            InvalidSolomachineProof: the proof is malformed, or older than the last signature.
            InvalidPath: not a store and a key.
            SignatureVerificationFailed: the machine signed something else.
        """
        return _verify(ctx, client_id, claim, claim.value, self._meter(ctx))

    def verify_non_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> ProofEffect:
        """Checks that the machine signed for nothing at a path; raises as above."""
        return _verify(ctx, client_id, claim, b"", self._meter(ctx))

    def status(self, ctx: ReadContext, client_id: str, /) -> Status:
        """Frozen or Active: a machine never expires."""
        state = _find(ctx, client_id)
        if state is None:
            return Status.UNKNOWN
        return Status.FROZEN if state.is_frozen else Status.ACTIVE

    def latest_height(self, ctx: ReadContext, client_id: str, /) -> Height:
        """The sequence that is due, in revision 0."""
        state = _find(ctx, client_id)
        return ZERO_HEIGHT if state is None else Height(0, state.sequence)

    def timestamp_at_height(self, ctx: ReadContext, client_id: str, _height: Height, /) -> int:
        """The time of the newest signature, whatever the height.

        Raises:
            ClientNotFound: there is no such client.
        """
        return _get(ctx, client_id).consensus_state.timestamp

    def recover(self, ctx: WriteContext, client_id: str, substitute_client_id: str, /) -> None:
        """Takes a substitute's state over.

        Raises:
            InvalidIdentifier, InvalidClientType, ClientNotFound: the two do not fit.
            InvalidClientHeader: they have the same key.
        """
        if parse_client_id(substitute_client_id)[0] != SOLOMACHINE:
            raise InvalidClientType(f"substitute {substitute_client_id} is not of type {SOLOMACHINE}")
        subject, substitute = _get(ctx, client_id), _get(ctx, substitute_client_id)
        keys = [decode_public_key(each.consensus_state.public_key) for each in (subject, substitute)]
        if keys[0] == keys[1]:
            raise InvalidClientHeader("subject and substitute have the same public key")
        _set(ctx, client_id, substitute._replace(is_frozen=False))


def _decode(message: AnyMessage) -> Header | Misbehaviour:
    if message.type_url == codec.HEADER_TYPE_URL:
        return codec.decode_header(message.value)
    if message.type_url == codec.MISBEHAVIOUR_TYPE_URL:
        return codec.decode_misbehaviour(message.value)
    raise InvalidClientType(f"{message.type_url[:100]!a} is no message of {SOLOMACHINE}")


def _find(ctx: ReadContext, client_id: str) -> ClientState | None:
    raw = ctx.ibc.get(paths.client_state_path(client_id))
    return None if raw is None else codec.load_client_state(raw)


def _get(ctx: ReadContext, client_id: str) -> ClientState:
    found = _find(ctx, client_id)
    if found is None:
        raise ClientNotFound(client_id)
    return found


def _set(ctx: WriteContext, client_id: str, state: ClientState) -> None:
    ctx.ibc.set(paths.client_state_path(client_id), codec.pack_client_state(state))


def _next(sequence: int) -> int:
    return sequence + 1 & MAX_U64  # wraps as in Go


def _paid_for(raw: bytes, charge: _Charge) -> Signature:
    signature = decode_signature(raw)
    charge(count_of(signature))
    return signature


def _check_signed(state: ClientState, signed: bytes, signature: Signature) -> None:
    check_signature(decode_public_key(state.consensus_state.public_key), signed, signature)


def _verify_header(state: ClientState, header: Header, charge: _Charge) -> None:
    now = state.consensus_state
    if header.timestamp < now.timestamp:
        raise InvalidClientHeader(f"time {header.timestamp} is before {now.timestamp}")
    data = codec.header_data(header)
    signed = codec.sign_bytes(state.sequence, header.timestamp, now.diversifier, HEADER_PATH, data)
    signature = _paid_for(header.signature, charge)  # malformed: refused in either place, as in ibc-go
    try:
        _check_signed(state, signed, signature)
    except SignatureVerificationFailed as error:
        raise InvalidSolomachineHeader(str(error)) from error


def _verify_misbehaviour(state: ClientState, evidence: Misbehaviour, charge: _Charge) -> None:
    diversifier = state.consensus_state.diversifier
    for each in (evidence.one, evidence.two):
        codec.check_merkle_path(each.path)
        signed = codec.sign_bytes(evidence.sequence, each.timestamp, diversifier, each.path, each.data)
        _check_signed(state, signed, _paid_for(each.signature, charge))


def _verify(ctx: ReadContext, client_id: str, claim: Claim, value: bytes, charge: _Charge) -> ProofEffect:
    state = _get(ctx, client_id)
    now = state.consensus_state
    signature, timestamp = codec.decode_proof(claim.proof)
    if now.timestamp > timestamp:
        raise InvalidSolomachineProof(f"time {timestamp} is before {now.timestamp}")
    if len(claim.path) != 2:
        raise InvalidPath(f"{len(claim.path)} parts, a store and a key expected")
    signed = codec.sign_bytes(state.sequence, timestamp, now.diversifier, claim.path[1], value)
    _check_signed(state, signed, _paid_for(signature, charge))
    after = state._replace(sequence=_next(state.sequence), consensus_state=now._replace(timestamp=timestamp))
    return ProofEffect(client_id, codec.pack_client_state(after))
