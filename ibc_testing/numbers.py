"""Where a chain's identifiers begin: what takes one end of a channel for the other finds nothing there."""

from typing import Any, NamedTuple


class Numbers(NamedTuple):
    """The numbers of the first client, connection and channel that a chain makes."""

    client: int = 0
    connection: int = 0
    channel: int = 0

    def app_state(self) -> dict[str, Any]:
        """What a chain's genesis says of it, as `Genesis.app_state` takes it."""
        return {
            "ibc": {
                "client_genesis": {"next_client_sequence": str(self.client)},
                "connection_genesis": {"next_connection_sequence": str(self.connection)},
                "channel_genesis": {"next_channel_sequence": str(self.channel)},
            }
        }


SHIFTED = Numbers(client=3, connection=5, channel=8)
"""Of one chain of two; the other begins at zero."""
THIRD = Numbers(client=7, connection=2, channel=4)
"""Of the third chain of three."""
