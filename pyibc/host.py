"""What a host chain needs beside the pipeline and a block's context (docs/embedding.md)."""

from ibc_core.coin import is_denom
from ibc_core.genesis.entries import InvalidGenesis, export_entries, restore_entries
from ibc_core.height import revision_of
from ibc_core.host.gas import UNLIMITED, GasMeter
from ibc_core.host.module_account import module_address
from ibc_core.numbers import MAX_U256
from ibc_core.paths import STORE_NAME
from ibc_module.wiring_error import WiringError

__all__ = [
    "MAX_U256",
    "STORE_NAME",
    "UNLIMITED",
    "GasMeter",
    "InvalidGenesis",
    "WiringError",
    "export_entries",
    "is_denom",
    "module_address",
    "restore_entries",
    "revision_of",
]
