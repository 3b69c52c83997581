"""Whether two paths are neighbours in a tree, or one is at its edge (ics23/go `proof.go`)."""

from collections.abc import Sequence

from ibc_core.errors import InvalidProof
from ibc_core.proofs.spec import InnerOp, InnerSpec

_Path = Sequence[InnerOp]


def check_leftmost(shape: InnerSpec, path: _Path) -> None:
    """Checks that `path` is the left-most of its tree, placeholders aside.

    Raises:
        InvalidProof: something may lie left of it.
    """
    _position(shape, 0)
    if not all(_has_padding(shape, step, 0) or left_is_empty(shape, step) for step in path):
        raise InvalidProof("right neighbour is not the left-most path")


def check_rightmost(shape: InnerSpec, path: _Path) -> None:
    """Checks that `path` is the right-most of its tree, placeholders aside.

    Raises:
        InvalidProof: something may lie right of it.
    """
    last = len(shape.child_order) - 1
    _position(shape, last)
    if not all(_has_padding(shape, step, last) or right_is_empty(shape, step) for step in path):
        raise InvalidProof("left neighbour is not the right-most path")


def check_neighbours(shape: InnerSpec, left: _Path, right: _Path) -> None:
    """Checks that nothing lies between two paths of one tree.

    Raises:
        InvalidProof: something may lie between them, or they are the same path.
    """
    shared = 0
    while shared < min(len(left), len(right)) and _same(left[-1 - shared], right[-1 - shared]):
        shared += 1
    if shared >= min(len(left), len(right)):
        raise InvalidProof("left and right paths do not part")  # ics23/go panics here
    split = -1 - shared
    if _branch(shape, right[split]) != _branch(shape, left[split]) + 1:
        raise InvalidProof("left and right paths part to children that are not neighbours")
    check_rightmost(shape, left[:split])
    check_leftmost(shape, right[:split])


def _same(left: InnerOp, right: InnerOp) -> bool:
    return left.prefix == right.prefix and (left.suffix or b"") == (right.suffix or b"")


def _position(shape: InnerSpec, branch: int) -> int:
    order = shape.child_order
    if not 0 <= branch < len(order) or branch not in order:
        raise InvalidProof(f"branch {branch} is not in child order {order}")
    return order.index(branch)


def _has_padding(shape: InnerSpec, step: InnerOp, branch: int) -> bool:
    """Whether the bytes around a child of `step` leave it the place of `branch`."""
    before = _position(shape, branch)
    left = before * shape.child_size
    right = (len(shape.child_order) - 1 - before) * shape.child_size
    fits = left + shape.min_prefix_length <= len(step.prefix) <= left + shape.max_prefix_length
    return fits and len(step.suffix or b"") == right


def _branch(shape: InnerSpec, step: InnerOp) -> int:
    for branch in range(len(shape.child_order)):
        if _has_padding(shape, step, branch):
            return branch
    raise InvalidProof("no place among the children fits this inner operation")


def left_is_empty(shape: InnerSpec, step: InnerOp) -> bool:
    """Whether every child left of the path at `step` is a placeholder, and there is one.

    Raises:
        InvalidProof: `step` fits no place among the children.
    """
    count = _branch(shape, step)
    start = len(step.prefix) - count * shape.child_size
    return count > 0 and start >= 0 and _all_empty(shape, step.prefix, start, count)


def right_is_empty(shape: InnerSpec, step: InnerOp) -> bool:
    """Whether every child right of the path at `step` is a placeholder, and there is one.

    Raises:
        InvalidProof: `step` fits no place among the children.
    """
    count = len(shape.child_order) - 1 - _branch(shape, step)
    suffix = step.suffix or b""
    return count > 0 and len(suffix) == count * shape.child_size and _all_empty(shape, suffix, 0, count)


def _all_empty(shape: InnerSpec, padding: bytes, start: int, count: int) -> bool:
    for branch in range(count):
        at = start + _position(shape, branch) * shape.child_size
        child = padding[at : at + shape.child_size]
        if len(child) != shape.child_size:
            raise InvalidProof("child order points outside the padding")  # ics23/go panics here
        if child != shape.empty_child:
            return False
    return True
