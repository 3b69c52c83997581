"""What a host chain needs beside the pipeline and a block's context (docs/embedding.md)."""

from ibc_core.coin import is_denom as is_denom
from ibc_core.genesis.entries import InvalidGenesis as InvalidGenesis
from ibc_core.genesis.entries import export_entries as export_entries
from ibc_core.genesis.entries import restore_entries as restore_entries
from ibc_core.height import revision_of as revision_of
from ibc_core.host.gas import UNLIMITED as UNLIMITED
from ibc_core.host.gas import GasMeter as GasMeter
from ibc_core.host.module_account import module_address as module_address
from ibc_core.numbers import MAX_U256 as MAX_U256
from ibc_core.paths import STORE_NAME as STORE_NAME
from ibc_module.wiring_error import WiringError as WiringError
