"""Client events with the attributes of ibc-go (ICS-2)."""

from collections.abc import Sequence

from pyibc.core.height import Height
from pyibc.core.host.block import Event
from pyibc.core.paths import UPGRADE_STORE_NAME

MODULE: Event = ("message", (("module", "ibc_client"),))


def create_client(client_id: str, client_type: str, height: Height) -> Event:
    """Return the event of a client created at `height` of the counterparty chain."""
    return (
        "create_client",
        (("client_id", client_id), ("client_type", client_type), ("consensus_height", str(height))),
    )


def update_client(client_id: str, client_type: str, heights: Sequence[Height]) -> Event:
    """Return the event of a client updated to `heights`, which are empty if the message changed nothing."""
    return (
        "update_client",
        (
            ("client_id", client_id),
            ("client_type", client_type),
            ("consensus_height", str(heights[0]) if heights else ""),
            ("consensus_heights", ",".join(map(str, heights))),
        ),
    )


def client_misbehaviour(client_id: str, client_type: str) -> Event:
    """Return the event of a client frozen by misbehaviour."""
    return "client_misbehaviour", (("client_id", client_id), ("client_type", client_type))


def upgrade_client(client_id: str, client_type: str, height: Height) -> Event:
    """Return the event of a client upgraded to `height` of its chain's next revision."""
    return (
        "upgrade_client",
        (("client_id", client_id), ("client_type", client_type), ("consensus_height", str(height))),
    )


def recover_client(client_id: str, client_type: str) -> Event:
    """Return the event of a client recovered by a substitute."""
    return "recover_client", (("subject_client_id", client_id), ("client_type", client_type))


def schedule_ibc_software_upgrade(title: str, plan_height: int) -> Event:
    """Return the event of a planned upgrade: this chain will halt before `plan_height`."""
    return (
        "schedule_ibc_software_upgrade",
        (("title", title), ("upgrade_plan_height", str(plan_height))),
    )


def upgrade_chain(plan_height: int) -> Event:
    """Return the event of the last block before an upgrade, whose state has the upgraded consensus state."""
    return (
        "upgrade_chain",
        (("upgrade_plan_height", str(plan_height)), ("upgrade_store", UPGRADE_STORE_NAME)),
    )
