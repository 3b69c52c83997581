"""Decoding of client messages, with a cache of verified ones, and verification of headers by native code.

A relayer's message is verified in CheckTx and again in the block; the cache saves the second decoding. Cached
values are pure functions of the message and serve all clients, each of which still verifies them.

Native code (`pyibc/core/native.py`) can only accept a header. A header that it does not accept is decoded and
verified in Python from the start.
"""

from light_client.tendermint import misbehaviour, updates
from light_client.tendermint.codec import HEADER_TYPE_URL, MISBEHAVIOUR_TYPE_URL, decode_client_header
from light_client.tendermint.states import ClientState, ConsensusState
from light_client.tendermint.types import BlockId, ClientHeader, Header, Misbehaviour
from light_client.tendermint.updates import height_of, options_of, trusted_of
from light_client.tendermint.verifier import TrustLevel, check_follows, check_next_validators_match
from pyibc.codec.anys import AnyMessage
from pyibc.codec.gotime import NANOSECONDS
from pyibc.core import native
from pyibc.core.client.types import TENDERMINT
from pyibc.core.errors import HeaderVerificationError, InvalidClientType
from pyibc.core.height import Height
from pyibc.core.host.gas import Prices
from pyibc.core.memo import MEGABYTE, ByteBoundedCache


class NativeHeader:
    """An ICS-7 header parsed and checked (`updates.check_basic`) by native code; votes are only counted."""

    __slots__ = (
        "_verified",
        "entries",
        "header",
        "members",
        "raw",
        "trusted_hash",
        "trusted_height",
        "votes",
    )

    def __init__(self, raw: bytes, facts: native.HeaderFacts) -> None:
        """Create a header from its encoding and the fields that native code parsed."""
        chain_id, height, (seconds, nanos), last_block_id, *others = facts.fields
        self.raw = raw
        self.header = Header(
            chain_id, height, seconds * NANOSECONDS + nanos, BlockId(*last_block_id), *others
        )
        self.trusted_height = Height(*facts.trusted_height)
        self.trusted_hash = facts.trusted_hash
        self.votes, self.entries, self.members = facts.counts
        self._verified: tuple[bool, TrustLevel] | None = None

    def decode(self) -> ClientHeader:
        """Return the header decoded in Python; raises as `decode_client_header`."""
        return decode_client_header(self.raw)

    @property
    def is_commit_verified(self) -> bool:
        """True if `verify_commit` has returned True."""
        return self._verified is not None

    def verify_commit(self, adjacent: bool, level: TrustLevel) -> bool:
        """Return whether native code verifies the commit; the last positive result is cached."""
        asked = (adjacent, level)
        # guard: h197-one-yes-for-every-question {self._verified != asked => self._verified is None}
        #   test_h197_a_yes_is_remembered_for_its_question_alone
        if self._verified != asked:
            if not native.verify_commit(self.raw, adjacent, *level):
                return False
            self._verified = asked
        return True


ClientMessage = ClientHeader | NativeHeader | Misbehaviour

VERIFIED_MESSAGES: ByteBoundedCache[AnyMessage, ClientMessage] = ByteBoundedCache(32 * MEGABYTE)
"""Cache of decoded messages that passed `check_message` and were verified."""

_VOTE, _MEMBER, _HEADER = 350, 500, 3_000
"""Sizes of objects in bytes: of a vote, of a validator with its index, of the rest of a header."""


def parse_native(raw: bytes) -> NativeHeader | None:
    """Return a header that passes `updates.check_basic`; None if native code does not accept it."""
    facts = native.read_header(raw)
    if facts is None:
        return None
    header = NativeHeader(raw, facts)
    return header if header.trusted_height < height_of(header) else None


def decode_and_check(message: AnyMessage) -> ClientMessage:
    """Return the decoded message after its stateless checks.

    Raises:
        InvalidClientType: the message is neither a header nor misbehaviour.
        IbcError: see `updates` and `misbehaviour`.
    """
    if message.type_url == HEADER_TYPE_URL:
        accepted = parse_native(message.value)
        if accepted is not None:
            return accepted
        header = decode_client_header(message.value)
        updates.check_basic(header)
        return header
    evidence = _decode_misbehaviour(message)
    misbehaviour.check_basic_misbehaviour(evidence)
    return evidence


def decode(message: AnyMessage) -> ClientMessage:
    """Return the decoded message, from the cache if possible; the caller has made the stateless checks."""
    cached = VERIFIED_MESSAGES.get(message)
    if cached is not None:
        return cached
    if message.type_url == HEADER_TYPE_URL:
        return decode_client_header(message.value)
    return _decode_misbehaviour(message)


def _decode_misbehaviour(message: AnyMessage) -> Misbehaviour:
    if message.type_url == MISBEHAVIOUR_TYPE_URL:
        return misbehaviour.decode_misbehaviour(message.value)
    raise InvalidClientType(f"{message.type_url[:100]!a} is no message of {TENDERMINT}")


def headers_of(decoded: ClientMessage) -> tuple[ClientHeader | NativeHeader, ...]:
    """Return the headers in a message."""
    return (decoded.header_1, decoded.header_2) if isinstance(decoded, Misbehaviour) else (decoded,)


def cache_verified(message: AnyMessage, decoded: ClientMessage) -> None:
    """Cache a verified message, and the addresses and leaf hashes of the validators in its headers."""
    if message in VERIFIED_MESSAGES:
        return
    headers, weight = headers_of(decoded), len(message.value)
    for header in headers:
        weight += _HEADER + _VOTE * header.entries + _MEMBER * header.members
    VERIFIED_MESSAGES.add(message, decoded, weight)
    for header in headers:
        if isinstance(header, ClientHeader):
            header.validator_set.cache_members()


def price_of_header(prices: Prices, header: ClientHeader | NativeHeader) -> int:
    """Return the gas of a header, known before its verification; ibc-go charges none (docs/adr/0010).

    Every vote for the block may have to be verified, and every validator is hashed.
    """
    return prices.signature * header.votes + prices.validator * header.members


def verify_update(
    state: ClientState, client_header: ClientHeader | NativeHeader, trusted: ConsensusState, now_ns: int
) -> None:
    """Verify a header, by native code if possible. Args and Raises: as `updates.verify_update`."""
    if isinstance(client_header, NativeHeader):
        if is_accepted(client_header, state, trusted, now_ns):
            return
        # guard: h197-a-refusal-is-the-last-word {=> raise HeaderVerificationError}
        #   test_h197_the_same_comes_out_with_whatever_accepts_what_python_accepts
        client_header = client_header.decode()
    updates.verify_update(state, client_header, trusted, now_ns)


def is_accepted(header: NativeHeader, state: ClientState, trusted: ConsensusState, now_ns: int) -> bool:
    """Return whether native code verifies a header. Args: as `updates.verify_update`."""
    base = header.trusted_height
    announced = trusted.next_validators_hash
    # guard: h197-any-trusted-validators drop:trusted_hash
    #   test_h197_the_same_comes_out_with_whatever_accepts_what_python_accepts
    if header.trusted_hash != announced or height_of(header).revision_number != base.revision_number:
        return False
    adjacent = header.header.height == base.revision_height + 1
    try:
        check_follows(trusted_of(state, base, trusted), header.header, options_of(state), now_ns)
        if adjacent:
            check_next_validators_match(header.header, announced)
    except HeaderVerificationError:
        # guard: h197-any-time-and-height pass
        #   test_h197_the_same_comes_out_with_whatever_accepts_what_python_accepts
        return False
    return header.verify_commit(adjacent, state.trust_level)
