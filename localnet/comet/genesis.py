"""The part of CometBFT's genesis.json that the application reads before CometBFT connects.

Block limits and the initial height are fixed for the life of the chain, since no message changes them. The
file stays valid after a restart, and after state sync, where InitChain is not called.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from localnet.comet.errors import WrongGenesis

GENESIS_FILE = Path("config") / "genesis.json"


class ChainRules(NamedTuple):
    """Parameters fixed by the genesis."""

    chain_id: str
    initial_height: int
    block_bytes: int  # -1: CometBFT's own limit
    block_gas: int  # -1: no limit


def read_rules(home: Path) -> ChainRules:
    """Reads the parameters from a home's genesis.json.

    Raises:
        OSError: genesis.json cannot be read.
        WrongGenesis: it is malformed.
    """
    try:
        document = json.loads((home / GENESIS_FILE).read_bytes())
        block = document.get("consensus_params", {}).get("block", {})
        rules = ChainRules(
            str(document["chain_id"]),
            int(document.get("initial_height") or 1),
            int(block.get("max_bytes", 4_194_304)),
            int(block.get("max_gas", 10_000_000)),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise WrongGenesis(str(GENESIS_FILE), f"cannot be read: {error!r}") from error
    if rules.initial_height < 1:
        raise WrongGenesis("initial_height", f"is {rules.initial_height}")
    return rules


def app_state(raw: bytes) -> Mapping[str, Any]:
    """The application state in InitChain; empty if absent.

    Raises:
        WrongGenesis: it is not a JSON object.
    """
    try:
        found = json.loads(raw or b"{}")
    except (ValueError, RecursionError) as error:
        raise WrongGenesis("app_state", f"is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise WrongGenesis("app_state", "is no JSON object")
    return found
