"""The `06-solomachine` light client: access to the store and the `LightClient` interface.

A signature is valid for one sequence, so each proof changes the client state. Verification only reads, and
returns the change as a `ProofEffect`.
"""

from collections.abc import Callable

from light_client.interface import Claim, ClientTypes, LightClient, ProofEffect
from light_client.solomachine import codec
from light_client.solomachine.codec import (
    ClientState,
    ConsensusState,
    Header,
    Misbehaviour,
    check_client_state,
    check_consensus_state,
    check_header,
    check_misbehaviour,
)
from light_client.solomachine.keys import check_signature, decode_public_key
from light_client.solomachine.signatures import Signature, count_of, decode_signature
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.client.types import SOLOMACHINE, Status
from pyibc.core.errors import (
    ClientNotFound,
    InvalidClientHeader,
    InvalidClientType,
    InvalidConsensus,
    InvalidPath,
    InvalidSolomachineHeader,
    InvalidSolomachineProof,
    SignatureVerificationFailed,
)
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.host.gas import DEFAULT_PRICES, Prices
from pyibc.core.identifiers import parse_client_id
from pyibc.core.numbers import MAX_U64
from pyibc.isolation.isolate import builtin
from pyibc.proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as pb

_Charge = Callable[[int], None]
"""Function that charges gas for a number of signatures; raises OutOfGas."""

HEADER_PATH = b"solomachine:header"
"""Path in the sign bytes of a header."""


@builtin
class SolomachineLightClient(LightClient):
    """The ICS-6 light client; all state is in the `ibc` store, and there is no history of past states."""

    client_type = SOLOMACHINE
    types = ClientTypes(pb.ClientState, pb.ConsensusState, (pb.Header, pb.Misbehaviour))

    def __init__(self, prices: Prices = DEFAULT_PRICES) -> None:
        """Create the light client; `prices` has the gas of a signature verification."""
        self._price = prices.signature

    def check_client_state(self, client_state: bytes, /) -> None:
        """Check a new client's state.

        Raises:
            InvalidClient, InvalidConsensus: the state is malformed or invalid.
        """
        check_client_state(codec.decode_client_state(client_state))

    def check_consensus_state(self, consensus_state: bytes, /) -> None:
        """Check a new client's consensus state.

        Raises:
            InvalidConsensus: the state is malformed or invalid.
        """
        check_consensus_state(codec.decode_consensus_state(consensus_state))

    def check_message(self, message: AnyMessage, /) -> None:
        """Run the stateless checks of a header or misbehaviour.

        Raises:
            InvalidClientHeader, InvalidMisbehaviour, InvalidSignatureAndData: the message is invalid.
        """
        decoded = _decode(message)
        if isinstance(decoded, Header):
            check_header(decoded)
        else:
            check_misbehaviour(decoded)

    def initialize(
        self, ctx: WriteContext, client_id: str, client_state: bytes, consensus_state: bytes, /
    ) -> None:
        """Write a new client's state, which includes the consensus state.

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
        """Verify a header or misbehaviour.

        Raises:
            ClientNotFound: there is no such client.
            InvalidClientHeader, InvalidSolomachineHeader: the header's time decreases, or the current key did
                not sign it.
            SignatureVerificationFailed, InvalidSignatureAndData: a signature is malformed, or the key did not
                sign the misbehaviour.
        """
        self.check_message(message)
        decoded, state = _decode(message), _get(ctx, client_id)
        if isinstance(decoded, Header):
            _verify_header(state, decoded, self._meter(ctx))
        else:
            _verify_misbehaviour(state, decoded, self._meter(ctx))

    def _meter(self, ctx: ReadContext) -> _Charge:
        """Return the function that charges gas for signatures."""
        return lambda count: ctx.gas.consume(self._price * count)

    def check_for_misbehaviour(self, _ctx: ReadContext, _client_id: str, message: AnyMessage, /) -> bool:
        """Return whether a verified message is misbehaviour, which is always conclusive."""
        return isinstance(_decode(message), Misbehaviour)

    def update_state_on_misbehaviour(
        self, ctx: WriteContext, client_id: str, _message: AnyMessage, /
    ) -> None:
        """Freeze the client, without checking the message again."""
        _set(ctx, client_id, _get(ctx, client_id)._replace(is_frozen=True))

    def update_state(self, ctx: WriteContext, client_id: str, message: AnyMessage, /) -> list[Height]:
        """Write the machine's new key."""
        header = _decode(message)
        if isinstance(header, Misbehaviour):
            return []
        sequence = _next(_get(ctx, client_id).sequence)
        signer = ConsensusState(header.new_public_key, header.new_diversifier, header.timestamp)
        _set(ctx, client_id, ClientState(sequence, False, signer))
        return [Height(0, sequence)]

    def verify_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> ProofEffect:
        """Verify the machine's signature of a value at a path, for the current sequence.

        Raises:
            ClientNotFound: there is no such client.
            InvalidSolomachineProof: the proof is malformed, or older than the last signature.
            InvalidPath: the path is not a store and a key.
            SignatureVerificationFailed: the signature does not verify.
        """
        return _verify(ctx, client_id, claim, claim.value, self._meter(ctx))

    def verify_non_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> ProofEffect:
        """Verify the machine's signature of the absence of a path; raises as above."""
        return _verify(ctx, client_id, claim, b"", self._meter(ctx))

    def status(self, ctx: ReadContext, client_id: str, /) -> Status:
        """Return Frozen or Active; clients of this type never expire."""
        state = _find(ctx, client_id)
        if state is None:
            return Status.UNKNOWN
        return Status.FROZEN if state.is_frozen else Status.ACTIVE

    def latest_height(self, ctx: ReadContext, client_id: str, /) -> Height:
        """Return the current sequence as a height in revision 0."""
        state = _find(ctx, client_id)
        return ZERO_HEIGHT if state is None else Height(0, state.sequence)

    def timestamp_at_height(self, ctx: ReadContext, client_id: str, _height: Height, /) -> int:
        """Return the time of the latest signature, for any height.

        Raises:
            ClientNotFound: there is no such client.
        """
        return _get(ctx, client_id).consensus_state.timestamp

    def recover(self, ctx: WriteContext, client_id: str, substitute_client_id: str, /) -> None:
        """Copy a substitute's state.

        Raises:
            InvalidIdentifier, InvalidClientType, ClientNotFound: the substitute is no solo machine client.
            InvalidClientHeader: both have the same key.
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
    signature = _paid_for(header.signature, charge)  # fails as in ibc-go
    try:
        _check_signed(state, signed, signature)
    except SignatureVerificationFailed as error:
        refused = InvalidSolomachineHeader(str(error))
        raise (refused.as_panic() if error.is_panic else refused) from error


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
