"""Events of clients, with the attributes of ibc-go (ICS-2)."""

from collections.abc import Sequence

from ibc_core.height import Height
from ibc_core.host.events import Event
from ibc_core.paths import UPGRADE_STORE_NAME

MODULE: Event = ("message", (("module", "ibc_client"),))


def create_client(client_id: str, client_type: str, height: Height) -> Event:
    """A client was created at `height` of the other chain."""
    return (
        "create_client",
        (("client_id", client_id), ("client_type", client_type), ("consensus_height", str(height))),
    )


def update_client(client_id: str, client_type: str, heights: Sequence[Height]) -> Event:
    """A client was updated to `heights`; none if the message changed nothing."""
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
    """A client was frozen by misbehaviour."""
    return "client_misbehaviour", (("client_id", client_id), ("client_type", client_type))


def upgrade_client(client_id: str, client_type: str, height: Height) -> Event:
    """A client was upgraded to its chain's next revision, at `height`."""
    return (
        "upgrade_client",
        (("client_id", client_id), ("client_type", client_type), ("consensus_height", str(height))),
    )


def recover_client(client_id: str, client_type: str) -> Event:
    """A client was recovered by a substitute."""
    return "recover_client", (("subject_client_id", client_id), ("client_type", client_type))


def schedule_ibc_software_upgrade(title: str, plan_height: int) -> Event:
    """This chain will halt before `plan_height`."""
    return (
        "schedule_ibc_software_upgrade",
        (("title", title), ("upgrade_plan_height", str(plan_height))),
    )


def upgrade_chain(plan_height: int) -> Event:
    """The last block before the upgrade; its state proves the upgraded consensus state."""
    return (
        "upgrade_chain",
        (("upgrade_plan_height", str(plan_height)), ("upgrade_store", UPGRADE_STORE_NAME)),
    )
