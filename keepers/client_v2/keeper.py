"""State of IBC v2 for a client (ICS-2 v2): its counterparty and the allowed relayers.

Writes `clients/{id}/counterparty` and `clients/{id}/config`.
"""

from ibc_core import paths
from ibc_core.address import Address, AddressCodec
from ibc_core.client_v2.types import ClientCounterparty
from ibc_core.errors import ClientCounterpartyNotFound, InvalidClientCounterparty, Unauthorized
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet_v2 import states as states_v2


class ClientKeeperV2:
    """Counterparties and configurations of this chain's clients."""

    def __init__(self, addresses: AddressCodec) -> None:
        self._addresses = addresses

    def has_counterparty(self, ctx: ReadContext, client_id: str) -> bool:
        """Whether the client's counterparty is registered."""
        return bool(ctx.ibc.get(paths.client_counterparty_path(client_id)))

    def counterparty(self, ctx: ReadContext, client_id: str) -> ClientCounterparty:
        """The client's counterparty.

        Raises:
            ClientCounterpartyNotFound: none is registered.
        """
        raw = ctx.ibc.get(paths.client_counterparty_path(client_id))
        if not raw:
            raise ClientCounterpartyNotFound(client_id)
        return states_v2.decode_counterparty(raw)

    def check_counterparty(self, ctx: ReadContext, client_id: str, other_id: str) -> ClientCounterparty:
        """The client's counterparty, which must be `other_id`.

        Raises:
            ClientCounterpartyNotFound: none is registered.
            InvalidClientCounterparty: it is another client.
        """
        found = self.counterparty(ctx, client_id)
        if found.client_id != other_id:
            raise InvalidClientCounterparty(f"{client_id} belongs to {found.client_id}, not to {other_id}")
        return found

    def set_counterparty(self, ctx: WriteContext, client_id: str, counterparty: ClientCounterparty) -> None:
        """Registers the client's counterparty."""
        ctx.ibc.set(paths.client_counterparty_path(client_id), states_v2.encode_counterparty(counterparty))

    def allowed_relayers(self, ctx: ReadContext, client_id: str) -> tuple[str, ...]:
        """Addresses that may relay over the client; empty: any."""
        raw = ctx.ibc.get(paths.client_config_path(client_id))
        return states_v2.decode_config(raw) if raw else ()

    def set_allowed_relayers(self, ctx: WriteContext, client_id: str, relayers: tuple[str, ...]) -> None:
        """Sets the addresses that may relay over the client."""
        ctx.ibc.set(paths.client_config_path(client_id), states_v2.encode_config(relayers))

    def check_relayer(self, ctx: ReadContext, client_id: str, signer: str) -> Address:
        """The address of `signer`, who may relay over the client.

        Raises:
            InvalidAddress: `signer` is not an address.
            Unauthorized: the client's configuration allows other relayers only.
        """
        relayer = self._addresses.decode(signer, "signer")
        allowed = self.allowed_relayers(ctx, client_id)
        if allowed and all(self._addresses.decode(each, "relayer").raw != relayer.raw for each in allowed):
            raise Unauthorized(f"an allowed relayer of {client_id}", relayer.text)
        return relayer
