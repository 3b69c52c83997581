"""Light client headers from a chain's blocks, and re-signed variants of them."""

from collections.abc import Mapping
from typing import Any

from light_client.tendermint.codec import commit_from
from light_client.tendermint.hashing import header_hash, validator_set_hash
from light_client.tendermint.types import (
    FLAG_COMMIT,
    BlockId,
    ClientHeader,
    Commit,
    Header,
    SignedHeader,
    ValidatorSet,
)
from localnet.chain import LocalChain
from localnet.consensus.sign_state import Keyring
from localnet.consensus.votes import Ballot, sign_votes
from pyibc.core.height import Height
from pyibc.proto.tendermint.types import types_pb2


def header_of(chain: LocalChain, height: int, trusted: int) -> ClientHeader:
    """Return the header of block `height` for a client that trusts height `trusted`; raises NoSuchBlock."""
    record = chain.record(height)
    return ClientHeader(
        record.header,
        commit_from(types_pb2.Commit.FromString(record.commit)),
        chain.validators(height),
        Height(chain.revision, trusted),
        chain.validators(trusted + 1),
    )


def signed(honest: ClientHeader) -> SignedHeader:
    """Return the signed header: header and commit."""
    return SignedHeader(honest.header, honest.commit)


def resigned(
    honest: ClientHeader,
    keyring: Keyring,
    *,
    validators: ValidatorSet | None = None,
    flags: Mapping[bytes, int] | None = None,
    **changes: Any,
) -> ClientHeader:
    """Return a different header at the same height with valid signatures.

    Args:
        honest: The original header.
        keyring: Keys of the signers; validators without a key in it are absent.
        validators: A different validator set that signs and that the header commits to.
        flags: Validators that vote nil or are absent.
        **changes: Header fields to replace.
    """
    members = validators or honest.validator_set
    if validators is not None:
        changes.setdefault("validators_hash", validator_set_hash(members))
        changes.setdefault("proposer_address", members.validators[0].address)
    header = honest.header._replace(**changes)
    commit = sign_header(header, members, keyring, flags or {})
    return honest._replace(header=header, commit=commit, validator_set=members)


def sign_header(
    header: Header, members: ValidatorSet, keyring: Keyring, flags: Mapping[bytes, int]
) -> Commit:
    """Return a commit of `header`, whatever the voting power of the signers."""
    times = [header.time_ns + 1 + place for place in range(len(members))]
    this = BlockId(header_hash(header), 1, b"\x01" * 32)
    return sign_votes(Ballot(header.chain_id, header.height, this), members, keyring, times, flags)


def signers(honest: ClientHeader) -> list[int]:
    """Return the indexes of the validators that voted for the block."""
    return [place for place, sig in enumerate(honest.commit.signatures) if sig.flag == FLAG_COMMIT]
