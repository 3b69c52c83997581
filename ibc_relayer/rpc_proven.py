"""What a CometBFT node proves, in the bytes that light clients take: signed headers, and values in state."""

from collections.abc import Sequence

from ibc_core.comet_json.fields import Json, read_base64, read_integer
from ibc_core.wire.merkle import encode_merkle_proof
from ibc_relayer.endpoint import LightBlock, Proven, height_on
from light_client.tendermint.codec import encode_signed_header, encode_validator_set
from light_client.tendermint.comet_json import read_signed_header, read_validators
from light_client.tendermint.types import ValidatorSet


def light_block(commit: Json, validators: Sequence[Json]) -> LightBlock:
    """The answers of `commit` and (all pages of) `validators` as protobuf bytes.

    Proposer priorities are not part of any hash and would double the size of a set: they are left out.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: an answer is malformed.
        StopIteration: the proposer is not in the validator set.
        MalformedValidatorSet: a validator is invalid.
    """
    signed = read_signed_header(commit["signed_header"])
    members = [member._replace(priority=0) for member in read_validators(validators)]
    proposer = next(m for m in members if m.address == signed.header.proposer_address)
    return LightBlock(
        signed.header.height,
        signed.header.time_ns,
        encode_signed_header(signed),
        encode_validator_set(ValidatorSet(members, proposer)),
    )


def merkle_proof(ops: Json | None) -> bytes:
    """The `proofOps` of an ABCI query as MerkleProof bytes.

    Raises:
        ValueError: there is no proof.
    """
    if not ops or not ops.get("ops"):
        raise ValueError("no proof")
    return encode_merkle_proof([read_base64(op["data"]) for op in ops["ops"]])


def proven(chain_id: str, answer: Json, asked: int) -> Proven:
    """The answer to a query of a key after block `asked`.

    Raises:
        ValueError, KeyError, TypeError: it is malformed, without a proof, or of another height.
    """
    told = read_integer(answer["height"])
    if told != asked:
        raise ValueError(f"a proof at {told}, not at {asked}")
    height = height_on(chain_id, told + 1)
    return Proven(read_base64(answer["value"]) or None, merkle_proof(answer["proofOps"]), height)
