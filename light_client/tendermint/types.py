"""CometBFT's headers, commits and validator sets as values.

Times are in Unix nanoseconds. Values are well-typed; `check_header` and
`check_commit` check that they are well-formed.
"""

import hashlib
from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

from light_client.tendermint.encoding import leaf_hash, message_field, root_of, varint_field
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.core.crypto import secp256k1
from pyibc.core.errors import IbcError, MalformedCommit, MalformedHeader, MalformedValidatorSet
from pyibc.core.height import Height
from pyibc.core.memo import MEGABYTE, ByteBoundedCache
from pyibc.core.numbers import MAX_I64
from pyibc.proto.varint import encode_varint

MAX_TOTAL_POWER = MAX_I64 // 8
"""CometBFT's MaxTotalVotingPower, which prevents overflow of products and priorities."""

MAX_VALIDATORS = 10_000
"""CometBFT's MaxVotesCount: maximum number of validators in a set, and of votes in a commit."""

BLOCK_PROTOCOL = 11
"""Block protocol version in every header since CometBFT 0.34."""

FLAG_ABSENT, FLAG_NIL = 1, 3
"""Block id flags of a commit entry that is no vote for the block: absent, vote for nil."""
FLAG_COMMIT = 2
"""Block id flag of a commit entry that is a vote for the block."""
PREVOTE, PRECOMMIT, PROPOSAL = 1, 2, 32
ED25519 = "ed25519"
"""Key type of validators, CometBFT's default."""
SECP256K1 = "secp256k1"
"""Key type of validators, an option of CometBFT."""
_KEY_SIZES = {ED25519: 32, SECP256K1: 33}
_LEAVES = {ED25519: b"\x00\x0a\x22\x0a\x20", SECP256K1: b"\x00\x0a\x23\x12\x21"}
"""Hashed bytes before a key, by key type: the leaf prefix, then protobuf tags and lengths."""


class BlockId(NamedTuple):
    """A block's header hash, and the number and the Merkle root of its parts."""

    hash: bytes = b""
    part_set_total: int = 0
    part_set_hash: bytes = b""

    @property
    def is_zero(self) -> bool:
        """True if the id is that of no block."""
        return self == NO_BLOCK


NO_BLOCK = BlockId()
"""Last block id of a chain's first header."""


class Header(NamedTuple):
    """`tendermint.types.Header`."""

    chain_id: str
    height: int
    time_ns: int
    last_block_id: BlockId
    last_commit_hash: bytes
    data_hash: bytes
    validators_hash: bytes
    next_validators_hash: bytes
    consensus_hash: bytes
    app_hash: bytes
    last_results_hash: bytes
    evidence_hash: bytes
    proposer_address: bytes
    version_block: int = BLOCK_PROTOCOL
    version_app: int = 0


class CommitSig(NamedTuple):
    """One validator's entry in a commit."""

    flag: int
    validator_address: bytes = b""
    time_ns: int = GO_ZERO_TIME_NS
    signature: bytes = b""


ABSENT = CommitSig(FLAG_ABSENT)


class Commit(NamedTuple):
    """`tendermint.types.Commit`: the precommits for one block, in the order of its validators."""

    height: int
    round: int
    block_id: BlockId
    signatures: tuple[CommitSig, ...]


class SignedHeader(NamedTuple):
    """A header and the commit of its block."""

    header: Header
    commit: Commit


class Validator(NamedTuple):
    """A validator. The proposer priority is not hashed and has no effect here."""

    address: bytes
    key_type: str  # ED25519 or SECP256K1
    public_key: bytes
    power: int
    priority: int = 0


ADDRESSES: ByteBoundedCache[bytes, bytes] = ByteBoundedCache(MEGABYTE)
"""Cache of addresses by public key, of validators of verified headers."""
LEAVES: ByteBoundedCache[tuple[str, bytes, int], bytes] = ByteBoundedCache(2 * MEGABYTE)
"""Cache of leaf hashes by key type, public key and power, of validators of verified headers."""


def address_of(key_type: str, public_key: bytes) -> bytes:
    """Return the 20-byte address of a validator's key.

    Raises:
        MalformedValidatorSet: the type is unknown or the key has the wrong length.
    """
    size = _KEY_SIZES.get(key_type)
    if size is None:
        raise MalformedValidatorSet("pub_key", f"unknown key type {key_type!a}")
    if len(public_key) != size:
        raise MalformedValidatorSet("pub_key", f"{len(public_key)} bytes, a {key_type} key has {size}")
    known = ADDRESSES.get(public_key)
    if known is not None:
        return known
    if key_type == SECP256K1:
        return secp256k1.address(public_key)
    return hashlib.sha256(public_key).digest()[:20]


