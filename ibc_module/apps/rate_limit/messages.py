"""The messages by which the host's authority sets and removes rate limits."""

from ibc_core.checking import HasAddresses
from ibc_core.errors import RateLimitNotFound, UnauthorizedTx
from ibc_core.host.context import WriteContext
from ibc_core.value import value
from ibc_core.wire.columns import Signer
from ibc_core.wire.message import Msg, message
from ibc_module.apps.rate_limit import state
from ibc_module.apps.rate_limit.limit import RateLimit
from ibc_proto.pyibc.ratelimit.v1 import ratelimit_pb2 as pb


@message(pb.MsgSetRateLimit)
@value
class MsgSetRateLimit(Msg):
    """Sets a new limit, or changes an existing one."""

    signer: Signer
    limit: RateLimit

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress, InvalidIdentifier, InvalidRequest.
        """
        chain.addresses.decode(self.signer, "signer")
        self.limit.validate()


@message(pb.MsgRemoveRateLimit)
@value
class MsgRemoveRateLimit(Msg):
    """Removes a limit."""

    signer: Signer
    channel_or_client_id: str
    denom: str

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress: the signer is no address.
        """
        chain.addresses.decode(self.signer, "signer")


def execute_set(ctx: WriteContext, msg: MsgSetRateLimit, authority: str) -> None:
    """Writes the limit; the counts of the current window are kept if the window length is.

    Raises:
        UnauthorizedTx: the signer is not the authority.
    """
    _require_authority(msg.signer, authority)
    state.set_limit(ctx, msg.limit)


def execute_remove(ctx: WriteContext, msg: MsgRemoveRateLimit, authority: str) -> None:
    """Removes the limit.

    Raises:
        UnauthorizedTx: the signer is not the authority.
        RateLimitNotFound: there is none.
    """
    _require_authority(msg.signer, authority)
    found = state.limit(ctx, msg.channel_or_client_id, msg.denom)
    if found is None:
        raise RateLimitNotFound(msg.channel_or_client_id[:64], msg.denom[:128])
    state.remove_limit(ctx, found)


def _require_authority(signer: str, authority: str) -> None:
    if signer != authority:
        raise UnauthorizedTx(f"invalid authority: expected {authority}, got {signer}")
