"""Messages of rate limits, with the checks of ibc-go's ValidateBasic."""

from typing import Annotated

from pyibc.apps.rate_limit.limit import PERCENT
from pyibc.core.address import AddressCodec
from pyibc.core.checking import HasAddresses
from pyibc.core.errors import IbcError, InvalidIdentifier, InvalidSdkAddress, InvalidSdkRequest
from pyibc.core.identifiers import is_blank, parse_client_id
from pyibc.core.value import value
from pyibc.core.wire.columns import Signer, Wire
from pyibc.core.wire.message import Msg, message
from pyibc.proto.ibc.applications.rate_limiting.v1 import tx_pb2

_CHANNEL = "channel-"
_DIGITS = frozenset("0123456789")
_ALL = 100


def check_path(signer: str, denom: str, channel_or_client_id: str) -> None:
    """Check the fields that all four messages have.

    Raises:
        InvalidSdkAddress: the signer is blank.
        InvalidSdkRequest: the denomination is empty, or the identifier neither a channel's nor a client's.
    """
    # guard: ratelimit-a-blank-signer test_who_and_what
    if is_blank(signer):
        raise InvalidSdkAddress(signer[:64], "missing sender address")
    # guard: ratelimit-a-blank-coin test_who_and_what
    if not denom:
        raise InvalidSdkRequest("a rate limit without a denomination")
    # guard: ratelimit-any-end test_ends_that_are_neither_channels_nor_clients
    if not _is_channel(channel_or_client_id) and not _is_client(channel_or_client_id):
        raise InvalidSdkRequest(f"{channel_or_client_id[:64]!a} is neither channel-N nor a client")


def check_quota(max_percent_send: int, max_percent_recv: int, duration_hours: int) -> None:
    """Check thresholds and length of a window.

    Raises:
        InvalidSdkRequest: a percentage is outside 0 to 100, both are zero, or the window has no hours.
    """
    for percent in (max_percent_send, max_percent_recv):
        # guard: ratelimit-any-percentage test_quotas_that_make_no_sense
        if not 0 <= percent <= _ALL:
            raise InvalidSdkRequest(f"threshold {percent} is outside 0 to 100 percent")
    # guard: ratelimit-nothing-may-move test_quotas_that_make_no_sense
    if max_percent_send == max_percent_recv == 0:
        raise InvalidSdkRequest("one of the thresholds must be above 0 percent")
    # guard: ratelimit-a-window-of-no-hours test_quotas_that_make_no_sense
    if duration_hours == 0:
        raise InvalidSdkRequest("a window of no hours")


def check_signer(addresses: AddressCodec, signer: str) -> None:
    """Check the signer's address; ibc-go decodes it after all other checks.

    Raises:
        InvalidSdkAddress: it is not an address.
    """
    try:
        addresses.decode(signer, "signer")
    except IbcError as error:
        # guard: ratelimit-a-signer-that-is-none {=> return} test_who_and_what
        raise InvalidSdkAddress(signer[:64], "invalid signer address") from error


def _is_channel(text: str) -> bool:
    """Return whether `text` is `channel-` and any number of digits, ibc-go's pattern for rate limits."""
    number = text.removeprefix(_CHANNEL)
    return text.startswith(_CHANNEL) and bool(number) and _DIGITS.issuperset(number)


def _is_client(text: str) -> bool:
    try:
        parse_client_id(text)
    except InvalidIdentifier:
        return False
    return True


@message(tx_pb2.MsgAddRateLimit)
@value
class MsgAddRateLimit(Msg):
    """Adds the limit of a coin over a channel or client."""

    signer: Signer  # the authority
    denom: str
    channel_or_client_id: str
    max_percent_send: Annotated[int, Wire("max_percent_send", PERCENT)]  # 0 to 100
    max_percent_recv: Annotated[int, Wire("max_percent_recv", PERCENT)]
    duration_hours: int  # at least 1

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidSdkAddress, InvalidSdkRequest: see `check_path`, `check_quota` and `check_signer`.
        """
        check_path(self.signer, self.denom, self.channel_or_client_id)
        check_quota(self.max_percent_send, self.max_percent_recv, self.duration_hours)
        check_signer(chain.addresses, self.signer)


@message(tx_pb2.MsgUpdateRateLimit)
@value
class MsgUpdateRateLimit(MsgAddRateLimit):
    """Replaces the quota of a limit and restarts its window; fields and checks of MsgAddRateLimit."""


@message(tx_pb2.MsgRemoveRateLimit)
@value
class MsgRemoveRateLimit(Msg):
    """Removes a limit."""

    signer: Signer  # the authority
    denom: str
    channel_or_client_id: str

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidSdkAddress, InvalidSdkRequest: see `check_path` and `check_signer`.
        """
        check_path(self.signer, self.denom, self.channel_or_client_id)
        check_signer(chain.addresses, self.signer)


@message(tx_pb2.MsgResetRateLimit)
@value
class MsgResetRateLimit(Msg):
    """Restarts the window of a limit: no flow, and a threshold from the current supply."""

    signer: Signer  # the authority
    denom: str
    channel_or_client_id: str

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidSdkAddress, InvalidSdkRequest: see `check_path` and `check_signer`.
        """
        check_path(self.signer, self.denom, self.channel_or_client_id)
        check_signer(chain.addresses, self.signer)
