"""State of 02-client (ICS-2): routing by client identifier, status, parameters, creators.

`ClientKeeper` writes `nextClientSequence`, `clientParams` and creators. Light clients write the states of
their clients below `clients/{id}/`.
"""

from functools import lru_cache

from keepers import sequences
from light_client.contexts import CachedReadContext
from light_client.interface import Claim, LightClient, ProofEffect
from light_client.registry import Registry
from pyibc.core import paths
from pyibc.core.address import Address, AddressCodec
from pyibc.core.client.types import ALLOW_ALL_CLIENTS, Status
from pyibc.core.client_v2 import ClientCounterparty
from pyibc.core.errors import (
    ClientCounterpartyNotFound,
    ClientNotActive,
    ClientRouteNotFound,
    InvalidClientCounterparty,
    InvalidClientHeight,
    InvalidClientType,
    InvalidIdentifier,
    LogicFault,
    Unauthorized,
)
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import parse_client_id
from pyibc.core.packet_v2 import types as states_v2
from pyibc.core.wire import states


@lru_cache(1024)
def _type_of(client_id: str) -> str:
    """Return the type of a client id, cached because it is needed for every packet; errors are not cached."""
    return parse_client_id(client_id)[0]


def _if_active(found: LightClient, ctx: ReadContext, client_id: str) -> LightClient:
    status = found.status(ctx, client_id)
    if status is not Status.ACTIVE:
        # guard: h15-a-dead-client-is-updated test_h15_a_client_that_is_not_active_carries_nothing
        raise ClientNotActive(client_id, status.value)
    return found


class ClientKeeper:
    """The clients of this chain, routed to their light client modules."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._by_type = dict(registry)  # a dict: one lookup per packet, without a call

    def allowed_clients(self, ctx: ReadContext) -> tuple[str, ...]:
        """Return the parameter `allowed_clients`.

        Raises:
            LogicFault: genesis did not set it.
        """
        raw = ctx.ibc.get(paths.CLIENT_PARAMS)
        if raw is None:
            raise LogicFault("client parameters are not set")
        return states.decode_client_params(raw)

    def set_allowed_clients(self, ctx: WriteContext, allowed: tuple[str, ...]) -> None:
        """Set the parameter `allowed_clients`."""
        ctx.ibc.set(paths.CLIENT_PARAMS, states.encode_client_params(allowed))

    def by_type(self, ctx: ReadContext, client_type: str) -> LightClient:
        """Return the light client of `client_type`.

        Raises:
            InvalidClientType: the parameters do not allow it.
            ClientRouteNotFound: no light client of the type is registered.
        """
        allowed = self.allowed_clients(ctx)
        if client_type not in allowed and ALLOW_ALL_CLIENTS not in allowed:
            raise InvalidClientType(f"{client_type} is not in the list of allowed clients")
        found = self._by_type.get(client_type)
        if found is None:
            raise ClientRouteNotFound(client_type)
        return found

    def route(self, ctx: ReadContext, client_id: str) -> LightClient:
        """Return the light client of `client_id`.

        Raises:
            InvalidIdentifier: the identifier does not have the form `{type}-{N}`.
            InvalidClientType: the parameters do not allow its type.
            ClientRouteNotFound: no light client of its type is registered.
        """
        return self.by_type(ctx, _type_of(client_id))

    def status(self, ctx: ReadContext, client_id: str) -> Status:
        """Return the status of the client; Unauthorized if no light client of its type is registered."""
        try:
            found = self.route(ctx, client_id)
        except (InvalidIdentifier, InvalidClientType, ClientRouteNotFound):
            return Status.UNAUTHORIZED
        return found.status(ctx, client_id)

    def require_active(self, ctx: ReadContext, client_id: str) -> LightClient:
        """Return the light client of `client_id`, with a single error unless the client is Active.

        Raises:
            ClientNotActive: the client is frozen, expired, unknown or not allowed.
        """
        try:
            found = self.route(ctx, client_id)
        except (InvalidIdentifier, InvalidClientType, ClientRouteNotFound) as error:
            raise ClientNotActive(client_id, Status.UNAUTHORIZED.value) from error
        return _if_active(found, ctx, client_id)

    def active(self, ctx: ReadContext, client_id: str) -> LightClient:
        """Return the light client of an Active client.

        Raises:
            ClientNotActive: the client is not Active.
        """
        return _if_active(self.route(ctx, client_id), ctx, client_id)

    def verify_membership(self, ctx: ReadContext, client_id: str, claim: Claim) -> ProofEffect | None:
        """Verify, with an Active client, that the counterparty chain has `claim.value` at `claim.path`.

        Entries of the `ibc` store are read only once.

        Returns:
            The effect for `apply_effect` when the message is executed.

        Raises:
            ClientNotActive: the client is not Active.
            IbcError: the proof does not verify.
        """
        return self.route(ctx, client_id).verify_membership_if_active(ctx, client_id, claim)

    def verify_non_membership(self, ctx: ReadContext, client_id: str, claim: Claim) -> ProofEffect | None:
        """Verify, with an Active client, that `claim.path` is absent on the counterparty chain; as above."""
        return self.route(ctx, client_id).verify_non_membership_if_active(ctx, client_id, claim)

    def latest(self, ctx: ReadContext, client_id: str) -> tuple[Height, int]:
        """Return an Active client's latest height, and the counterparty chain's time there in nanoseconds.

        Raises:
            ClientNotActive: the client is frozen, expired, unknown or not allowed.
            InvalidClientHeight: the client knows no height.
            ConsensusStateNotFound: there is no consensus state at the height.
        """
        once = CachedReadContext(ctx)
        client = self.require_active(once, client_id)
        height = client.latest_height(once, client_id)
        if height.is_zero:
            raise InvalidClientHeight(f"client {client_id} knows no height")
        return height, client.timestamp_at_height(once, client_id, height)

    def latest_height(self, ctx: ReadContext, client_id: str) -> Height:
        """Return the client's latest height."""
        return self.route(ctx, client_id).latest_height(ctx, client_id)

    def timestamp_at(self, ctx: ReadContext, client_id: str, height: Height) -> int:
        """Return the counterparty chain's time at `height`, in Unix nanoseconds.

        Raises:
            ConsensusStateNotFound: there is no consensus state at the height.
        """
        return self.route(ctx, client_id).timestamp_at_height(ctx, client_id, height)

    def apply_effect(self, ctx: WriteContext, effect: ProofEffect | None) -> None:
        """Write the client state changed by a single-use proof, such as a solo machine's signature."""
        if effect is not None:
            ctx.ibc.set(paths.client_state_path(effect.client_id), effect.client_state)

    def next_client_id(self, ctx: WriteContext, client_type: str) -> str:
        """Return a new identifier, `{client_type}-{N}`, incrementing the counter."""
        return f"{client_type}-{sequences.increment(ctx, paths.NEXT_CLIENT_SEQUENCE)}"

    def creator(self, ctx: ReadContext, client_id: str) -> bytes | None:
        """Return the address of the client's creator; None if there is no record."""
        return ctx.ibc.get(paths.client_creator_path(client_id))

    def set_creator(self, ctx: WriteContext, client_id: str, creator: bytes) -> None:
        """Write the address of the client's creator."""
        ctx.ibc.set(paths.client_creator_path(client_id), creator)

    def delete_creator(self, ctx: WriteContext, client_id: str) -> None:
        """Delete the record of the client's creator."""
        ctx.ibc.delete(paths.client_creator_path(client_id))


