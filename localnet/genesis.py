"""A chain's genesis: time, validators, initial state."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from localnet.consensus.keys import ValidatorKey, validator_keys
from pyibc.core.coin import Coin

DEFAULT_POWER = 10


class Genesis(NamedTuple):
    """The initial state of a chain, written by its first block."""

    app_state: Mapping[str, Any] = {}  # by module
    time_ns: int | None = None  # of the first block, unix nanoseconds; None for the clock's
    validators: int = 4  # with equal power
    seed: str = "localnet"  # for the validators' keys
    initial_height: int = 1  # of the first block; above 1 for a chain restarted from an export
    keys_of: str = ""  # chain id that the validators' keys derive from, for a next revision; "" for its own

    def keys(self, chain_id: str) -> list[ValidatorKey]:
        """Return the validators' keys; they differ between chain ids with the same seed."""
        return validator_keys(f"{self.seed}/{self.keys_of or chain_id}", self.validators)


def funded(holders: Iterable[tuple[str, Iterable[Coin]]]) -> dict[str, Any]:
    """Return an app state that gives each address its coins."""
    balances = [
        {"address": address, "coins": [{"denom": each.denom, "amount": str(each.amount)} for each in coins]}
        for address, coins in holders
    ]
    return {"bank": {"balances": balances}}
