"""A host's coins in a dictionary, for cases that move them."""

from ibc_core.address import Address
from ibc_core.coin import Coin
from ibc_core.errors import InsufficientBalance
from ibc_core.host.context import ReadContext, WriteContext


class MemoryBank:
    """Balances by holder and denomination. A branch does not undo them: whoever opens one keeps a copy."""

    def __init__(self) -> None:
        self.balances: dict[tuple[bytes, str], int] = {}

    def send(self, ctx: WriteContext, sender: Address, receiver: Address, amount: Coin) -> None:
        """Moves coins.

        Raises:
            InsufficientBalance: the sender has fewer.
        """
        self.burn(ctx, sender, amount)
        self.mint(ctx, receiver, amount)

    def mint(self, ctx: WriteContext, module: Address, amount: Coin) -> None:  # noqa: ARG002
        """Makes coins."""
        key = module.raw, amount.denom
        self.balances[key] = self.balances.get(key, 0) + amount.amount

    def burn(self, ctx: WriteContext, module: Address, amount: Coin) -> None:  # noqa: ARG002
        """Destroys coins.

        Raises:
            InsufficientBalance: there are fewer.
        """
        key = module.raw, amount.denom
        held = self.balances.get(key, 0)
        if held < amount.amount:
            raise InsufficientBalance(module.text, f"{held}{amount.denom}", amount.text)
        self.balances[key] = held - amount.amount

    def balance(self, ctx: ReadContext, address: bytes, denom: str) -> int:  # noqa: ARG002
        """What an account holds."""
        return self.balances.get((address, denom), 0)

    def supply(self, ctx: ReadContext, denom: str) -> int:  # noqa: ARG002
        """How much there is."""
        return sum(amount for (_, held), amount in self.balances.items() if held == denom)

    def is_blocked(self, address: bytes) -> bool:  # noqa: ARG002
        """No account is."""
        return False

    def is_send_enabled(self, ctx: ReadContext, denom: str) -> bool:  # noqa: ARG002
        """Every coin may be sent."""
        return True
