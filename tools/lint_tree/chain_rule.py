"""Rules over the syntax trees of chain code, with the places that are allowed to violate them."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from tools.lint_tree.tree import Complaint, Tree

Found = Iterable[tuple[ast.AST, str]]
"""Violating nodes, each with a description."""


class ChainRule(NamedTuple):
    """A rule over one syntax tree, and its exceptions."""

    name: str
    find: Callable[[ast.Module], Found]
    why: str
    allowed: Mapping[str, Mapping[str, str]] = {}
    """Path prefix -> allowed description -> reason."""

    def __call__(self, tree: Tree) -> Iterator[Complaint]:
        """Yield violations, and exceptions that are no longer needed."""
        used = set()
        for source in tree.chain():
            for node, what in self.find(source.tree):
                places = [
                    place
                    for place, whats in self.allowed.items()
                    if what in whats and source.path.startswith(place)
                ]
                used |= {(place, what) for place in places}
                if not places:
                    yield Complaint(source.path, getattr(node, "lineno", 1), f"{what}. {self.why}")
        for place, whats in self.allowed.items():
            for what in whats:
                if (place, what) not in used:
                    yield Complaint(place, 1, f"the allowance for {what} is not needed any more: remove it")
