"""A host's bank in a dictionary, for cases that move coins."""

from pyibc.core.address import Address
from pyibc.core.coin import Coin
from pyibc.core.errors import InsufficientBalance
from pyibc.core.host.context import ReadContext, WriteContext


class MemoryBank:
    """Balances by holder and denomination. Branches do not revert them: callers that branch keep a copy."""

    def __init__(self) -> None:
        self.balances: dict[tuple[bytes, str], int] = {}

    def send(self, ctx: WriteContext, sender: Address, receiver: Address, amount: Coin) -> None:
        """Move coins.

        Raises:
            InsufficientBalance: the sender has too few.
        """
        self.burn(ctx, sender, amount)
        self.mint(ctx, receiver, amount)

    def mint(self, ctx: WriteContext, module: Address, amount: Coin) -> None:  # noqa: ARG002
        """Mint coins."""
        key = module.raw, amount.denom
        self.balances[key] = self.balances.get(key, 0) + amount.amount

    def burn(self, ctx: WriteContext, module: Address, amount: Coin) -> None:  # noqa: ARG002
        """Burn coins.

        Raises:
            InsufficientBalance: the module has too few.
        """
        key = module.raw, amount.denom
        held = self.balances.get(key, 0)
        if held < amount.amount:
            raise InsufficientBalance(module.text, f"{held}{amount.denom}", amount.text)
        self.balances[key] = held - amount.amount

    def balance(self, ctx: ReadContext, address: bytes, denom: str) -> int:  # noqa: ARG002
        """Return an account's balance."""
        return self.balances.get((address, denom), 0)

    def supply(self, ctx: ReadContext, denom: str) -> int:  # noqa: ARG002
        """Return the supply of a denomination."""
        return sum(amount for (_, held), amount in self.balances.items() if held == denom)

    def is_blocked(self, address: bytes) -> bool:  # noqa: ARG002
        """Return False: no account is blocked."""
        return False

    def is_send_enabled(self, ctx: ReadContext, denom: str) -> bool:  # noqa: ARG002
        """Return True: sending is enabled for every coin."""
        return True
