"""Lookup of blocks by requested height."""

from ibc_core.errors import InvalidRequest
from localnet.grpc.view import NodeView, ViewedBlock


def require_block(view: NodeView, height: int) -> ViewedBlock:
    """The block at a height.

    Raises:
        InvalidRequest: it does not exist yet, or has been pruned.
    """
    first, last = view.earliest(), view.latest()
    if not first <= height <= last:
        raise InvalidRequest(f"requested height {height}, blocks {first} to {last} are here")
    return view.block(height)
