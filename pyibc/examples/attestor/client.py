"""Light client `attestor`: trusts a state root that enough of a fixed set of attestors have signed.

A header is a height, a time, a root and signatures. Proofs are ICS-23 against the root. Two signed headers of
one height that differ freeze the client. Clients do not expire: the set is trusted forever.
"""

from collections.abc import Iterable
from typing import Any

from google.protobuf.message import DecodeError

from pyibc import (
    ZERO_HEIGHT,
    AnyMessage,
    Claim,
    ClientTypes,
    Height,
    IbcError,
    LightClient,
    ReadContext,
    WriteContext,
    hookimpl,
)
from pyibc.errors import (
    ClientNotFound,
    ConsensusStateNotFound,
    InvalidClient,
    InvalidClientHeader,
    InvalidConsensus,
    InvalidHeight,
    InvalidMisbehaviour,
)
from pyibc.examples.attestor import messages as pb
from pyibc.host import revision_of
from pyibc.light_clients import (
    SDK_SPECS,
    Status,
    check_delay_passed,
    ed25519,
    paths,
    verify_membership,
    verify_non_membership,
)
from pyibc.wire import decode_any, encode_any, pack, type_url

CLIENT_TYPE = "attestor"
MISBEHAVIOUR_URL = type_url(pb.Misbehaviour)


class AttestorLightClient(LightClient):
    """Light client with states below `clients/{id}/` of the `ibc` store; the object itself is stateless."""

    client_type = CLIENT_TYPE
    types = ClientTypes(pb.ClientState, pb.ConsensusState, (pb.Header, pb.Misbehaviour))

    def check_client_state(self, client_state: bytes, /) -> None:
        """Check chain id, height, distinct keys and a reachable threshold.

        Raises InvalidClient.
        """
        state = _parse(pb.ClientState, client_state, InvalidClient("malformed client state"))
        keys = list(state.attestors)
        if not state.chain_id or not state.latest_height or state.is_frozen:
            raise InvalidClient("no chain id, no height, or frozen")
        if {len(key) for key in keys} != {32} or sorted(set(keys)) != sorted(keys):
            raise InvalidClient("attestors must be distinct ed25519 keys")
        if not 0 < state.threshold <= len(keys):
            raise InvalidClient(f"{state.threshold} of {len(keys)} must sign")

    def check_consensus_state(self, consensus_state: bytes, /) -> None:
        """Check that there are a time and a root. Raises InvalidConsensus."""
        state = _parse(pb.ConsensusState, consensus_state, InvalidConsensus("malformed consensus state"))
        if not state.time_ns or len(state.root) != 32:
            raise InvalidConsensus("no time, or a root that does not have 32 bytes")

    def initialize(self, ctx: WriteContext, client_id: str, state: bytes, consensus: bytes, /) -> None:
        """Store a new client's states. Raises as both checks."""
        self.check_client_state(state)
        self.check_consensus_state(consensus)
        first = pb.ClientState.FromString(state)
        _set_state(ctx, client_id, first)
        _set_consensus(ctx, client_id, _latest(first), pb.ConsensusState.FromString(consensus))

    def check_message(self, message: AnyMessage, /) -> None:
        """Check the fields of headers, and that the two of a misbehaviour differ.

        Raises InvalidClientHeader, InvalidMisbehaviour.
        """
        headers = _headers(message)
        if any(not each.height or not each.time_ns or len(each.root) != 32 for each in headers):
            raise InvalidClientHeader("no height, no time, or a root that does not have 32 bytes")
        if len(headers) == 2 and not _differ(*headers):
            raise InvalidMisbehaviour("two headers of one height must differ")

    def verify_client_message(self, ctx: ReadContext, client_id: str, message: AnyMessage, /) -> None:
        """Verify that enough attestors signed each header. Raises ClientNotFound, InvalidClientHeader."""
        self.check_message(message)
        state = _state(ctx, client_id)
        for header in _headers(message):
            pairs = zip(state.attestors, header.signatures, strict=False)
            signed = pb.sign_bytes(header)
            count = sum(bool(one) and ed25519.verify(key, signed, one) for key, one in pairs)
            if header.chain_id != state.chain_id or count < state.threshold:
                raise InvalidClientHeader(f"{count} attestors of {state.chain_id!a} signed")

    def check_for_misbehaviour(self, ctx: ReadContext, client_id: str, message: AnyMessage, /) -> bool:
        """Return whether it is evidence, or a header that differs from the stored consensus state."""
        first, *second = _headers(message)
        known = _find_consensus(ctx, client_id, _height_of(first))
        return bool(second) or (known is not None and known != _consensus_of(first))

    def update_state_on_misbehaviour(self, ctx: WriteContext, client_id: str, _: AnyMessage, /) -> None:
        """Freeze the client."""
        state = _state(ctx, client_id)
        state.is_frozen = True
        _set_state(ctx, client_id, state)

    def update_state(self, ctx: WriteContext, client_id: str, message: AnyMessage, /) -> list[Height]:
        """Store the consensus state of a header; a known height changes nothing."""
        header, state = _headers(message)[0], _state(ctx, client_id)
        height = _height_of(header)
        if _find_consensus(ctx, client_id, height) is None:
            state.latest_height = max(state.latest_height, header.height)
            _set_state(ctx, client_id, state)
            _set_consensus(ctx, client_id, height, _consensus_of(header))
        return [height]

    def verify_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> None:
        """Verify that the store holds the claim's value at its path.

        Raises InvalidHeight, ConsensusStateNotFound, DelayPeriodNotPassed, CommitmentError.
        """
        verify_membership(SDK_SPECS, _root(ctx, client_id, claim), claim.path, claim.value, claim.proof)

    def verify_non_membership(self, ctx: ReadContext, client_id: str, claim: Claim, /) -> None:
        """Verify that the store holds nothing at the path. Raises as `verify_membership`."""
        verify_non_membership(SDK_SPECS, _root(ctx, client_id, claim), claim.path, claim.proof)

    def status(self, ctx: ReadContext, client_id: str, /) -> Status:
        """Return the status: active until frozen."""
        state = _find(ctx, paths.client_state_path(client_id), pb.ClientState)
        return Status.UNKNOWN if state is None else Status.FROZEN if state.is_frozen else Status.ACTIVE

    def latest_height(self, ctx: ReadContext, client_id: str, /) -> Height:
        """Return the height of the newest header, 0-0 if there is no client."""
        state = _find(ctx, paths.client_state_path(client_id), pb.ClientState)
        return ZERO_HEIGHT if state is None else _latest(state)

    def timestamp_at_height(self, ctx: ReadContext, client_id: str, height: Height, /) -> int:
        """Return the time of the header at `height`. Raises ClientNotFound, ConsensusStateNotFound."""
        _state(ctx, client_id)
        return int(_consensus(ctx, client_id, height).time_ns)


