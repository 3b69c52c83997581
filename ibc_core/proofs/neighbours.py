"""Whether two paths are neighbours in a tree, or one is at its edge (ics23/go `proof.go`)."""

from collections.abc import Sequence

from ibc_core.errors import InvalidProof
from ibc_core.proofs.spec import InnerOp, InnerSpec

_Path = Sequence[InnerOp]


class Shape:
    """A specification's inner nodes, with the order of their children indexed once for all steps.

    A branch is a number of `child_order`, its place where it stands there first. ics23/go looks for each
    branch in the order from its beginning, for each branch of each step.
    """

    __slots__ = ("_order", "_places", "_readable", "count", "spec")

    def __init__(self, spec: InnerSpec) -> None:
        self.spec = spec
        self._order = spec.child_order
        self.count = len(self._order)
        self._places: dict[int, int] = {}
        for place, branch in enumerate(self._order):
            self._places.setdefault(branch, place)
        self._readable = next((at for at in range(self.count) if at not in self._places), self.count)
        """The first branch that the order lacks: ics23/go stops there."""

    def place_of(self, branch: int) -> int:
        """Where a branch stands among the children.

        Raises:
            InvalidProof: nowhere.
        """
        if not 0 <= branch < self.count or branch not in self._places:
            raise InvalidProof(f"branch {branch} is not in the child order")
        return self._places[branch]

    def has_padding(self, step: InnerOp, branch: int) -> bool:
        """Whether the bytes around a child of `step` leave it the place of `branch`."""
        return self._fits(step, self.place_of(branch))

    def branch_of(self, step: InnerOp) -> int:
        """The branch whose place the bytes around a child of `step` leave it.

        Raises:
            InvalidProof: there is none.
        """
        # The suffix holds the children behind it; `_fits` sees whether they are whole ones.
        place = self.count - 1 - len(step.suffix or b"") // max(self.spec.child_size, 1)
        if place >= 0 and self._fits(step, place):
            branch = self._order[place]
            if 0 <= branch < self._readable and self._places[branch] == place:
                return branch
        raise InvalidProof("no place among the children fits this inner operation")

    def _fits(self, step: InnerOp, place: int) -> bool:
        spec = self.spec
        left = place * spec.child_size
        right = (self.count - 1 - place) * spec.child_size
        fits = left + spec.min_prefix_length <= len(step.prefix) <= left + spec.max_prefix_length
        return fits and len(step.suffix or b"") == right

    def left_is_empty(self, step: InnerOp) -> bool:
        """Whether every child left of the path at `step` is a placeholder, and there is one.

        Raises:
            InvalidProof: `step` fits no place among the children.
        """
        count = self.branch_of(step)
        start = len(step.prefix) - count * self.spec.child_size
        return count > 0 and start >= 0 and self._all_empty(step.prefix, start, count)

    def right_is_empty(self, step: InnerOp) -> bool:
        """Whether every child right of the path at `step` is a placeholder, and there is one.

        Raises:
            InvalidProof: `step` fits no place among the children.
        """
        count = self.count - 1 - self.branch_of(step)
        suffix = step.suffix or b""
        return count > 0 and len(suffix) == count * self.spec.child_size and self._all_empty(suffix, 0, count)

    def _all_empty(self, padding: bytes, start: int, count: int) -> bool:
        size = self.spec.child_size
        for branch in range(count):
            at = start + self.place_of(branch) * size
            child = padding[at : at + size]
            if len(child) != size:
                raise InvalidProof("child order points outside the padding")  # ics23/go panics here
            if child != self.spec.empty_child:
                return False
        return True


def check_leftmost(shape: Shape, path: _Path) -> None:
    """Checks that `path` is the left-most of its tree, placeholders aside.

    Raises:
        InvalidProof: something may lie left of it.
    """
    shape.place_of(0)
    if not all(shape.has_padding(step, 0) or shape.left_is_empty(step) for step in path):
        raise InvalidProof("right neighbour is not the left-most path")


def check_rightmost(shape: Shape, path: _Path) -> None:
    """Checks that `path` is the right-most of its tree, placeholders aside.

    Raises:
        InvalidProof: something may lie right of it.
    """
    last = shape.count - 1
    shape.place_of(last)
    if not all(shape.has_padding(step, last) or shape.right_is_empty(step) for step in path):
        raise InvalidProof("left neighbour is not the right-most path")


def check_neighbours(shape: Shape, left: _Path, right: _Path) -> None:
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
    if shape.branch_of(right[split]) != shape.branch_of(left[split]) + 1:
        raise InvalidProof("left and right paths part to children that are not neighbours")
    check_rightmost(shape, left[:split])
    check_leftmost(shape, right[:split])


def _same(left: InnerOp, right: InnerOp) -> bool:
    return left.prefix == right.prefix and (left.suffix or b"") == (right.suffix or b"")
