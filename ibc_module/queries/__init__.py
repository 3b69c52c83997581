"""gRPC queries of the module, answered from a chain's state."""

from collections.abc import Mapping

from ibc_module.hookspecs import QueryRoute
from keepers.keepers import Keepers


def routes(keepers: Keepers) -> Mapping[str, QueryRoute]:
    """Every query of ICS-2, ICS-3 and ICS-4, by gRPC method path."""
    return {}
