"""Connection ends, versions and the transition table of the handshake (ICS-3)."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Annotated, NamedTuple

from pyibc.core.errors import VersionNegotiationFailed
from pyibc.core.value import sealed, value
from pyibc.core.wire.columns import Wire
from pyibc.core.wire.table import on_wire
from pyibc.proto.ibc.core.connection.v1 import connection_pb2


class ConnectionState(IntEnum):
    """State of a connection end; numbers as in protobuf."""

    UNINITIALIZED = 0
    INIT = 1
    TRYOPEN = 2
    OPEN = 3


@on_wire(connection_pb2.Version)
@sealed
class Version(NamedTuple):
    """A connection version: an identifier and the supported channel orderings."""

    identifier: str
    features: tuple[str, ...]


DEFAULT_VERSION = Version("1", ("ORDER_ORDERED", "ORDER_UNORDERED"))
COMPATIBLE_VERSIONS = (DEFAULT_VERSION,)


@on_wire(connection_pb2.Counterparty)
@value
class ConnectionCounterparty:
    """Client, connection and store prefix on the counterparty chain."""

    client_id: str
    connection_id: str  # "" until the other end has one
    prefix: Annotated[
        bytes, Wire("prefix.key_prefix")
    ]  # store prefix of the counterparty chain's proofs, usually b"ibc"


@on_wire(connection_pb2.ConnectionEnd)
@value
class ConnectionEnd:
    """One end of a connection."""

    client_id: str
    versions: tuple[Version, ...]
    state: ConnectionState
    counterparty: ConnectionCounterparty
    delay_period_ns: Annotated[int, Wire("delay_period")]

    def in_state(self, state: ConnectionState) -> "ConnectionEnd":
        """Return a copy of the end in another state."""
        return ConnectionEnd(self.client_id, self.versions, state, self.counterparty, self.delay_period_ns)


ALLOWED: dict[tuple[ConnectionState, str], ConnectionState] = {
    (ConnectionState.UNINITIALIZED, "open_init"): ConnectionState.INIT,
    (ConnectionState.UNINITIALIZED, "open_try"): ConnectionState.TRYOPEN,
    (ConnectionState.INIT, "open_ack"): ConnectionState.OPEN,
    (ConnectionState.TRYOPEN, "open_confirm"): ConnectionState.OPEN,
}
"""(state before, message) -> state after; every other pair is refused."""


def is_supported(offered: Version, supported: Sequence[Version] = COMPATIBLE_VERSIONS) -> bool:
    """Return whether `supported` has a version with the identifier and all features of `offered`."""
    for ours in supported:
        if ours.identifier == offered.identifier:
            return bool(offered.features) and set(offered.features) <= set(ours.features)
    return False


def pick_version(offered: Sequence[Version]) -> Version:
    """Return the version chosen in `ConnOpenTry`: the first version of this chain with a common feature.

    Of several offered versions with the same identifier, only the first is considered, as in ibc-go.

    Raises:
        VersionNegotiationFailed: there is no common version.
    """
    for ours in COMPATIBLE_VERSIONS:
        theirs = next((each for each in offered if each.identifier == ours.identifier), None)
        if theirs is None:
            continue
        common = tuple(feature for feature in ours.features if feature in theirs.features)
        if common:
            return Version(ours.identifier, common)
    raise VersionNegotiationFailed(", ".join(v.identifier for v in offered)[:64])
