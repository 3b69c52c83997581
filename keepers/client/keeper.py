"""Clients: routing by identifier, status, parameters (ICS-2).

Writes `nextClientSequence`, `clientParams` and creators. A client's own states are written by its light
client, below `clients/{id}/`.
"""

from functools import lru_cache

from ibc_core import paths
from ibc_core.client.types import ALLOW_ALL_CLIENTS, Status
from ibc_core.errors import (
    ClientNotActive,
    ClientRouteNotFound,
    InvalidClientType,
    InvalidIdentifier,
    LogicFault,
)
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.identifiers import parse_client_id
from ibc_core.wire import states
from keepers import sequences
from light_client.interface import Claim, LightClient, ProofEffect
from light_client.registry import Registry


@lru_cache(1024)
def _type_of(client_id: str) -> str:
    """A pure function of the identifier, called for every packet; errors are not cached."""
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
        self._by_type = dict(registry)  # one look-up a packet, and no call

    def allowed_clients(self, ctx: ReadContext) -> tuple[str, ...]:
        """The parameter `allowed_clients`.

        Raises:
            LogicFault: genesis did not set it.
        """
        raw = ctx.ibc.get(paths.CLIENT_PARAMS)
        if raw is None:
            raise LogicFault("client parameters are not set")
        return states.decode_client_params(raw)

    def set_allowed_clients(self, ctx: WriteContext, allowed: tuple[str, ...]) -> None:
        """Sets the parameter `allowed_clients`."""
        ctx.ibc.set(paths.CLIENT_PARAMS, states.encode_client_params(allowed))

    def by_type(self, ctx: ReadContext, client_type: str) -> LightClient:
        """The light client of `client_type`.

        Raises:
            InvalidClientType: the parameters do not allow it.
            ClientRouteNotFound: none is registered.
        """
        allowed = self.allowed_clients(ctx)
        if client_type not in allowed and ALLOW_ALL_CLIENTS not in allowed:
            raise InvalidClientType(f"{client_type} is not in the list of allowed clients")
        found = self._by_type.get(client_type)
        if found is None:
            raise ClientRouteNotFound(client_type)
        return found

    def route(self, ctx: ReadContext, client_id: str) -> LightClient:
        """The light client module of `client_id`.

        Raises:
            InvalidIdentifier: not of the form `{type}-{N}`.
            InvalidClientType: the parameters do not allow its type.
            ClientRouteNotFound: no light client of its type is registered.
        """
        return self.by_type(ctx, _type_of(client_id))

    def status(self, ctx: ReadContext, client_id: str) -> Status:
        """The status of the client; Unauthorized if no module has clients of its type."""
        try:
            found = self.route(ctx, client_id)
        except (InvalidIdentifier, InvalidClientType, ClientRouteNotFound):
            return Status.UNAUTHORIZED
        return found.status(ctx, client_id)

    def require_active(self, ctx: ReadContext, client_id: str) -> LightClient:
        """The light client module of `client_id`, which is Active; whatever it is not, is one error.

        Raises:
            ClientNotActive: it is frozen, expired, unknown or not allowed.
        """
        try:
            found = self.route(ctx, client_id)
        except (InvalidIdentifier, InvalidClientType, ClientRouteNotFound) as error:
            raise ClientNotActive(client_id, Status.UNAUTHORIZED.value) from error
        return _if_active(found, ctx, client_id)

    def active(self, ctx: ReadContext, client_id: str) -> LightClient:
        """The light client module of `client_id`, which is Active.

        Raises:
            ClientNotActive: it is not.
        """
        return _if_active(self.route(ctx, client_id), ctx, client_id)

    def verify_membership(self, ctx: ReadContext, client_id: str, claim: Claim) -> ProofEffect | None:
        """Checks with an Active client that the other chain has `claim.value` at `claim.path`.

        No entry of the `ibc` store is read twice.

        Returns:
            What `settle` must write when the message is executed.

        Raises:
            ClientNotActive: the client is not Active.
            IbcError: the proof does not show it.
        """
        return self.route(ctx, client_id).verify_membership_if_active(ctx, client_id, claim)

    def verify_non_membership(self, ctx: ReadContext, client_id: str, claim: Claim) -> ProofEffect | None:
        """Checks with an Active client that `claim.path` is absent on the other chain; as above."""
        return self.route(ctx, client_id).verify_non_membership_if_active(ctx, client_id, claim)

    def latest_height(self, ctx: ReadContext, client_id: str) -> Height:
        """The client's latest height."""
        return self.route(ctx, client_id).latest_height(ctx, client_id)

    def timestamp_at(self, ctx: ReadContext, client_id: str, height: Height) -> int:
        """The other chain's time at `height`, unix nanoseconds.

        Raises:
            ConsensusStateNotFound: the client has no header of that height.
        """
        return self.route(ctx, client_id).timestamp_at_height(ctx, client_id, height)

    def settle(self, ctx: WriteContext, effect: ProofEffect | None) -> None:
        """Writes the client state after a proof that changed it, as a solo machine's signature does."""
        if effect is not None:
            ctx.ibc.set(paths.client_state_path(effect.client_id), effect.client_state)

    def next_client_id(self, ctx: WriteContext, client_type: str) -> str:
        """A new identifier, `{client_type}-{N}`."""
        return f"{client_type}-{sequences.take(ctx, paths.NEXT_CLIENT_SEQUENCE)}"

    def creator(self, ctx: ReadContext, client_id: str) -> bytes | None:
        """The address that created the client; None if there is no client or no record of it."""
        return ctx.ibc.get(paths.client_creator_path(client_id))

    def set_creator(self, ctx: WriteContext, client_id: str, creator: bytes) -> None:
        """Records the address that created the client."""
        ctx.ibc.set(paths.client_creator_path(client_id), creator)

    def find_creator(self, ctx: ReadContext, client_id: str) -> bytes | None:
        """The address that created the client, None if the chain has no record of it."""
        return ctx.ibc.get(paths.client_creator_path(client_id))

    def delete_creator(self, ctx: WriteContext, client_id: str) -> None:
        """Deletes the record of who created the client."""
        ctx.ibc.delete(paths.client_creator_path(client_id))
