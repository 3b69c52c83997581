"""Registered ends: who talks to whom, and which client vouches. The only writer of those keys in `queue`."""

from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.queue.packet import Binding, Registration
from ibc_core.queue.states import decode_binding, decode_registration, encode_binding, encode_registration
from ibc_core.queue.types import STORE_NAME, End, connection_key, local_key, registration_key


class RegistrationKeeper:
    """The ends of other chains that this chain talks to."""

    def get(self, ctx: ReadContext, remote: End) -> Registration | None:
        """How a remote end is registered, None where it is not."""
        raw = ctx.reader(STORE_NAME).get(registration_key(remote))
        return None if raw is None else decode_registration(raw)

    def has_local(self, ctx: ReadContext, local: End) -> bool:
        """Whether a channel's end of ours has a partner."""
        return ctx.reader(STORE_NAME).has(local_key(local))

    def binding(self, ctx: ReadContext, connection: str) -> Binding | None:
        """What a connection of ours is bound to, None before its first channel."""
        raw = ctx.reader(STORE_NAME).get(connection_key(connection))
        return None if raw is None else decode_binding(raw)

    def set(self, ctx: WriteContext, registration: Registration) -> None:
        """Remembers a registration; a channel's binds its connection and takes its end of ours."""
        store, local, remote = ctx.store(STORE_NAME), registration.local, registration.remote
        store.set(registration_key(remote), encode_registration(registration))
        if local.is_channel:
            binding = Binding(registration.client_id, remote.chain, remote.connection)
            store.set(local_key(local), remote.text.encode())
            store.set(connection_key(local.connection), encode_binding(binding))
