"""Headers for light clients, out of a chain's blocks, and the same signed again after a change."""

from collections.abc import Mapping
from typing import Any

from ibc_core.height import Height
from ibc_proto.tendermint.types import types_pb2
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
from localnet.consensus.keys import Keyring
from localnet.consensus.votes import Ballot, sign_votes


def header_of(chain: LocalChain, height: int, trusted: int) -> ClientHeader:
    """The header of block `height`, for a client that has the one of `trusted`; raises NoSuchBlock."""
    record = chain.record(height)
    return ClientHeader(
        record.header,
        commit_from(types_pb2.Commit.FromString(record.commit)),
        chain.validators(height),
        Height(chain.revision, trusted),
        chain.validators(trusted + 1),
    )


def signed(honest: ClientHeader) -> SignedHeader:
    """Its header and commit."""
    return SignedHeader(honest.header, honest.commit)


def resigned(
    honest: ClientHeader,
    keyring: Keyring,
    *,
    validators: ValidatorSet | None = None,
    flags: Mapping[bytes, int] | None = None,
    **changes: Any,
) -> ClientHeader:
    """Another header at the same height, truly signed.

    Args:
        honest: What is changed.
        keyring: Keys of those who sign; validators whose key is not in it are absent.
        validators: Another set, which the header then names and which signs.
        flags: Who votes nil or not at all.
        **changes: Fields of the header.
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
    """A commit of `header`, whoever signs and however few."""
    times = [header.time_ns + 1 + place for place in range(len(members))]
    this = BlockId(header_hash(header), 1, b"\x01" * 32)
    return sign_votes(Ballot(header.chain_id, header.height, this), members, keyring, times, flags)


def signers(honest: ClientHeader) -> list[int]:
    """Places of those who voted for the block."""
    return [place for place, sig in enumerate(honest.commit.signatures) if sig.flag == FLAG_COMMIT]
