"""What ibc-go's ValidateBasic checks of the messages of rate limits."""

from ibc_core.address import AddressCodec
from ibc_core.errors import IbcError, InvalidIdentifier, InvalidSdkAddress, InvalidSdkRequest
from ibc_core.identifiers import is_blank, parse_client_id

_CHANNEL = "channel-"
_DIGITS = frozenset("0123456789")
_ALL = 100


def check_path(signer: str, denom: str, channel_or_client_id: str) -> None:
    """Checks what all four messages have.

    Raises:
        InvalidSdkAddress: the signer is blank.
        InvalidSdkRequest: no denomination, or the form of neither a channel nor a client.
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
    """Checks thresholds and length of a window.

    Raises:
        InvalidSdkRequest: a percentage outside 0 to 100, both zero, or a window of no hours.
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
    """Checks the signer's address, which ibc-go decodes after everything else.

    Raises:
        InvalidSdkAddress: it is not an address.
    """
    try:
        addresses.decode(signer, "signer")
    except IbcError as error:
        # guard: ratelimit-a-signer-that-is-none {=> return} test_who_and_what
        raise InvalidSdkAddress(signer[:64], "invalid signer address") from error


def _is_channel(text: str) -> bool:
    """Whether `text` is `channel-` and digits, however many: the pattern of ibc-go's rate limits."""
    number = text.removeprefix(_CHANNEL)
    return text.startswith(_CHANNEL) and bool(number) and _DIGITS.issuperset(number)


def _is_client(text: str) -> bool:
    try:
        parse_client_id(text)
    except InvalidIdentifier:
        return False
    return True
