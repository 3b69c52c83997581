"""CometBFT's data as values: headers, commits, validator sets.

Times are unix nanoseconds. A value here is well-typed; `basic.py` says whether it is well-formed.
"""

import hashlib
from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

from ibc_core.crypto import secp256k1
from ibc_core.errors import IbcError, MalformedValidatorSet
from ibc_core.height import Height
from ibc_core.kept import MEGABYTE, Kept
from ibc_core.numbers import MAX_I64
from ibc_core.wire.gotime import GO_ZERO_TIME_NS
from ibc_proto.varint import encode_varint
from light_client.tendermint.encoding import message_field, varint_field
from light_client.tendermint.merkle import leaf_hash, root_of

MAX_TOTAL_POWER = MAX_I64 // 8
"""CometBFT's MaxTotalVotingPower: room for products and priorities in 64 bits."""

MAX_VALIDATORS = 10_000
"""CometBFT's MaxVotesCount: most members of a set, and votes of a commit."""

BLOCK_PROTOCOL = 11
"""Version of the block format in every header since CometBFT 0.34."""

FLAG_ABSENT, FLAG_COMMIT, FLAG_NIL = 1, 2, 3
"""What a validator did: not vote, vote for the block, vote for none."""
PREVOTE, PRECOMMIT, PROPOSAL = 1, 2, 32
ED25519, SECP256K1 = "ed25519", "secp256k1"
"""Types of validators' keys."""
_KEY_SIZES = {ED25519: 32, SECP256K1: 33}
_LEAVES = {ED25519: b"\x00\x0a\x22\x0a\x20", SECP256K1: b"\x00\x0a\x23\x12\x21"}
"""What is hashed before a key of each type: the prefix of leaves, then tags and lengths down to the key."""


class BlockId(NamedTuple):
    """A block's header hash, and the root and number of the parts it is gossiped in."""

    hash: bytes = b""
    part_set_total: int = 0
    part_set_hash: bytes = b""

    @property
    def is_zero(self) -> bool:
        """Whether it names no block."""
        return self == NO_BLOCK


NO_BLOCK = BlockId()
"""What the first header names as the block before it."""


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
    """One validator's place in a commit."""

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
    """A member of a validator set. The priority is in no hash and decides nothing here."""

    address: bytes
    key_type: str  # ED25519 or SECP256K1
    public_key: bytes
    power: int
    priority: int = 0


ADDRESSES: Kept[bytes, bytes] = Kept(MEGABYTE)
"""Addresses by key, of the members of sets that signed a header which a client took."""
LEAVES: Kept[tuple[str, bytes, int], bytes] = Kept(2 * MEGABYTE)
"""Leaves of the same by key type, key and power."""


def address_of(key_type: str, public_key: bytes) -> bytes:
    """The 20-byte address of a validator's key.

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
    """A validator under the address of its key.

    Raises:
        MalformedValidatorSet: the key is malformed.
    """
    return Validator(address_of(key_type, public_key), key_type, public_key, power, priority)


def validator_leaf(key_type: str, public_key: bytes, power: int) -> bytes:
    """Hash of `SimpleValidator`: what of a validator is in the set's hash."""
    return LEAVES.get((key_type, public_key, power)) or _leaf(key_type, public_key, power)


def _leaf(key_type: str, public_key: bytes, power: int) -> bytes:
    if len(public_key) == _KEY_SIZES.get(key_type):
        told = b"\x10" + encode_varint(power) if 0 < power <= MAX_I64 else varint_field(2, power)
        return hashlib.sha256(_LEAVES[key_type] + public_key + told).digest()
    key = message_field(1 if key_type == ED25519 else 2, public_key)
    return leaf_hash(message_field(1, key) + varint_field(2, power))


def _leaves(members: Sequence[Validator]) -> list[bytes]:
    """The leaves of a set: half of what its decoding costs, so without a call for those that are known."""
    known = LEAVES.get
    return [known((kind, key, power)) or _leaf(kind, key, power) for _, kind, key, power, _ in members]


class ValidatorSet:
    """Validators in the order they are hashed and sign in: descending power, then ascending address.

    Whatever comes in as a set passes here: powers in 0..2^63-1, their sum within MAX_TOTAL_POWER, each
    address derived from its key. Python's integers would hold anything else as well. That none stands in it
    twice is asked where votes are counted (`check_distinct`): CometBFT compares its hash before.
    """

    __slots__ = ("_hash", "_places", "proposer", "total_power", "validators")

    def __init__(self, validators: Sequence[Validator], proposer: Validator | None = None) -> None:
        """Takes `validators` in the order given.

        Raises:
            MalformedValidatorSet: one of them, or the set, is impossible.
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
        """The hash of keys and powers that stands in headers, computed once."""
        self._hash = self._hash or root_of(_leaves(self.validators))
        return self._hash

    def place_of(self, address: bytes) -> int | None:
        """The place of the validator at `address`, None where it is not in the set."""
        return self._places.get(address)

    def keep_members(self) -> None:
        """Keeps what is computed of each member: a chain's next header has nearly the same ones."""
        for member in self.validators:
            leaf = (member.key_type, member.public_key, member.power)
            if leaf not in LEAVES:
                ADDRESSES.keep(member.public_key, member.address, 150)
                LEAVES.keep(leaf, _leaf(*leaf), 300)

    def check_readable(self) -> None:
        """Checks that this is a set, and not what stands for one that could not be read.

        Raises:
            HeaderVerificationError, InvalidClientHeader: what was wrong with it.
        """

    def check_distinct(self) -> None:
        """Checks that no validator stands in the set twice, with votes of twice its power.

        Raises:
            MalformedValidatorSet: one does.
        """
        # guard: h26-a-validator-may-stand-in-a-set-twice test_h26_a_validator_twice_is_refused
        #   test_h26_a_validator_stands_in_a_set_once
        if len(self._places) != len(self.validators):
            raise MalformedValidatorSet("validators", "an address is there twice")


class UnreadableSet(ValidatorSet):
    """Stands for a malformed set, without power, so that a header is checked in ibc-go's order."""

    __slots__ = ("_error",)

    def __init__(self, error: IbcError) -> None:
        super().__init__(())
        self._error = error.with_traceback(None)

    def check_readable(self) -> None:
        """Raises what was wrong: a copy, as sets are remembered and an error keeps all frames it passed."""
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
    """Descending power, then ascending address: the order of every validator set of CometBFT."""
    return tuple(sorted(validators, key=lambda member: (-member.power, member.address)))


class ClientHeader(NamedTuple):
    """`ibc.lightclients.tendermint.v1.Header`: what a relayer hands to a client."""

    header: Header
    commit: Commit
    validator_set: ValidatorSet
    trusted_height: Height
    trusted_validators: ValidatorSet | None

    @property
    def votes(self) -> int:
        """How many votes are for the block: each may have to be verified."""
        return sum(sig.flag == FLAG_COMMIT for sig in self.commit.signatures)

    @property
    def entries(self) -> int:
        """How many validators have a place in the commit."""
        return len(self.commit.signatures)

    @property
    def members(self) -> int:
        """How many validators it brings: its own, and those of the trusted height."""
        return len(self.validator_set) + len(self.trusted_validators or ())


class Misbehaviour(NamedTuple):
    """`ibc.lightclients.tendermint.v1.Misbehaviour`: two headers that cannot both be honest."""

    client_id: str
    header_1: ClientHeader
    header_2: ClientHeader
