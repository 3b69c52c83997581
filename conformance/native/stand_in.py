"""Python implementation of the native module's interface, for tests of its callers without a built module."""

from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

from google.protobuf.message import DecodeError

from light_client.tendermint import updates, verifier
from light_client.tendermint import verifier as voting
from light_client.tendermint.codec import decode_client_header
from light_client.tendermint.encoding import message_field
from light_client.tendermint.types import SignedHeader
from light_client.tendermint.verifier import TrustLevel
from pyibc.core import native
from pyibc.core.crypto import ed25519
from pyibc.core.errors import IbcError
from pyibc.core.proofs import SDK_SPECS, chain
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryBlockResultsResponse
from pyibc.proto.tendermint.abci import types_pb2


def verify_batch(votes: Sequence[tuple[bytes, bytes, bytes]]) -> bool:
    """Verify votes in place of `native.all_verify`."""
    return bool(votes) and all(ed25519.verify(*vote) for vote in votes)


def read_header(raw: bytes) -> native.HeaderFacts | None:
    """Parse a header in place of `native.read_header`."""
    try:
        made = decode_client_header(raw)
        updates.check_basic(made)
        if made.trusted_validators is None:
            return None
        made.trusted_validators.check_readable()
    except IbcError:
        return None
    header = made.header
    time = divmod(header.time_ns, 10**9)
    return native.HeaderFacts(
        (header.chain_id, header.height, time, tuple(header.last_block_id), *header[4:]),
        (made.trusted_height.revision_number, made.trusted_height.revision_height),
        made.trusted_validators.hash,
        (made.votes, made.entries, made.members),
    )


def verify_commit(raw: bytes, adjacent: bool, numerator: int, denominator: int) -> bool:
    """Verify a commit in place of `native.verify_commit`."""
    header, commit, own, _, trusted = decode_client_header(raw)
    if trusted is None:
        return False
    level = TrustLevel(numerator, denominator)
    if not adjacent and not _passes(voting.check_trusted_power, header.chain_id, commit, trusted, level):
        return False
    return _passes(verifier.check_commit_of, SignedHeader(header, commit), header.chain_id, own)


def shows(root: bytes, store: bytes, key: bytes, value: bytes, proof: bytes) -> bool:
    """Verify presence in place of `native.shows`."""
    return _passes(chain.verify_membership, SDK_SPECS, root, (store, key), value, proof)


def shows_absence(root: bytes, store: bytes, key: bytes, proof: bytes) -> bool:
    """Verify absence in place of `native.shows_absence`."""
    return _passes(chain.verify_non_membership, SDK_SPECS, root, (store, key), proof)


def encode_events(told: object, number: int) -> bytes | None:
    """Encode events by protobuf in place of `native.encode_events`."""
    try:
        return by_protobuf(told, number)
    except (TypeError, ValueError):
        return None


def read_results(raw: bytes) -> tuple[Any, ...] | None:
    """Decode results by protobuf in place of `native.read_results`."""
    try:
        answer = QueryBlockResultsResponse.FromString(raw)
    except DecodeError:
        return None
    results = [
        (of.code, of.codespace, _event_tuples(of.events), of.gas_wanted, of.gas_used, of.data, of.log)
        for of in answer.tx_results
    ]
    if answer.deflated:
        return None
    return answer.height, answer.app_hash, tuple(results), _event_tuples(answer.events), tuple(answer.txs)


def _event_tuples(events: Iterable[types_pb2.Event]) -> tuple[Any, ...]:
    return tuple((event.type, tuple((each.key, each.value) for each in event.attributes)) for event in events)


def by_protobuf(told: Any, number: int) -> bytes:
    """Return events as an encoded field, by protobuf.

    Raises TypeError or ValueError if they are malformed.
    """
    out = b""
    for kind, attributes in told:
        event = types_pb2.Event(type=kind)
        for key, value, *indexed in attributes:
            event.attributes.add(key=key, value=value, index=indexed[0] if indexed else True)
        out += message_field(number, event.SerializeToString())
    return out


def _passes(check: Callable[..., None], *given: Any) -> bool:
    try:
        check(*given)
    except IbcError:
        return False
    return True


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    verify_batch,
    read_header,
    verify_commit,
    shows,
    shows_absence,
    encode_events,
    read_results,
)


def stand_in(**others: Callable[..., Any]) -> ModuleType:
    """Return a module of these functions, some of them replaced by `others`."""
    made = ModuleType("stand_in")
    vars(made).update({each.__name__: each for each in FUNCTIONS}, **others)
    return made
