"""Gas: of store access as the Cosmos SDK charges it, so that a limit means the same; of verification ours."""

from typing import NamedTuple, Protocol

from ibc_core.errors import OutOfGas
from ibc_core.value import sealed

HAS_COST = 1000
DELETE_COST = 1000
READ_FLAT = 1000
READ_BYTE = 3
WRITE_FLAT = 2000
WRITE_BYTE = 30
ITER_NEXT_COST = 30

UNLIMITED = 2**63 - 1
"""The highest limit, which nothing reaches: of work outside transactions. Gas is an int64 on the wire."""


@sealed
class Prices(NamedTuple):
    """Gas of verification, charged before it is done. ibc-go charges none: with zeros a chain does neither.

    The defaults follow what work takes here, a thousand gas being about what reading an entry takes.
    """

    signature: int = 590  # of a validator or a solo machine; as the SDK's ante prices an Ed25519 key's
    validator: int = 10  # of each set that a header brings: an address and a leaf to hash
    proof_byte: int = 1  # of a MerkleProof for a client whose trees are an SDK chain's
    foreign_proof_byte: int = 10  # of one by other specifications; their child orders count as bytes of it


DEFAULT_PRICES = Prices()


class Gas(Protocol):
    """The meter of the transaction under way, for whoever does work that the store does not see."""

    @property
    def remaining(self) -> int:
        """What may still be used."""

    def consume(self, amount: int) -> None:
        """Charges `amount`, which is not negative; raises `OutOfGas` where that is more than is left."""


class GasMeter:
    """Gas used by the transaction under way. Reverting a branch does not refund it."""

    __slots__ = ("limit", "used")

    @property
    def remaining(self) -> int:
        """What may still be used."""
        return self.limit - self.used

    def __init__(self, limit: int = UNLIMITED) -> None:
        self.limit = limit
        self.used = 0

    def reset(self, limit: int) -> None:
        """Starts a new transaction with `limit` gas."""
        self.limit = limit
        self.used = 0

    @property
    def reported(self) -> int:
        """What is said to have been used, in results and acknowledgements: an int64, whatever was charged."""
        return min(self.used, UNLIMITED)

    def consume(self, amount: int) -> None:
        """Charge `amount`. What is used never exceeds 2^63, however much is charged.

        Raises:
            OutOfGas: more is used than the limit allows, also where no limit is set and 63 bits are exceeded.
        """
        self.used = min(self.used + amount, UNLIMITED + 1)
        if self.used > self.limit:
            raise OutOfGas(self.limit, self.used)


class Allowance:
    """A part of a meter's gas for one call: until `close` the meter has no more left than that.

    The meter itself is lowered, so whoever holds it is held to it, and nothing is slower for it. Allowances
    may be nested; each is closed before the one around it.
    """

    __slots__ = ("_limit", "_meter")

    def __init__(self, meter: GasMeter, amount: int) -> None:
        """`amount`: at most what the meter has left."""
        self._meter = meter
        self._limit = meter.limit
        # guard: h176-more-than-there-is {min(meter.limit, meter.used + amount) => meter.used + amount}
        #   test_an_allowance_is_never_more_than_there_is
        meter.limit = min(meter.limit, meter.used + amount)

    def spend(self) -> None:
        """Has the call use all of it, no more and no less, whatever it used so far."""
        self._meter.used = self._meter.limit

    def close(self) -> bool:
        """Gives the meter its limit back; whether the call wanted more than that, which is not charged."""
        meter = self._meter
        exceeded = meter.used > meter.limit
        # guard: h176-more-is-charged-than-allowed drop
        #   test_h175_a_contract_that_had_all_it_was_allowed_fails_alone
        if exceeded:
            meter.used = meter.limit
        meter.limit = self._limit
        return exceeded
