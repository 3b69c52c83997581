"""informalsystems/conformance-tests: single steps and bisections of CometBFT's light client."""

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from conformance.case import Cases, Check, Mismatch, expect, is_object
from conformance.files import json_in
from conformance.vectors.light_model import ONE_THIRD, SECOND_NS, trusted_of
from light_client.tendermint.comet_json import read_signed_header, read_validators
from light_client.tendermint.hashing import header_hash
from light_client.tendermint.types import SignedHeader, ValidatorSet
from light_client.tendermint.verifier import (
    TrustLevel,
    VerifierOptions,
    check_commit_of,
    check_signed_header,
    verify_header,
)
from pyibc.codec.gotime import parse_rfc3339
from pyibc.core.errors import IbcError, NotEnoughTrust

_Json = dict[str, Any]


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a file with single steps or bisections; None for any other file."""
    data = json_in(path)
    if is_object(data, "initial", "input", "expected_output"):
        return _single_steps(data)
    if is_object(data, "trust_options", "primary", "expected_output"):
        return iter([("", partial(_bisection_case, data))])
    return None


class _Block(NamedTuple):
    signed: SignedHeader
    validators: ValidatorSet
    next_validators: ValidatorSet


def _block(data: _Json) -> _Block:
    sets = (
        ValidatorSet(read_validators(data[name]["validators"]))
        for name in ("validator_set", "next_validator_set")
    )
    return _Block(read_signed_header(data["signed_header"]), *sets)


def _single_steps(data: _Json) -> Cases:
    """Run each input, which must fail if an error is expected; the next one continues in either case."""
    initial = data["initial"]
    options = VerifierOptions(ONE_THIRD, int(initial["trusting_period"]), SECOND_NS)
    trusted, now_ns = read_signed_header(initial["signed_header"]), parse_rfc3339(initial["now"])
    next_validators = initial["next_validator_set"]
    for number, step in enumerate(data["input"]):
        got = _outcome(partial(_step, trusted, next_validators, step, options, now_ns))
        yield f"input {number}", partial(expect, got, data["expected_output"])
        trusted, next_validators = (
            read_signed_header(step["signed_header"]),
            step["next_validator_set"],
        )


def _step(
    trusted: SignedHeader, next_validators: _Json, step: _Json, options: VerifierOptions, now_ns: int
) -> None:
    trusted_set = ValidatorSet(read_validators(next_validators["validators"]))
    validators = ValidatorSet(read_validators(step["validator_set"]["validators"]))
    signed = read_signed_header(step["signed_header"])
    verify_header(trusted_of(trusted), trusted_set, signed, validators, options, now_ns)


def _outcome(action: Check) -> str:
    try:
        action()
    except (IbcError, Mismatch):
        return "error"
    return "no error"


def _bisection_case(data: _Json) -> None:
    expect(_outcome(partial(_bisect, data)), data["expected_output"])


def _bisect(data: _Json) -> None:
    trust = data["trust_options"]
    level = TrustLevel(*(int(trust["trust_level"][part]) for part in ("numerator", "denominator")))
    options = VerifierOptions(level, int(trust["period"]), SECOND_NS)
    target, now_ns = int(data["height_to_verify"]), parse_rfc3339(data["now"])
    blocks = _blocks(data["primary"])
    trusted = _start(blocks, int(trust["height"]), bytes.fromhex(trust["hash"]), data["primary"]["chain_id"])
    _skip_to(blocks, trusted, target, options, now_ns)
    for witness in data["witnesses"] or ():
        other = _blocks(witness).get(target)
        if other is not None and _hash(other) != _hash(blocks[target]):
            raise Mismatch(f"a witness has another header of height {target}")


def _blocks(peer: _Json) -> dict[int, _Block]:
    blocks = [_block(data) for data in peer["lite_blocks"]]
    return {block.signed.header.height: block for block in blocks}


def _hash(block: _Block) -> bytes:
    return header_hash(block.signed.header)


def _at(blocks: dict[int, _Block], height: int) -> _Block:
    if height not in blocks:
        raise Mismatch(f"the primary has no header of height {height}")
    return blocks[height]


def _start(blocks: dict[int, _Block], height: int, expected: bytes, chain_id: str) -> _Block:
    block = _at(blocks, height)
    if _hash(block) != expected:
        raise Mismatch("the primary's header is not the trusted one")
    check_signed_header(block.signed, chain_id)
    check_commit_of(block.signed, chain_id, block.validators)
    return block


def _skip_to(
    blocks: dict[int, _Block], trusted: _Block, target: int, options: VerifierOptions, now_ns: int
) -> None:
    """Verify `target` directly; if trust is insufficient, verify a header halfway first."""
    goal = target
    while trusted.signed.header.height < target:
        block = _at(blocks, goal)
        try:
            verify_header(
                trusted_of(trusted.signed),
                trusted.next_validators,
                block.signed,
                block.validators,
                options,
                now_ns,
            )
        except NotEnoughTrust:
            goal = (trusted.signed.header.height + goal) // 2
        else:
            trusted, goal = block, target
