"""Runs of a light client's verifier that TLA+ models produced: one driver for the families that hold them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from conformance.case import Cases, expect, is_object
from ibc_core.errors import IbcError, NotEnoughTrust
from ibc_core.wire.gotime import parse_rfc3339
from light_client.tendermint.comet_json import read_signed_header, read_validators
from light_client.tendermint.types import ABSENT, FLAG_ABSENT, SignedHeader, Validator, ValidatorSet
from light_client.tendermint.verifier import Options, Trusted, verify_header
from light_client.tendermint.voting import TrustLevel

SECOND_NS = 10**9
ONE_THIRD = TrustLevel(1, 3)
Order = Callable[[Sequence[Validator]], Sequence[Validator]]


def trusted_of(signed: SignedHeader) -> Trusted:
    """What is kept of a header."""
    header = signed.header
    return Trusted(header.chain_id, header.height, header.time_ns, header.next_validators_hash)


def is_model(data: Any) -> bool:
    """Whether a file's content is a run of the model."""
    return is_object(data, "initial", "input") and all(is_object(step, "block") for step in data["input"])


def model_cases(data: Any, max_clock_drift_ns: int, order: Order) -> Cases:
    """The inputs of a file in order; trust moves on only with SUCCESS.

    Args:
        data: {initial: {signed_header, next_validator_set, trusting_period, now}, input: [...]}.
        max_clock_drift_ns: the driver's.
        order: puts a set's validators in the order they are hashed in.
    """
    initial = data["initial"]
    trusted = read_signed_header(initial["signed_header"])
    next_validators = initial["next_validator_set"]
    options = Options(ONE_THIRD, int(initial["trusting_period"]), max_clock_drift_ns)
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
    """The models' files give absent validators a time; tendermint-rs drops it when it reads them."""
    signatures = tuple(ABSENT if sig.flag == FLAG_ABSENT else sig for sig in signed.commit.signatures)
    return signed._replace(commit=signed.commit._replace(signatures=signatures))


def _verdict(
    trusted: SignedHeader, next_validators: Any, block: Any, options: Options, now_ns: int, order: Order
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
