"""Opens a connection (ICS-3), or finds an existing one."""

from ibc_core import paths as keys
from ibc_core.connection.open_ack import MsgConnectionOpenAck
from ibc_core.connection.open_confirm import MsgConnectionOpenConfirm
from ibc_core.connection.open_init import MsgConnectionOpenInit
from ibc_core.connection.open_try import MsgConnectionOpenTry
from ibc_core.connection.types import COMPATIBLE_VERSIONS, ConnectionCounterparty, ConnectionEnd
from ibc_core.host.block import TxOutcome
from ibc_core.paths import COMMITMENT_PREFIX
from ibc_core.wire.message import Msg
from ibc_relayer.endpoint import Proven
from ibc_relayer.ends import EndCandidate, connection_end, connections_of, match_ends
from ibc_relayer.errors import WrongCounterparty
from ibc_relayer.handshake import Clients, NextStep, Step, event_attribute, run_handshake
from ibc_relayer.path import Side, other


def open_connection(clients: Clients, delay_ns: int = 0) -> tuple[str, str]:
    """The connection ids on a and b of an open connection over `clients`; opens one if none is.

    Raises:
        HandshakeStuck: the handshake cannot continue.
        TransactionFailed: a chain refuses a step.
    """
    handshake = ConnectionHandshake(clients, delay_ns)
    run_handshake("connection", handshake, clients)
    return handshake.ids[0], handshake.ids[1]


class ConnectionHandshake:
    """The handshake of a connection."""

    def __init__(self, clients: Clients, delay_ns: int) -> None:
        """Continues with an open or unfinished connection over `clients`, if there is one."""
        self._clients = clients
        self._delay_ns = delay_ns
        self.ids = list(match_ends(self._found(0), self._found(1)))

    def states(self) -> tuple[str, str]:
        """States of the connection ends."""
        return self._state(0), self._state(1)

    def proof_key(self, prover: Side) -> bytes:
        """The connection end's path (ICS-24)."""
        return keys.connection_path(self.ids[prover])

    def init(self, signer: str) -> Msg:
        """ConnOpenInit for a."""
        far = ConnectionCounterparty(self._clients[1].client_id, "", COMMITMENT_PREFIX)
        return MsgConnectionOpenInit(self._clients[0].client_id, far, None, self._delay_ns, signer)

    def message(self, step: NextStep, proven: Proven, signer: str) -> Msg:
        """ConnOpenTry, -Ack or -Confirm."""
        near, far = self.ids[step.target], self.ids[other(step.target)]
        if step.kind == Step.TRY:
            return self._try(step.target, proven, signer)
        if step.kind == Step.CONFIRM:
            return MsgConnectionOpenConfirm(near, proven.proof, proven.height, signer)
        version = self._end(other(step.target)).versions[0]
        return MsgConnectionOpenAck(near, far, version, proven.proof, proven.height, signer)

    def note(self, step: NextStep, outcome: TxOutcome) -> None:
        """Reads the new connection id from the event."""
        if step.kind in {Step.INIT, Step.TRY}:
            self.ids[step.target] = event_attribute(
                outcome, f"connection_open_{step.kind.value}", "connection_id"
            )

    def _try(self, target: Side, proven: Proven, signer: str) -> Msg:
        far = self._end(other(target))
        counterparty = ConnectionCounterparty(far.client_id, self.ids[other(target)], COMMITMENT_PREFIX)
        return MsgConnectionOpenTry(
            self._clients[target].client_id,
            counterparty,
            far.delay_period_ns,
            far.versions or COMPATIBLE_VERSIONS,
            proven.proof,
            proven.height,
            signer,
        )

    def _found(self, side: Side) -> list[EndCandidate]:
        """Connections over both clients on one side."""
        near, far = self._clients[side], self._clients[other(side)].client_id
        return [
            EndCandidate(name, end.counterparty.connection_id, end.state.name == "OPEN")
            for name, end in connections_of(near.host, near.client_id)
            if end.counterparty.client_id == far and end.delay_period_ns == self._delay_ns
        ]

    def _state(self, side: Side) -> str:
        end = connection_end(self._clients[side].host, self.ids[side])
        return end.state.name if end is not None else "UNINITIALIZED"

    def _end(self, side: Side) -> ConnectionEnd:
        end = connection_end(self._clients[side].host, self.ids[side])
        if end is None:
            raise WrongCounterparty(self._clients[side].host.chain_id, self.ids[side], "no such connection")
        return end
