"""gRPC queries of the module, pure functions over a chain's state.

Answers carry no proofs, as ibc-go's: who needs one asks the host for `store/ibc/key`. Heights in answers are
those of the state that was read.
"""

from collections.abc import Mapping

from ibc_core.host.routes import QueryRoute
from ibc_module.queries import channel, client, client_v2, connection, membership, packet, packet_v2
from keepers.keepers import Keepers


def routes(keepers: Keepers) -> Mapping[str, QueryRoute]:
    """Every query of ICS-2, ICS-3 and ICS-4, and of IBC v2, by gRPC method path.

    A route raises InvalidRequest (`ibc/8`) for a malformed request, NotFound (`ibc/16`) or an error that
    names what is missing, and nothing else that a request can cause.
    """
    services = (client, membership, connection, channel, packet, packet_v2)
    found = {path: route for service in services for path, route in service.routes(keepers).items()}
    return {**found, **client_v2.routes()}
