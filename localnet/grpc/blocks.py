"""Heights that requests name."""

from ibc_core.errors import InvalidRequest
from localnet.grpc.view import NodeView, ViewedBlock


def require_block(view: NodeView, height: int) -> ViewedBlock:
    """The block of a height.

    Raises:
        InvalidRequest: it is not there yet, or not kept any more.
    """
    first, last = view.earliest(), view.latest()
    if not first <= height <= last:
        raise InvalidRequest(f"requested height {height}, blocks {first} to {last} are here")
    return view.block(height)
