"""Registered ends: pairs of ends and their light client. The only writer of those keys in `queue`."""

from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.queue.packet import Binding, Registration
from ibc_core.queue.states import decode_binding, decode_registration, encode_binding, encode_registration
from ibc_core.queue.types import STORE_NAME, End, connection_key, local_key, registration_key


class RegistrationKeeper:
    """The remote ends that this chain exchanges packets with."""

    def get(self, ctx: ReadContext, remote: End) -> Registration | None:
        """The registration of a remote end, None if there is none."""
        raw = ctx.reader(STORE_NAME).get(registration_key(remote))
        return None if raw is None else decode_registration(raw)

    def has_local(self, ctx: ReadContext, local: End) -> bool:
        """Whether a local channel end is registered already."""
        return ctx.reader(STORE_NAME).has(local_key(local))

    def binding(self, ctx: ReadContext, connection: str) -> Binding | None:
        """What a local connection is bound to, None before its first channel."""
        raw = ctx.reader(STORE_NAME).get(connection_key(connection))
        return None if raw is None else decode_binding(raw)

    def set(self, ctx: WriteContext, registration: Registration) -> None:
        """Writes a registration; a channel's also binds its connection and occupies the local end."""
        store, local, remote = ctx.store(STORE_NAME), registration.local, registration.remote
        store.set(registration_key(remote), encode_registration(registration))
        if local.is_channel:
            binding = Binding(registration.client_id, remote.chain, remote.connection)
            store.set(local_key(local), remote.text.encode())
            store.set(connection_key(local.connection), encode_binding(binding))
