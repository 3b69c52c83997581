"""Local test chains, in one process or as networks (docs/localnet.md); needs `pyibc[localnet]`."""

from pyibc.installation import need as _need

_need("localnet")

from localnet.chain import LocalChain as LocalChain
from localnet.endpoint import LocalEndpoint as LocalEndpoint
from localnet.errors import LocalnetError as LocalnetError
from localnet.network import Network as Network
from localnet.network import NetworkPlan as NetworkPlan
from localnet.settings import Genesis as Genesis
from localnet.settings import funded as funded
