"""Rules over the syntax trees of chain code, with the places that may break them."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from tools.lint_tree.tree import Complaint, Tree

Found = Iterable[tuple[ast.AST, str]]
"""Nodes that break a rule, and what each is."""


class ChainRule(NamedTuple):
    """A rule over one syntax tree, and what may break it."""

    name: str
    find: Callable[[ast.Module], Found]
    why: str
    allowed: Mapping[str, Mapping[str, str]] = {}
    """Start of a path -> what may stand there -> the reason."""

    def __call__(self, tree: Tree) -> Iterator[Complaint]:
        """Yield what breaks the rule, and allowances that nothing needs any more."""
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