def validator(key_type: str, public_key: bytes, power: int, priority: int = 0) -> Validator:
    """Return a validator with the address of its key.

    Raises:
        MalformedValidatorSet: the key is malformed.
    """
    return Validator(address_of(key_type, public_key), key_type, public_key, power, priority)


def validator_leaf(key_type: str, public_key: bytes, power: int) -> bytes:
    """Return the leaf hash of a validator, of its `SimpleValidator`."""
    return LEAVES.get((key_type, public_key, power)) or _leaf(key_type, public_key, power)


def _leaf(key_type: str, public_key: bytes, power: int) -> bytes:
    if len(public_key) == _KEY_SIZES.get(key_type):
        told = b"\x10" + encode_varint(power) if 0 < power <= MAX_I64 else varint_field(2, power)
        return hashlib.sha256(_LEAVES[key_type] + public_key + told).digest()
    key = message_field(1 if key_type == ED25519 else 2, public_key)
    return leaf_hash(message_field(1, key) + varint_field(2, power))


def _leaves(members: Sequence[Validator]) -> list[bytes]:
    """Return the leaves of a set, looked up in the cache inline: this is half the cost of its decoding."""
    known = LEAVES.get
    return [known((kind, key, power)) or _leaf(kind, key, power) for _, kind, key, power, _ in members]


class ValidatorSet:
    """A validator set, in the order of hashes and commits: descending power, then ascending address.

    The constructor checks that powers are in 0..2^63-1, that their sum is at most MAX_TOTAL_POWER, and that
    each address is derived from its key. Duplicates are checked when votes are counted (`check_distinct`),
    because CometBFT compares the set's hash first.
    """

    __slots__ = ("_hash", "_places", "proposer", "total_power", "validators")

    def __init__(self, validators: Sequence[Validator], proposer: Validator | None = None) -> None:
        """Create a set of `validators`, in the order given.

        Raises:
            MalformedValidatorSet: a validator or the set is invalid.
        """
        self.validators = tuple(validators)
        self.proposer = proposer
        self._hash = b""
        self._places = {member.address: place for place, member in enumerate(self.validators)}
        for member in self.validators:
            _check_member(*member)
        self.total_power = sum(member.power for member in self.validators)
        # guard: h31-any-total test_h31_powers_stay_within_64_bits test_h31_impossible_validators
        if self.total_power > MAX_TOTAL_POWER:
            raise MalformedValidatorSet("total_voting_power", f"{self.total_power} exceeds {MAX_TOTAL_POWER}")
        if proposer is not None:
            _check_member(*proposer)
            if proposer.address not in self._places:
                raise MalformedValidatorSet("proposer", "not in the set")

    def __len__(self) -> int:
        return len(self.validators)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ValidatorSet) and self.validators == other.validators

    def __hash__(self) -> int:
        return hash(self.validators)

    @property
    def hash(self) -> bytes:
        """The `validators_hash` of headers, computed once."""
        self._hash = self._hash or root_of(_leaves(self.validators))
        return self._hash

    def place_of(self, address: bytes) -> int | None:
        """Return the index of the validator with `address`; None if it is not in the set."""
        return self._places.get(address)

    def cache_members(self) -> None:
        """Cache addresses and leaf hashes of the validators, which the next headers mostly share."""
        for member in self.validators:
            leaf = (member.key_type, member.public_key, member.power)
            if leaf not in LEAVES:
                ADDRESSES.add(member.public_key, member.address, 150)
                LEAVES.add(leaf, _leaf(*leaf), 300)

    def check_readable(self) -> None:
        """Check that the set is not an `UnreadableSet`.

        Raises:
            HeaderVerificationError, InvalidClientHeader: the error of an `UnreadableSet`.
        """

    def check_distinct(self) -> None:
        """Check that the set has no duplicate validators, whose power would count twice.

        Raises:
            MalformedValidatorSet: a validator is repeated.
        """
        # guard: h26-a-validator-may-stand-in-a-set-twice test_h26_a_validator_twice_is_refused
        #   test_h26_a_validator_stands_in_a_set_once
        if len(self._places) != len(self.validators):
            raise MalformedValidatorSet("validators", "an address is there twice")


class UnreadableSet(ValidatorSet):
    """Placeholder for a malformed set, without power, so that checks run in ibc-go's order."""

    __slots__ = ("_error",)

    def __init__(self, error: IbcError) -> None:
        super().__init__(())
        self._error = error.with_traceback(None)

    def check_readable(self) -> None:
        """Raise a copy of the error: sets are cached, and a raised error keeps its frames alive."""
        raise copy(self._error)


def _check_member(address: bytes, key_type: str, public_key: bytes, power: int, _priority: int) -> None:
    # guard: h31-any-power test_h31_powers_stay_within_64_bits test_h31_impossible_validators
    if not 0 <= power <= MAX_I64:
        raise MalformedValidatorSet("voting_power", f"{power} is outside 0..2^63-1")
    # guard: h26-an-address-is-not-its-keys test_h26_an_address_is_that_of_its_key
    #   test_h31_impossible_validators
    if address_of(key_type, public_key) != address:
        raise MalformedValidatorSet("address", f"{address.hex()} is not of its key")


