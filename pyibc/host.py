"""Names that a host chain needs besides the pipeline and a block's context (docs/embedding.md)."""

from ibc_module.hookspecs import Upgrade as Upgrade
from ibc_module.upgrades import PlannedUpgrade as PlannedUpgrade
from ibc_module.upgrades import PluginsChanged as PluginsChanged
from ibc_module.upgrades import UpgradeNeeded as UpgradeNeeded
from ibc_module.upgrades import UpgradePlugin as UpgradePlugin
from ibc_module.upgrades import Upgrades as Upgrades
from pyibc.core.address import module_address as module_address
from pyibc.core.coin import is_denom as is_denom
from pyibc.core.genesis import export_entries as export_entries
from pyibc.core.genesis import restore_entries as restore_entries
from pyibc.core.height import revision_of as revision_of
from pyibc.core.host.gas import UNLIMITED as UNLIMITED
from pyibc.core.host.gas import AnswerPrices as AnswerPrices
from pyibc.core.host.gas import GasMeter as GasMeter
from pyibc.core.numbers import MAX_U256 as MAX_U256
from pyibc.core.paths import STORE_NAME as STORE_NAME
from pyibc.core.setup_error import InvalidGenesis as InvalidGenesis
from pyibc.core.setup_error import WiringError as WiringError
