"""Headers that dishonest or faulty validators might sign, and the error a light client must raise.

`EQUIVOCATIONS` carry valid signatures and are exposed only by a conflicting header: a client accepts one as
it would accept the honest header, and must freeze when it sees both. All others must be refused.
"""

from collections.abc import Callable
from typing import NamedTuple

from conformance.kit.headers import resigned
from light_client.tendermint.types import (
    ABSENT,
    FLAG_NIL,
    ClientHeader,
    CommitSig,
    ValidatorSet,
    in_canonical_order,
)
from localnet.consensus.sign_state import Keyring, validator_keys
from pyibc.core.errors import (
    DuplicateVote,
    HeaderFromFuture,
    IbcError,
    MalformedCommit,
    MalformedHeader,
    NonMonotonicTime,
    NotEnoughPower,
    NotEnoughTrust,
    ValidatorsHashMismatch,
    WrongBlockId,
    WrongChainId,
    WrongCommitHeight,
    WrongCommitSize,
    WrongSignature,
)
from pyibc.testing.pair import SECOND

YEAR_NS = 365 * 86_400 * SECOND

Forge = Callable[[ClientHeader, Keyring], ClientHeader]
"""Makes a forged header from an honest one and its validators' keys."""


class Forgery(NamedTuple):
    """A way to forge a header, and the expected error."""

    forge: Forge
    error: type[IbcError]


def _with_signatures(honest: ClientHeader, signatures: list[CommitSig]) -> ClientHeader:
    return honest._replace(commit=honest.commit._replace(signatures=tuple(signatures)))


# -- signed by the real validators: equivocation


def other_state(honest: ClientHeader, keyring: Keyring) -> ClientHeader:
    """A fork with another app hash at the same height."""
    return resigned(honest, keyring, app_hash=b"\xaa" * 32)


def other_successors(honest: ClientHeader, keyring: Keyring) -> ClientHeader:
    """A fork with other next validators."""
    return resigned(honest, keyring, next_validators_hash=b"\xbb" * 32)


def other_time(honest: ClientHeader, keyring: Keyring) -> ClientHeader:
    """A fork that is a nanosecond later."""
    return resigned(honest, keyring, time_ns=honest.header.time_ns + 1)


EQUIVOCATIONS: dict[str, Forge] = {
    "other_state": other_state,
    "other_successors": other_successors,
    "other_time": other_time,
}


# -- must be refused


def _unsigned(change: Callable[[ClientHeader], ClientHeader]) -> Forge:
    """Return a forgery that none of the chain's keys signs."""
    return lambda honest, _: change(honest)


def _from_the_future(honest: ClientHeader, keyring: Keyring) -> ClientHeader:
    return resigned(honest, keyring, time_ns=honest.header.time_ns + YEAR_NS)


def _from_the_past(honest: ClientHeader, keyring: Keyring) -> ClientHeader:
    return resigned(honest, keyring, time_ns=honest.header.time_ns - YEAR_NS)


def _of_another_chain(honest: ClientHeader, keyring: Keyring) -> ClientHeader:
    return resigned(honest, keyring, chain_id="another-1")


def _usurped(honest: ClientHeader) -> ClientHeader:
    """Return a header signed by a validator set of the forger."""
    keys = validator_keys("usurper", 4)
    members = ValidatorSet(in_canonical_order([key.validator(1_000) for key in keys]))
    return resigned(honest, Keyring(keys), validators=members)


def _powers_edited(honest: ClientHeader) -> ClientHeader:
    first, *rest = honest.validator_set.validators
    grown = ValidatorSet([first._replace(power=first.power * 1_000), *rest])
    return honest._replace(validator_set=grown)


def _state_edited(honest: ClientHeader) -> ClientHeader:
    return honest._replace(header=honest.header._replace(app_hash=b"\xcc" * 32))


def _no_state(honest: ClientHeader, keyring: Keyring) -> ClientHeader:
    return resigned(honest, keyring, last_results_hash=b"\x01" * 31)


