"""gRPC queries of the module: pure functions of a chain's state.

Responses have no proofs, as in ibc-go; proofs come from the host's ABCI query `store/ibc/key`. Heights in
responses are those of the state that was read.
"""

from collections.abc import Mapping

from ibc_module.queries.channel import ChannelQueries
from ibc_module.queries.client import ClientQueries
from ibc_module.queries.client_v2 import ClientQueriesV2
from ibc_module.queries.connection import ConnectionQueries
from ibc_module.queries.membership import MembershipQueries
from ibc_module.queries.packet import PacketQueries
from ibc_module.queries.packet_v2 import PacketQueriesV2
from keepers.keepers import Keepers
from pyibc.core.host.context import QueryRoute
from pyibc.core.wire.requests import query_routes


def routes(keepers: Keepers) -> Mapping[str, QueryRoute]:
    """Return the routes of all queries of ICS-2, ICS-3 and ICS-4, and of IBC v2, by gRPC method path.

    A request can make a route raise InvalidRequest (`ibc/8`, malformed), NotFound (`ibc/16`) or an error that
    names the missing object, nothing else.
    """
    services = (
        ClientQueries(keepers),
        ClientQueriesV2(),
        MembershipQueries(keepers),
        ConnectionQueries(keepers),
        ChannelQueries(keepers),
        PacketQueries(keepers),
        PacketQueriesV2(keepers),
    )
    return {path: route for service in services for path, route in query_routes(service).items()}
