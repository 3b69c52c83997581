"""How a chain starts: when, with which validators, and with what state."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ibc_core.coin import Coin
from localnet.consensus.keys import ValidatorKey, validator_keys

DEFAULT_POWER = 10


class Genesis(NamedTuple):
    """A chain's beginning; block 1 writes its state."""

    app_state: Mapping[str, Any] = {}  # one entry a module
    time_ns: int | None = None  # of block 1, unix nanoseconds; None: the clock's
    validators: int = 4  # with equal power
    seed: str = "localnet"  # of the validators' keys
    initial_height: int = 1  # of the first block: a chain restarted from an export goes on counting

    def keys(self, chain_id: str) -> list[ValidatorKey]:
        """The validators' keys; other chains of the same seed have others."""
        return validator_keys(f"{self.seed}/{chain_id}", self.validators)


def funded(holders: Iterable[tuple[str, Iterable[Coin]]]) -> dict[str, Any]:
    """The app state in which each address holds the coins beside it."""
    balances = [
        {"address": address, "coins": [{"denom": each.denom, "amount": str(each.amount)} for each in coins]}
        for address, coins in holders
    ]
    return {"bank": {"balances": balances}}