def _wrong_proposer_size(honest: ClientHeader, keyring: Keyring) -> ClientHeader:
    return resigned(honest, keyring, proposer_address=b"\x01" * 19)


def _another_height_signed(honest: ClientHeader) -> ClientHeader:
    return honest._replace(commit=honest.commit._replace(height=honest.commit.height + 1))


def _addresses_swapped(honest: ClientHeader) -> ClientHeader:
    first, second, *rest = honest.commit.signatures
    swapped = [
        first._replace(validator_address=second.validator_address),
        second._replace(validator_address=first.validator_address),
    ]
    return _with_signatures(honest, [*swapped, *rest])


def _signatures_swapped(honest: ClientHeader) -> ClientHeader:
    first, second, *rest = honest.commit.signatures
    swapped = [
        first._replace(signature=second.signature),
        second._replace(signature=first.signature),
    ]
    return _with_signatures(honest, [*swapped, *rest])


def _one_bit_flipped(honest: ClientHeader) -> ClientHeader:
    first, *rest = honest.commit.signatures
    raw = bytes((first.signature[0] ^ 1,)) + first.signature[1:]
    return _with_signatures(honest, [first._replace(signature=raw), *rest])


def _voted_twice(honest: ClientHeader) -> ClientHeader:
    first, _, *rest = honest.commit.signatures
    return _with_signatures(honest, [first, first, *rest])


def _one_signature_less(honest: ClientHeader) -> ClientHeader:
    return _with_signatures(honest, list(honest.commit.signatures[1:]))


def _half_absent(honest: ClientHeader) -> ClientHeader:
    signatures = list(honest.commit.signatures)
    half = len(signatures) // 2
    return _with_signatures(honest, [ABSENT] * half + signatures[half:])


def _half_nil(honest: ClientHeader, keyring: Keyring) -> ClientHeader:
    members = honest.validator_set.validators
    return resigned(
        honest, keyring, flags={member.address: FLAG_NIL for member in members[: len(members) // 2]}
    )


def _signature_of_nobody(honest: ClientHeader) -> ClientHeader:
    first, *rest = honest.commit.signatures
    return _with_signatures(honest, [first._replace(signature=b""), *rest])


FORGERIES: dict[str, Forgery] = {
    "from_the_future": Forgery(_from_the_future, HeaderFromFuture),
    "from_the_past": Forgery(_from_the_past, NonMonotonicTime),
    "of_another_chain": Forgery(_of_another_chain, WrongChainId),
    "usurped": Forgery(_unsigned(_usurped), NotEnoughTrust),
    "powers_edited": Forgery(_unsigned(_powers_edited), ValidatorsHashMismatch),
    "state_edited": Forgery(_unsigned(_state_edited), WrongBlockId),
    "no_state": Forgery(_no_state, MalformedHeader),
    "wrong_proposer_size": Forgery(_wrong_proposer_size, MalformedHeader),
    "another_height_signed": Forgery(_unsigned(_another_height_signed), WrongCommitHeight),
    "addresses_swapped": Forgery(_unsigned(_addresses_swapped), WrongSignature),
    "signatures_swapped": Forgery(_unsigned(_signatures_swapped), WrongSignature),
    "one_bit_flipped": Forgery(_unsigned(_one_bit_flipped), WrongSignature),
    "voted_twice": Forgery(_unsigned(_voted_twice), DuplicateVote),
    "one_signature_less": Forgery(_unsigned(_one_signature_less), WrongCommitSize),
    "half_absent": Forgery(_unsigned(_half_absent), NotEnoughPower),
    "half_nil": Forgery(_half_nil, NotEnoughPower),
    "signature_of_nobody": Forgery(_unsigned(_signature_of_nobody), MalformedCommit),
}
"""Expected errors for headers not adjacent to the trusted one, whose votes are matched by address.

For an adjacent header `usurped` raises NextValidatorsHashMismatch, and `addresses_swapped` and `voted_twice`
raise WrongValidatorAddress, since votes are matched by index.
"""
