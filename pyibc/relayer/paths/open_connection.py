"""Creation of a connection (ICS-3), or reuse of an existing one."""

from pyibc.core import paths as keys
from pyibc.core.connection.messages import (
    MsgConnectionOpenAck,
    MsgConnectionOpenConfirm,
    MsgConnectionOpenInit,
    MsgConnectionOpenTry,
)
from pyibc.core.connection.types import COMPATIBLE_VERSIONS, ConnectionCounterparty, ConnectionEnd
from pyibc.core.paths import COMMITMENT_PREFIX
from pyibc.core.wire.message import Msg
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.clients.driver import Terms
from pyibc.relayer.errors import WrongCounterparty
from pyibc.relayer.paths.channel_policy import ACCEPT_NONE, connection_differences, unaccepted
from pyibc.relayer.paths.ends import EndCandidate, connection_end, connections_of, match_ends, match_or_begun
from pyibc.relayer.paths.handshake import Clients, Handshake, NextStep, Step, for_connection, run_handshake
from pyibc.relayer.paths.path import SIDES, Side, other


def open_connection(
    clients: Clients,
    delay_ns: int = 0,
    *,
    accept: Terms = ACCEPT_NONE,
    new: bool = False,
    names: tuple[str, str] = ("", ""),
) -> tuple[str, str]:
    """Return the ids on a and b of an open connection over `clients`; open one if none is open, or if `new`.

    Only connections that meet the policy are reused, except for differences in `accept`. `names` are chosen
    for the ends on a and b, on chains with `DirectPlugin`; then the connection with these names is used.

    Raises:
        HandshakeStuck: the handshake cannot continue.
        TransactionFailed: a chain refuses a step.
        WrongCounterparty: a chosen name belongs to another connection.
    """
    if any(names):
        ids = _named_ends(clients, delay_ns, accept, names)
    elif new:
        ids = ("", "")
    else:
        a = clients[0].host
        both = _both(clients, delay_ns, accept)
        ids = match_or_begun(*both, lambda name: connection_end(a, name) is not None)
    return run_handshake(ConnectionHandshake(clients, delay_ns, ids))


def find_connection(clients: Clients, accept: Terms = ACCEPT_NONE) -> tuple[str, str] | None:
    """Return the ids on a and b of an open connection over `clients` that meets the policy, or None."""
    on_a, on_b = _both(clients, 0, accept)
    ids = match_ends([end for end in on_a if end.is_open], [end for end in on_b if end.is_open])
    return ids if ids[0] in {end.name for end in on_a} and ids[1] in {end.name for end in on_b} else None


def _named_ends(clients: Clients, delay_ns: int, accept: Terms, names: tuple[str, str]) -> tuple[str, str]:
    """Return the connection ids on a and b for chosen names; "" for an id that will be generated.

    Raises:
        WrongCounterparty: a name belongs to a connection over other clients, with other terms, or to another
            end. Names are first come, first served, so a third party may have it.
    """
    ids = list(names)
    found = _both(clients, delay_ns, accept)
    for side in SIDES:
        host, name = clients[side].host, ids[side]
        if connection_end(host, name) is None:
            continue
        far = next((end.far_name for end in found[side] if end.name == name), None)
        # guard: h305-a-stranger-s-connection-of-that-name drop
        #   test_h305_a_connection_of_our_name_with_other_terms_is_not_ours
        if far is None or (far and names[other(side)] not in {"", far}):
            reason = "is another connection: other clients, terms or far end; choose another name"
            raise WrongCounterparty(host.chain_id, name, reason)
        ids[other(side)] = ids[other(side)] or far
    for side in SIDES:
        ids[side] = ids[side] or next(
            (each.name for each in found[side] if each.far_name == ids[other(side)]), ""
        )
    return ids[0], ids[1]


class ConnectionHandshake(Handshake[ConnectionEnd]):
    """Handshake of a connection."""

    noun = "connection"

    def __init__(self, clients: Clients, delay_ns: int, ids: tuple[str, str]) -> None:
        """Set the `ids` on a and b: "" for an end that does not exist yet and whose name is generated."""
        super().__init__(clients, ids)
        self._delay_ns = delay_ns

    def find(self, side: Side) -> ConnectionEnd | None:
        """Return the connection end on one side; None if it does not exist."""
        return connection_end(self.clients[side].host, self.ids[side])

    def proof_key(self, prover: Side) -> bytes:
        """Return the connection end's path (ICS-24)."""
        return keys.connection_path(self.ids[prover])

    def init(self, signer: str) -> Msg:
        """Return ConnOpenInit for a."""
        far = ConnectionCounterparty(self.clients[1].client_id, self.ids[1], COMMITMENT_PREFIX)
        client_id = self.clients[0].client_id
        message = MsgConnectionOpenInit(client_id, far, None, self._delay_ns, signer, self.ids[0])
        return for_connection(message, self.ids[0], is_named=any(self.ids))

    def message(self, step: NextStep, proven: Proven, signer: str) -> Msg:
        """Return ConnOpenTry, ConnOpenAck or ConnOpenConfirm."""
        near, far = self.ids[step.target], self.ids[other(step.target)]
        if step.kind == Step.TRY:
            return self._try(step.target, proven, signer)
        if step.kind == Step.CONFIRM:
            return for_connection(MsgConnectionOpenConfirm(near, proven.proof, proven.height, signer), near)
        version = self.end(other(step.target)).versions[0]
        message = MsgConnectionOpenAck(near, far, version, proven.proof, proven.height, signer)
        return for_connection(message, near)

    def _try(self, target: Side, proven: Proven, signer: str) -> Msg:
        far = self.end(other(target))
        counterparty = ConnectionCounterparty(far.client_id, self.ids[other(target)], COMMITMENT_PREFIX)
        named = far.counterparty.connection_id
        own = named or self.ids[target]
        message = MsgConnectionOpenTry(
            self.clients[target].client_id,
            counterparty,
            far.delay_period_ns,
            far.versions or COMPATIBLE_VERSIONS,
            proven.proof,
            proven.height,
            signer,
            own,
            bool(named),
        )
        return for_connection(message, own, is_named=bool(own))


_Ends = list[EndCandidate]


def _both(clients: Clients, delay_ns: int, accept: Terms) -> tuple[_Ends, _Ends]:
    return _found(clients, 0, delay_ns, accept), _found(clients, 1, delay_ns, accept)


def _found(clients: Clients, side: Side, delay_ns: int, accept: Terms) -> _Ends:
    """Return connections over both clients on one side that meet the policy or are accepted."""
    near, far = clients[side], clients[other(side)].client_id
    wanted = accept | {"delay_period"}
    return [
        EndCandidate(name, end.counterparty.connection_id, end.state.name == "OPEN")
        for name, end in connections_of(near.host, near.client_id)
        if end.counterparty.client_id == far
        and (end.delay_period_ns == delay_ns or "delay_period" in accept)
        and not unaccepted(connection_differences(end), wanted)
    ]