def in_canonical_order(validators: Sequence[Validator]) -> tuple[Validator, ...]:
    """Return validators in CometBFT's order: descending power, then ascending address."""
    return tuple(sorted(validators, key=lambda member: (-member.power, member.address)))


class ClientHeader(NamedTuple):
    """`ibc.lightclients.tendermint.v1.Header`: a header with its trusted height and validators."""

    header: Header
    commit: Commit
    validator_set: ValidatorSet
    trusted_height: Height
    trusted_validators: ValidatorSet | None

    @property
    def votes(self) -> int:
        """Number of votes for the block, each of which may have to be verified."""
        return sum(sig.flag == FLAG_COMMIT for sig in self.commit.signatures)

    @property
    def entries(self) -> int:
        """Number of entries in the commit."""
        return len(self.commit.signatures)

    @property
    def members(self) -> int:
        """Number of validators in both sets, the header's own and the trusted one."""
        return len(self.validator_set) + len(self.trusted_validators or ())


class Misbehaviour(NamedTuple):
    """`ibc.lightclients.tendermint.v1.Misbehaviour`: two conflicting headers."""

    client_id: str
    header_1: ClientHeader
    header_2: ClientHeader


# -- stateless checks of headers and commits (CometBFT `ValidateBasic`)

MAX_CHAIN_ID = 50
"""Maximum length of a chain id in bytes."""

ADDRESS_SIZE = 20
HASH_SIZE = 32
MAX_SIGNATURE = 96
"""Maximum length of a signature in bytes: BLS12-381's, the longest in CometBFT 0.39."""

_HASH_SIZES = "a hash must have 0 or 32 bytes"
_HASHES = (
    "last_commit_hash",
    "data_hash",
    "evidence_hash",
    "validators_hash",
    "next_validators_hash",
    "consensus_hash",
    "last_results_hash",
)  # the app hash is the application's: any length


def check_header(header: Header) -> None:
    """Check that a header is well-formed.

    Raises:
        MalformedHeader: a field is invalid.
    """
    if header.version_block != BLOCK_PROTOCOL:
        raise MalformedHeader("version", f"block protocol {header.version_block}, expected {BLOCK_PROTOCOL}")
    if len(header.chain_id.encode()) > MAX_CHAIN_ID:
        raise MalformedHeader("chain_id", f"longer than {MAX_CHAIN_ID} bytes")
    if header.height <= 0:
        raise MalformedHeader("height", f"{header.height} is not positive")
    if not _is_block_id(header.last_block_id):
        raise MalformedHeader("last_block_id", _HASH_SIZES)
    for field in _HASHES:
        if not _is_hash(getattr(header, field)):
            raise MalformedHeader(field, _HASH_SIZES)
    if len(header.proposer_address) != ADDRESS_SIZE:
        raise MalformedHeader("proposer_address", f"{len(header.proposer_address)} bytes, expected 20")


def check_commit(commit: Commit) -> None:
    """Check that a commit is well-formed.

    Raises:
        MalformedCommit: a field is invalid.
    """
    if commit.height < 0 or commit.round < 0:
        raise MalformedCommit("height or round", f"negative: {commit.height}, {commit.round}")
    if not _is_block_id(commit.block_id):
        raise MalformedCommit("block_id", _HASH_SIZES)
    if commit.height >= 1:
        if commit.block_id.is_zero:
            raise MalformedCommit("block_id", "cannot be for nil")
        if not commit.signatures:
            raise MalformedCommit("signatures", "none")
    for index, sig in enumerate(commit.signatures):
        reason = _fault_of(sig)
        if reason:
            raise MalformedCommit(f"signature {index}", reason)


def _fault_of(sig: CommitSig) -> str:
    if sig.flag == FLAG_ABSENT:
        present = sig.validator_address or sig.signature or sig.time_ns != GO_ZERO_TIME_NS
        return "absent, but with address, time or signature" if present else ""
    if sig.flag not in (FLAG_COMMIT, FLAG_NIL):
        return f"unknown flag {sig.flag}"
    if len(sig.validator_address) != ADDRESS_SIZE:
        return f"address of {len(sig.validator_address)} bytes, expected 20"
    if not 0 < len(sig.signature) <= MAX_SIGNATURE:
        return f"signature of {len(sig.signature)} bytes, expected 1 to {MAX_SIGNATURE}"
    return ""


def _is_hash(data: bytes) -> bool:
    return len(data) in (0, HASH_SIZE)


def _is_block_id(block_id: BlockId) -> bool:
    return _is_hash(block_id.hash) and _is_hash(block_id.part_set_hash)