class AttestorPlugin:
    """Plugin that registers the light client type."""

    @hookimpl
    def ibc_register_light_clients(self) -> Iterable[LightClient]:
        """Register the light client."""
        return (AttestorLightClient(),)


def _parse(cls: Any, raw: bytes, otherwise: IbcError) -> Any:
    try:
        return cls.FromString(raw)
    except DecodeError:
        raise otherwise from None


def _headers(message: AnyMessage) -> list[Any]:
    """Return the header of an update, or both headers of a misbehaviour."""
    is_evidence = message.type_url == MISBEHAVIOUR_URL
    cls = pb.Misbehaviour if is_evidence else pb.Header
    found = _parse(cls, message.value, InvalidClientHeader("malformed"))
    return [found.one, found.two] if is_evidence else [found]


def _differ(one: Any, two: Any) -> bool:
    same = (one.chain_id, one.height) == (two.chain_id, two.height)
    return same and _consensus_of(one) != _consensus_of(two)


def _consensus_of(header: Any) -> Any:
    return pb.ConsensusState(time_ns=header.time_ns, root=header.root)


def _height_of(header: Any) -> Height:
    return Height(revision_of(header.chain_id), header.height)


def _latest(state: Any) -> Height:
    return Height(revision_of(state.chain_id), state.latest_height)


def _find(ctx: ReadContext, path: bytes, cls: Any) -> Any:
    raw = ctx.ibc.get(path)
    return None if raw is None else cls.FromString(decode_any(raw).value)


def _state(ctx: ReadContext, client_id: str) -> Any:
    found = _find(ctx, paths.client_state_path(client_id), pb.ClientState)
    if found is None:
        raise ClientNotFound(client_id)
    return found


def _set_state(ctx: WriteContext, client_id: str, state: Any) -> None:
    ctx.ibc.set(paths.client_state_path(client_id), encode_any(pack(state)))


def _find_consensus(ctx: ReadContext, client_id: str, height: Height) -> Any:
    return _find(ctx, paths.consensus_state_path(client_id, height), pb.ConsensusState)


def _consensus(ctx: ReadContext, client_id: str, height: Height) -> Any:
    found = _find_consensus(ctx, client_id, height)
    if found is None:
        raise ConsensusStateNotFound(client_id, str(height))
    return found


def _set_consensus(ctx: WriteContext, client_id: str, height: Height, consensus: Any) -> None:
    """Store a consensus state with the time and height of its arrival, the start of a connection's delay."""
    ctx.ibc.set(paths.consensus_state_path(client_id, height), encode_any(pack(consensus)))
    ctx.ibc.set(paths.processed_time_path(client_id, height), ctx.time_ns.to_bytes(8))
    ctx.ibc.set(paths.processed_height_path(client_id, height), str(ctx.height).encode())


def _root(ctx: ReadContext, client_id: str, claim: Claim) -> bytes:
    if _latest(_state(ctx, client_id)) < claim.height:
        raise InvalidHeight(f"client state height < proof height {claim.height}")
    check_delay_passed(ctx, client_id, claim.height, claim.delay_time_ns, claim.delay_blocks)
    return bytes(_consensus(ctx, client_id, claim.height).root)
