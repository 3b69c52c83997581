"""Runs of a light client verifier from TLA+ models: a driver shared by several families."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from conformance.case import Cases, expect, is_object
from light_client.tendermint.comet_json import read_signed_header, read_validators
from light_client.tendermint.types import ABSENT, FLAG_ABSENT, SignedHeader, Validator, ValidatorSet
from light_client.tendermint.verifier import Trusted, TrustLevel, VerifierOptions, verify_header
from pyibc.codec.gotime import parse_rfc3339
from pyibc.core.errors import IbcError, NotEnoughTrust

SECOND_NS = 10**9
ONE_THIRD = TrustLevel(1, 3)
Order = Callable[[Sequence[Validator]], Sequence[Validator]]


def trusted_of(signed: SignedHeader) -> Trusted:
    """Return the trusted part of a signed header."""
    header = signed.header
    return Trusted(header.chain_id, header.height, header.time_ns, header.next_validators_hash)


def is_model(data: Any) -> bool:
    """Return whether a file's content is a run of the model."""
    return is_object(data, "initial", "input") and all(is_object(step, "block") for step in data["input"])


def model_cases(data: Any, max_clock_drift_ns: int, order: Order) -> Cases:
    """Return the inputs of a file in order; the trusted header advances only on SUCCESS.

    Args:
        data: {initial: {signed_header, next_validator_set, trusting_period, now}, input: [...]}.
        max_clock_drift_ns: The driver's setting.
        order: Sorts the validators of a set in hash order.
    """
    initial = data["initial"]
    trusted = read_signed_header(initial["signed_header"])
    next_validators = initial["next_validator_set"]
    options = VerifierOptions(ONE_THIRD, int(initial["trusting_period"]), max_clock_drift_ns)
    for number, step in enumerate(data["input"]):
        block, now_ns = step["block"], parse_rfc3339(step["now"])
        got = _verdict(trusted, next_validators, block, options, now_ns, order)
        if got == "SUCCESS":
            trusted, next_validators = (
                read_signed_header(block["signed_header"]),
                block["next_validator_set"],
            )
        yield f"input {number}", partial(expect, got, step["verdict"])


def _without_absent_data(signed: SignedHeader) -> SignedHeader:
    """Remove timestamps of absent validators, which the models' files contain.

    Tendermint-rs drops them as well.
    """
    signatures = tuple(ABSENT if sig.flag == FLAG_ABSENT else sig for sig in signed.commit.signatures)
    return signed._replace(commit=signed.commit._replace(signatures=signatures))


def _verdict(
    trusted: SignedHeader,
    next_validators: Any,
    block: Any,
    options: VerifierOptions,
    now_ns: int,
    order: Order,
) -> str:
    try:
        verify_header(
            trusted_of(trusted),
            ValidatorSet(order(read_validators(next_validators["validators"]))),
            _without_absent_data(read_signed_header(block["signed_header"])),
            ValidatorSet(order(read_validators(block["validator_set"]["validators"]))),
            options,
            now_ns,
        )
    except NotEnoughTrust:
        return "NOT_ENOUGH_TRUST"
    except IbcError:
        return "INVALID"
    return "SUCCESS"
