"""MsgRegister: registers a remote end and creates its queues [IBC-packets 3.3], [IBC-queues 3.2]."""

from light_client.interface import NamesItsChain
from pyibc.core.errors import UnauthorizedTx
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.queues import packet as queue_events
from pyibc.queues.errors import (
    AlreadyRegistered,
    ClientOfAnotherChain,
    ConnectionBoundElsewhere,
    InvalidEnd,
    UnnamedChain,
)
from pyibc.queues.keepers import QueueKeepers
from pyibc.queues.messages import DEFAULT_STORE, MsgRegister
from pyibc.queues.packet import Binding, Registration


def validate(keepers: QueueKeepers, ctx: ReadContext, msg: MsgRegister) -> Registration:
    """Check the signer, that both ends are unregistered, and that the client tracks the remote chain.

    Raises:
        UnauthorizedTx: the signer is not the authority.
        InvalidEnd: the local end is not on this chain, or the remote end is.
        AlreadyRegistered: one of the ends is registered.
        ConnectionBoundElsewhere: the local connection has another client or remote connection.
        ClientNotActive, UnnamedChain, ClientOfAnotherChain: the client does not track the remote chain.
    """
    if not keepers.config.open_registration and msg.signer != keepers.authority:
        raise UnauthorizedTx(f"invalid authority: expected {keepers.authority}, got {msg.signer}")
    _check_chains(ctx, msg)
    if keepers.registrations.get(ctx, msg.remote) is not None:
        raise AlreadyRegistered(msg.remote.text)
    if msg.local.is_channel and keepers.registrations.has_local(ctx, msg.local):
        raise AlreadyRegistered(msg.local.text)
    _check_binding(keepers, ctx, msg)
    _check_client(keepers, ctx, msg)
    return Registration.of(msg.client_id, msg.local, msg.remote, msg.remote_store or DEFAULT_STORE)


def _check_chains(ctx: ReadContext, msg: MsgRegister) -> None:
    if msg.local.chain != ctx.chain_id:
        raise InvalidEnd(msg.local.text, f"this chain is {ctx.chain_id!a}")
    if msg.remote.chain == ctx.chain_id:
        raise InvalidEnd(msg.remote.text, "the remote end is on this chain")


def _check_binding(keepers: QueueKeepers, ctx: ReadContext, msg: MsgRegister) -> None:
    if not msg.local.is_channel:
        return
    asked = Binding(msg.client_id, msg.remote.chain, msg.remote.connection)
    bound = keepers.registrations.binding(ctx, msg.local.connection)
    if bound is not None and bound != asked:
        raise ConnectionBoundElsewhere(msg.local.connection, bound.text, asked.text)


def _check_client(keepers: QueueKeepers, ctx: ReadContext, msg: MsgRegister) -> None:
    client = keepers.clients.active(ctx, msg.client_id)
    if not isinstance(client, NamesItsChain):
        raise UnnamedChain(msg.client_id)
    followed = client.chain_id(ctx, msg.client_id)
    if followed != msg.remote.chain:
        raise ClientOfAnotherChain(msg.client_id, msg.remote.chain, followed[:64])


def execute(keepers: QueueKeepers, ctx: WriteContext, registration: Registration) -> None:
    """Store the registration and create the two queues.

    Runs on: A, B. Proves: nothing. Writes: registration, local (channels), connection (channels), queues.
    Emits: queue_register.
    """
    # STATE
    keepers.registrations.set(ctx, registration)
    keepers.queues.init(ctx, registration.outgoing)
    keepers.queues.init(ctx, registration.incoming)
    # EVENTS
    ctx.emit(queue_events.register(registration))
