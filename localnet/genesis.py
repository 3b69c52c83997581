"""A chain's genesis: time, validators, initial state."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ibc_core.coin import Coin
from localnet.consensus.keys import ValidatorKey, validator_keys

DEFAULT_POWER = 10


class Genesis(NamedTuple):
    """The initial state of a chain, written by its first block."""

    app_state: Mapping[str, Any] = {}  # by module
    time_ns: int | None = None  # of the first block, unix nanoseconds; None: the clock's
    validators: int = 4  # with equal power
    seed: str = "localnet"  # for the validators' keys
    initial_height: int = 1  # of the first block; above 1 for a chain restarted from an export

    def keys(self, chain_id: str) -> list[ValidatorKey]:
        """The validators' keys; they differ between chain ids with the same seed."""
        return validator_keys(f"{self.seed}/{chain_id}", self.validators)


def funded(holders: Iterable[tuple[str, Iterable[Coin]]]) -> dict[str, Any]:
    """An app state that gives each address its coins."""
    balances = [
        {"address": address, "coins": [{"denom": each.denom, "amount": str(each.amount)} for each in coins]}
        for address, coins in holders
    ]
    return {"bank": {"balances": balances}}
