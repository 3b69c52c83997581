"""Opens a connection (ICS-3), or finds an existing one."""

from ibc_core import paths as keys
from ibc_core.connection.open_ack import MsgConnectionOpenAck
from ibc_core.connection.open_confirm import MsgConnectionOpenConfirm
from ibc_core.connection.open_init import MsgConnectionOpenInit
from ibc_core.connection.open_try import MsgConnectionOpenTry
from ibc_core.connection.types import COMPATIBLE_VERSIONS, ConnectionCounterparty, ConnectionEnd
from ibc_core.paths import COMMITMENT_PREFIX
from ibc_core.wire.message import Msg
from ibc_relayer.driver import Terms
from ibc_relayer.endpoint import Proven
from ibc_relayer.ends import EndCandidate, connection_end, connections_of, match_ends
from ibc_relayer.handshake import Clients, Handshake, NextStep, Step, run_handshake
from ibc_relayer.path import Side, other
from ibc_relayer.terms import NOTHING, connection_differences, unaccepted


def open_connection(
    clients: Clients, delay_ns: int = 0, *, accept: Terms = NOTHING, new: bool = False
) -> tuple[str, str]:
    """The connection ids on a and b of an open connection over `clients`; opens one if none is, or if `new`.

    Reused are connections with our terms alone, but for those in `accept`.

    Raises:
        HandshakeStuck: the handshake cannot continue.
        TransactionFailed: a chain refuses a step.
    """
    ids = ("", "") if new else match_ends(*_both(clients, delay_ns, accept))
    return run_handshake(ConnectionHandshake(clients, delay_ns, ids))


def find_connection(clients: Clients, accept: Terms = NOTHING) -> tuple[str, str] | None:
    """The connection ids on a and b of an open connection over `clients` with our terms, None if none is."""
    on_a, on_b = _both(clients, 0, accept)
    ids = match_ends([end for end in on_a if end.is_open], [end for end in on_b if end.is_open])
    return ids if ids[0] in {end.name for end in on_a} and ids[1] in {end.name for end in on_b} else None


class ConnectionHandshake(Handshake[ConnectionEnd]):
    """The handshake of a connection."""

    noun = "connection"

    def __init__(self, clients: Clients, delay_ns: int, ids: tuple[str, str]) -> None:
        """`ids` on a and b, "" for an end that does not exist yet."""
        super().__init__(clients, ids)
        self._delay_ns = delay_ns

    def find(self, side: Side) -> ConnectionEnd | None:
        """The connection end on one side, None if it does not exist."""
        return connection_end(self.clients[side].host, self.ids[side])

    def proof_key(self, prover: Side) -> bytes:
        """The connection end's path (ICS-24)."""
        return keys.connection_path(self.ids[prover])

    def init(self, signer: str) -> Msg:
        """ConnOpenInit for a."""
        far = ConnectionCounterparty(self.clients[1].client_id, "", COMMITMENT_PREFIX)
        return MsgConnectionOpenInit(self.clients[0].client_id, far, None, self._delay_ns, signer)

    def message(self, step: NextStep, proven: Proven, signer: str) -> Msg:
        """ConnOpenTry, -Ack or -Confirm."""
        near, far = self.ids[step.target], self.ids[other(step.target)]
        if step.kind == Step.TRY:
            return self._try(step.target, proven, signer)
        if step.kind == Step.CONFIRM:
            return MsgConnectionOpenConfirm(near, proven.proof, proven.height, signer)
        version = self.end(other(step.target)).versions[0]
        return MsgConnectionOpenAck(near, far, version, proven.proof, proven.height, signer)

    def _try(self, target: Side, proven: Proven, signer: str) -> Msg:
        far = self.end(other(target))
        counterparty = ConnectionCounterparty(far.client_id, self.ids[other(target)], COMMITMENT_PREFIX)
        return MsgConnectionOpenTry(
            self.clients[target].client_id,
            counterparty,
            far.delay_period_ns,
            far.versions or COMPATIBLE_VERSIONS,
            proven.proof,
            proven.height,
            signer,
        )


_Ends = list[EndCandidate]


def _both(clients: Clients, delay_ns: int, accept: Terms) -> tuple[_Ends, _Ends]:
    return _found(clients, 0, delay_ns, accept), _found(clients, 1, delay_ns, accept)


def _found(clients: Clients, side: Side, delay_ns: int, accept: Terms) -> _Ends:
    """Connections over both clients on one side, with our terms or accepted ones."""
    near, far = clients[side], clients[other(side)].client_id
    wanted = accept | {"delay_period"}
    return [
        EndCandidate(name, end.counterparty.connection_id, end.state.name == "OPEN")
        for name, end in connections_of(near.host, near.client_id)
        if end.counterparty.client_id == far
        and (end.delay_period_ns == delay_ns or "delay_period" in accept)
        and not unaccepted(connection_differences(end), wanted)
    ]
