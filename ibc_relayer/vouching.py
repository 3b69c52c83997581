"""Whether the validators of a chain signed a block that a node tells: what decides between two nodes."""

from collections.abc import Sequence
from typing import NamedTuple

from ibc_core.comet_json.fields import Json
from ibc_core.errors import IbcError
from ibc_relayer.errors import RelayerError
from ibc_relayer.rpc_calls import Rpc
from ibc_relayer.rpc_read import read_answer, validators_at
from light_client.tendermint.comet_json import read_header, read_signed_header, read_validators
from light_client.tendermint.hashing import header_hash, validator_set_hash
from light_client.tendermint.types import Header, SignedHeader, ValidatorSet
from light_client.tendermint.verifier import check_commit_of, check_signed_header
from light_client.tendermint.voting import TrustLevel, check_trusted_power

TRUST = TrustLevel(1, 3)


class Trusted(NamedTuple):
    """A block on which nodes agreed."""

    height: int
    next_validators_hash: bytes


def hash_told(chain_id: str, height: int, answer: Json) -> bytes:
    """The hash of the header in an answer to `block`: of what it says, not the one that it claims.

    Raises:
        MalformedAnswer: there is no header in it, or that of another chain or height.
    """
    return header_hash(_header(chain_id, height, answer))


def trusted_by(chain_id: str, height: int, answer: Json) -> Trusted:
    """What a block that nodes agree on says of the validators after it; raises as `hash_told`."""
    return Trusted(height, _header(chain_id, height, answer).next_validators_hash)


def _header(chain_id: str, height: int, answer: Json) -> Header:
    def read() -> Header:
        header = read_header(answer["block"]["header"])
        if (header.chain_id, header.height) != (chain_id, height):
            raise ValueError(f"it is of {header.chain_id!a:.64} {header.height}")
        return header

    return read_answer(chain_id, f"block {height}", read)


def fault_of(rpc: Rpc, chain_id: str, height: int, told: bytes, trusted: Trusted | None) -> str:
    """Why the chain's validators did not sign the header `told` at `height`; "" if they did.

    Args:
        rpc: the node that tells it, and has to show the signatures.
        chain_id: of the chain.
        height: of the header.
        told: its hash.
        trusted: a lower block; more than a third of the validators after it must have signed. None: nothing
            is known of the validators, and any set that signed will do.

    Raises:
        EndpointUnavailable: the node does not answer.
    """
    try:
        commit = rpc.call("commit", height=str(height))
        signed = read_answer(chain_id, "commit", lambda: read_signed_header(commit["signed_header"]))
        # guard: h145-a-header-needs-no-signatures drop
        #   test_h145_of_two_nodes_the_one_whose_block_is_not_signed_is_dropped
        if header_hash(signed.header) != told:
            return f"its commit of {height} is of another header"
        validators = _validators(rpc, chain_id, height)
        if validator_set_hash(validators) != signed.header.validators_hash:
            return f"its validators of {height} are not those of the header"
        check_signed_header(signed, chain_id)
        check_commit_of(signed, chain_id, validators)
        return _fault_of_trust(rpc, chain_id, signed, trusted)
    except RelayerError:
        raise
    except IbcError as error:
        return f"its header {height} is not signed: {error}"


def _fault_of_trust(rpc: Rpc, chain_id: str, signed: SignedHeader, trusted: Trusted | None) -> str:
    if trusted is None or signed.header.validators_hash == trusted.next_validators_hash:
        return ""
    if signed.header.height <= trusted.height:
        return ""
    before = _validators(rpc, chain_id, trusted.height + 1)
    if validator_set_hash(before) != trusted.next_validators_hash:
        return f"its validators of {trusted.height + 1} are not those that block {trusted.height} announces"
    check_trusted_power(chain_id, signed.commit, before, TRUST)
    return ""


def _validators(rpc: Rpc, chain_id: str, height: int) -> ValidatorSet:
    members = validators_at(rpc, chain_id, height)
    return read_answer(chain_id, "validators", lambda: _set_of(members))


def _set_of(members: Sequence[Json]) -> ValidatorSet:
    read = read_validators(members)
    return ValidatorSet(read, read[0])  # who proposed is part of no hash
