"""Decoding of a node's responses; each decoding error becomes MalformedAnswer."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from google.protobuf.message import DecodeError

from light_client.tendermint.codec import encode_signed_header, encode_validator_set
from light_client.tendermint.comet_json import read_signed_header, read_validators
from light_client.tendermint.types import ValidatorSet
from pyibc.codec.comet_json import Json, read_base64, read_integer
from pyibc.core.errors import IbcError
from pyibc.core.wire.merkle import encode_merkle_proof
from pyibc.relayer.chain.values import LightBlock, Proven, Report, height_on
from pyibc.relayer.errors import MalformedAnswer, RelayerError
from pyibc.relayer.rpc.calls import Call, Rpc, result_of

_V = TypeVar("_V")


def read_answer(chain_id: str, query: str, reader: Callable[[], _V], report: Report | None = None) -> _V:
    """Call `reader`, which decodes the response to `query`, and return its result.

    Args:
        chain_id: the chain id, for the error.
        query: the method or query, for the error.
        reader: decodes the response.
        report: told of a malformed response, by the thread that got it last; None: nobody wants to know.

    Raises:
        MalformedAnswer: the response cannot be decoded.
    """
    try:
        return _read(chain_id, query, reader)
    except MalformedAnswer as error:
        raise reported(report, error) from error.__cause__


def reported(report: Report | None, error: MalformedAnswer) -> MalformedAnswer:
    """Return the error after it was reported."""
    if report is not None:
        # guard: h241-the-pool-is-not-told drop
        #   test_h241_a_node_whose_transactions_are_not_those_of_its_header_is_passed_over
        #   test_h241_whatever_is_read_of_it
        report(error)
    return error


def _read(chain_id: str, query: str, reader: Callable[[], _V]) -> _V:
    try:
        return reader()
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration, DecodeError) as error:
        reason = f"{type(error).__name__} {error}"[:200]
        raise MalformedAnswer(chain_id, query, reason) from error
    except RelayerError:
        raise
    except IbcError as error:
        raise MalformedAnswer(chain_id, query, str(error)) from error


def chain_id_of(status: Json) -> str:
    """Return the chain id from a result of `status`.

    Raises:
        MalformedAnswer: a field is missing.
    """
    try:
        return str(status["node_info"]["network"])
    except (KeyError, TypeError) as error:
        raise MalformedAnswer("node", "status", str(error)) from error


def height_param(params: Mapping[str, object]) -> int:
    """Return the `height` parameter of a call; 0: the latest height."""
    height = params.get("height") or 0
    return int(str(height))


def latest_height(answer: Json) -> int:
    """Return the latest height in a result of `status` or `abci_info`."""
    if "sync_info" in answer:
        return read_integer(answer["sync_info"]["latest_block_height"])
    return read_integer(answer["response"].get("last_block_height"))


VALIDATORS_PER_PAGE = 100
MAX_VALIDATORS = 10_000
_PAGES = MAX_VALIDATORS // VALIDATORS_PER_PAGE


def fetch_commit(rpc: Rpc, chain_id: str, height: int) -> tuple[Json, list[Json]]:
    """Query the commit and all pages of validators at a height; the first page comes in the same batch.

    Raises:
        EndpointUnavailable, EndpointRefused: the node does not answer, or does not have the block.
        MalformedAnswer: a page is malformed, or there are more than `MAX_VALIDATORS`.
    """
    commit, first = map(result_of, rpc.call_many(commit_calls(height)))
    return commit, _all_pages(rpc, chain_id, height, first)


def commit_calls(height: int) -> list[Call]:
    """Return the calls for the commit and the first page of validators at a height."""
    return [Call("commit", {"height": str(height)}), _validators(height, 1)]


def fetch_validators(rpc: Rpc, chain_id: str, height: int) -> list[Json]:
    """Query all pages of validators at a height. Raises as `fetch_commit`."""
    question = _validators(height, 1)
    return _all_pages(rpc, chain_id, height, rpc.call(question.method, **question.params))


def _all_pages(rpc: Rpc, chain_id: str, height: int, answer: Json) -> list[Json]:
    found: list[Json] = []
    for page in range(1, _PAGES + 1):
        members, total = read_answer(
            chain_id, "validators", partial(read_validators_page, answer), rpc.report_malformed
        )
        found += members
        if len(found) >= total or not members:
            return found
        if page < _PAGES:
            question = _validators(height, page + 1)
            answer = rpc.call(question.method, **question.params)
    raise MalformedAnswer(chain_id, "validators", f"more than {MAX_VALIDATORS}")


def _validators(height: int, page: int) -> Call:
    return Call(
        "validators", {"height": str(height), "page": str(page), "per_page": str(VALIDATORS_PER_PAGE)}
    )


def read_validators_page(answer: Json) -> tuple[list[Json], int]:
    """Return the validators on a page, and the total number on all pages.

    Raises:
        ValueError, KeyError, TypeError: the result is malformed.
    """
    # guard: h231-any-number-of-pages {read_integer => int} test_h231_pages_of_no_number_are_malformed
    return list(answer["validators"]), read_integer(answer["total"])


# -- conversion of a CometBFT node's JSON to protobuf for light clients: light blocks and Merkle proofs


def light_block(commit: Json, validators: Sequence[Json]) -> LightBlock:
    """Convert the results of `commit` and `validators` (all pages) to protobuf.

    Proposer priorities are set to 0: no hash covers them, and they would double the size of the set.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: a result is malformed.
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
    """Convert the `proofOps` of an ABCI response to an encoded MerkleProof (ICS-23).

    Raises:
        ValueError: the proof is missing.
    """
    if not ops or not ops.get("ops"):
        raise ValueError("no proof")
    return encode_merkle_proof([read_base64(op["data"]) for op in ops["ops"]])


def decode_proven(chain_id: str, answer: Json, height: int) -> Proven:
    """Convert the ABCI response for a key after block `height`.

    Raises:
        ValueError, KeyError, TypeError: it is malformed, has no proof, or is of another height.
    """
    proof_height = read_integer(answer["height"])
    if proof_height != height:
        raise ValueError(f"the proof is for height {proof_height}, not {height}")
    at = height_on(chain_id, proof_height + 1)
    return Proven(read_base64(answer["value"]) or None, merkle_proof(answer["proofOps"]), at)
