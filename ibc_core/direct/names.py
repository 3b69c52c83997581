"""Names that were chosen, in the messages of ICS-4's first text.

Whether a chosen name can be had is checked with the state, in `handlers.names`.
"""

from ibc_core.errors import InvalidChannelIdentifier
from ibc_core.identifiers import is_channel_id, validate_channel_id

CONNECTION = "connection-0"
CHANNEL = "channel-0"
"""Names that pass today's checks, where others stand that were checked already."""


def chosen_far_channel(channel_id: str) -> None:
    """Checks the name chosen for the other chain's end; "" passes.

    Raises:
        InvalidIdentifier: ICS-24 does not allow it.
        InvalidChannelIdentifier: of the form that the other chain generates: no one can know its next.
    """
    if channel_id:
        validate_channel_id(channel_id)
    if is_channel_id(channel_id):
        raise InvalidChannelIdentifier(channel_id)
