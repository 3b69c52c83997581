"""gRPC queries of the module: pure functions of a chain's state.

Responses have no proofs, as in ibc-go; proofs come from the host's ABCI query `store/ibc/key`. Heights in
responses are those of the state that was read.
"""

from collections.abc import Mapping

from ibc_module.queries import channel, client, client_v2, connection, membership, packet, packet_v2
from keepers.keepers import Keepers
from pyibc.core.host.context import QueryRoute


def routes(keepers: Keepers) -> Mapping[str, QueryRoute]:
    """Return the routes of all queries of ICS-2, ICS-3 and ICS-4, and of IBC v2, by gRPC method path.

    A request can make a route raise InvalidRequest (`ibc/8`, malformed), NotFound (`ibc/16`) or an error that
    names the missing object, nothing else.
    """
    services = (client, client_v2, membership, connection, channel, packet, packet_v2)
    return {path: route for service in services for path, route in service.routes(keepers).items()}