# -- state of ICS-2 v2: counterparties and allowed relayers of clients
#
# `ClientKeeperV2` writes `clients/{id}/counterparty` and `clients/{id}/config`.


class ClientKeeperV2:
    """Counterparties and configurations of this chain's clients."""

    def __init__(self, addresses: AddressCodec) -> None:
        self._addresses = addresses

    def has_counterparty(self, ctx: ReadContext, client_id: str) -> bool:
        """Return whether the client's counterparty is registered."""
        return bool(ctx.ibc.get(paths.client_counterparty_path(client_id)))

    def counterparty(self, ctx: ReadContext, client_id: str) -> ClientCounterparty:
        """Return the client's counterparty.

        Raises:
            ClientCounterpartyNotFound: no counterparty is registered.
        """
        raw = ctx.ibc.get(paths.client_counterparty_path(client_id))
        if not raw:
            raise ClientCounterpartyNotFound(client_id)
        return states_v2.decode_counterparty(raw)

    def check_counterparty(self, ctx: ReadContext, client_id: str, other_id: str) -> ClientCounterparty:
        """Return the client's counterparty after comparing its client id with `other_id`.

        Raises:
            ClientCounterpartyNotFound: no counterparty is registered.
            InvalidClientCounterparty: the counterparty is another client.
        """
        found = self.counterparty(ctx, client_id)
        if found.client_id != other_id:
            raise InvalidClientCounterparty(f"{client_id} has counterparty {found.client_id}, not {other_id}")
        return found

    def set_counterparty(self, ctx: WriteContext, client_id: str, counterparty: ClientCounterparty) -> None:
        """Register the client's counterparty."""
        ctx.ibc.set(paths.client_counterparty_path(client_id), states_v2.encode_counterparty(counterparty))

    def allowed_relayers(self, ctx: ReadContext, client_id: str) -> tuple[str, ...]:
        """Return the addresses that may update the client and relay IBC v2 packets over it; empty: all.

        Raises:
            CorruptState: the stored configuration is malformed.
        """
        raw = ctx.ibc.get(paths.client_config_path(client_id))
        return states_v2.decode_config(raw) if raw else ()

    def set_allowed_relayers(self, ctx: WriteContext, client_id: str, relayers: tuple[str, ...]) -> None:
        """Set the addresses that may relay over the client."""
        ctx.ibc.set(paths.client_config_path(client_id), states_v2.encode_config(relayers))

    def check_relayer(self, ctx: ReadContext, client_id: str, signer: str) -> Address:
        """Return the address of `signer` after checking that it may relay over the client.

        Raises:
            InvalidAddress: `signer` is not an address.
            Unauthorized: the client's configuration allows other relayers only.
        """
        relayer = self._addresses.decode(signer, "signer")
        allowed = self.allowed_relayers(ctx, client_id)
        if allowed and all(self._addresses.decode(each, "relayer").raw != relayer.raw for each in allowed):
            raise Unauthorized(f"an allowed relayer of {client_id}", relayer.text)
        return relayer
