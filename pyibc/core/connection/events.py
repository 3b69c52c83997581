"""Events of connection handshakes with the attributes of ibc-go (ICS-3)."""

from pyibc.core.connection.types import ConnectionEnd
from pyibc.core.host.block import Event

MODULE: Event = ("message", (("module", "ibc_connection"),))


def open_init(connection_id: str, client_id: str, counterparty_client_id: str) -> Event:
    """Return the event of a connection end that is INIT on chain A; the counterparty has no id yet."""
    return (
        "connection_open_init",
        (
            ("connection_id", connection_id),
            ("client_id", client_id),
            ("counterparty_client_id", counterparty_client_id),
        ),
    )


def open_step(step: str, connection_id: str, end: ConnectionEnd) -> Event:
    """Return the event `step`: `connection_open_try`, `_ack` or `_confirm`."""
    return (
        f"connection_{step}",
        (
            ("connection_id", connection_id),
            ("client_id", end.client_id),
            ("counterparty_client_id", end.counterparty.client_id),
            ("counterparty_connection_id", end.counterparty.connection_id),
        ),
    )
