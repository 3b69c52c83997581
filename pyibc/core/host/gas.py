"""Gas: store access is charged as in the Cosmos SDK, verification by prices of this module."""

from typing import NamedTuple, Protocol

from pyibc.core.errors import OutOfGas
from pyibc.core.value import sealed

HAS_COST = 1000
DELETE_COST = 1000
READ_FLAT = 1000
READ_BYTE = 3
WRITE_FLAT = 2000
WRITE_BYTE = 30
ITER_NEXT_COST = 30

UNLIMITED = 2**63 - 1
"""Gas limit outside transactions, the maximum of the int64 that gas is on the wire."""


@sealed
class Prices(NamedTuple):
    """Gas prices of verification, charged before the work. ibc-go charges none; zeros disable the charge.

    The defaults are proportional to the time of the work; a thousand gas is about the time of a store read.
    """

    signature: int = 590  # of a validator or a solo machine; the SDK's ante price for Ed25519
    validator: int = 10  # of each validator set in a header: hashing an address and a leaf
    proof_byte: int = 1  # of a MerkleProof by the specifications of an SDK chain
    foreign_proof_byte: int = 10  # of a MerkleProof by other specifications, plus their child orders


DEFAULT_PRICES = Prices()


@sealed
class AnswerPrices(NamedTuple):
    """Gas per byte of responses and events. The SDK charges none; zeros disable the charge.

    Responses are part of the block results, which must fit in one message of every transport: 4 MiB with
    gRPC. At the default price, a default block of 500 million gas has at most 2.5 MB of responses. A chain
    with more gas per block should raise the price in proportion.
    """

    response_byte: int = 200  # of the responses to a transaction's messages
    event_byte: int = 5  # of events, and of responses to nested messages and queries


DEFAULT_ANSWER_PRICES = AnswerPrices()


class Gas(Protocol):
    """Gas meter of the current transaction, for work other than store access."""

    @property
    def remaining(self) -> int:
        """Gas left below the limit."""

    def consume(self, amount: int) -> None:
        """Charge `amount`, which must not be negative; raises `OutOfGas` if less is left."""


class GasMeter:
    """Gas meter of the current transaction; reverting a branch does not refund gas."""

    __slots__ = ("limit", "used")

    @property
    def remaining(self) -> int:
        """Gas left below the limit."""
        return self.limit - self.used

    def __init__(self, limit: int = UNLIMITED) -> None:
        self.limit = limit
        self.used = 0

    def reset(self, limit: int) -> None:
        """Start a new transaction with `limit` gas."""
        self.limit = limit
        self.used = 0

    @property
    def reported(self) -> int:
        """Gas used, for results and acknowledgements, capped to an int64."""
        return min(self.used, UNLIMITED)

    def consume(self, amount: int) -> None:
        """Charge `amount`; the gas used is capped at 2^63.

        Raises:
            OutOfGas: the gas used exceeds the limit, or 63 bits if there is no limit.
        """
        self.used = min(self.used + amount, UNLIMITED + 1)
        if self.used > self.limit:
            raise OutOfGas(self.limit, self.used)


class Allowance:
    """A lower limit of a gas meter for one call, in effect until `close`.

    The meter's own limit is lowered, so that it applies to all code with the meter, at no cost. Allowances
    may be nested; each must be closed before the enclosing one.
    """

    __slots__ = ("_limit", "_meter")

    def __init__(self, meter: GasMeter, amount: int) -> None:
        """Limit the meter to `amount`, or to the gas left if that is less."""
        self._meter = meter
        self._limit = meter.limit
        # guard: h176-more-than-there-is {min(meter.limit, meter.used + amount) => meter.used + amount}
        #   test_an_allowance_is_never_more_than_there_is
        meter.limit = min(meter.limit, meter.used + amount)

    def spend(self) -> None:
        """Use up the allowance exactly, regardless of the gas used so far."""
        self._meter.used = self._meter.limit

    def close(self) -> bool:
        """Restore the meter's limit, and return whether the call exceeded the allowance (not charged)."""
        meter = self._meter
        exceeded = meter.used > meter.limit
        # guard: h176-more-is-charged-than-allowed drop
        #   test_h175_a_contract_that_had_all_it_was_allowed_fails_alone
        if exceeded:
            meter.used = meter.limit
        meter.limit = self._limit
        return exceeded
