"""What a relayer pays on a chain now: which messages that were too dear may go."""

from typing import NamedTuple, Protocol, runtime_checkable

from ibc_relayer.fees import GasPrice


class Offer(NamedTuple):
    """The price of the moment, and the most that is paid for a packet."""

    price: GasPrice
    max_fee: int | None  # units of the price's denomination; None: no limit

    def affords(self, gas: int) -> bool:
        """Whether a transaction of so much gas may be sent for one packet."""
        return self.allows(gas, 1)

    def allows(self, gas: int, packets: int) -> bool:
        """Whether a transaction of so much gas may be sent for so many packets; for none any may."""
        return self.max_fee is None or not packets or self.fee(gas) <= packets * self.max_fee

    def fee(self, gas: int) -> int:
        """What so much gas costs."""
        return sum(each.amount for each in self.price.fee(gas))


@runtime_checkable
class Offers(Protocol):
    """An endpoint whose transactions have a price and a limit."""

    def offer(self) -> Offer | None:
        """What it pays now; None: it does not tell.

        Raises:
            EndpointUnavailable, MalformedAnswer: the chain does not tell its price.
        """
