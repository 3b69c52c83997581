"""Rule about recursive functions of chain code: a comment must say what bounds their depth.

The call graph is approximate: names that a function uses, resolved within its module and through its imports,
and `self.name` within its class. It has false cycles, and misses those through callbacks.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator

from tools.lint_tree.tree import Complaint, Source, Tree

MARK = "# recursion: "

_Function = tuple[str, str]  # module, qualified name


class _Graph:
    """Functions, and the functions that each may call."""

    def __init__(self) -> None:
        self.defined: dict[_Function, tuple[Source, int]] = {}
        self.uses: dict[_Function, set[_Function]] = defaultdict(set)

    def add(self, source: Source) -> None:
        """Add the functions of a module."""
        module = source.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        imported = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in source.tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        self._body(source, module, imported, source.tree.body, "", in_class=False)

    def _body(self, source, module, imported, body, prefix, *, in_class) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
        for node in body:
            if isinstance(node, ast.ClassDef):
                self._body(source, module, imported, node.body, f"{prefix}{node.name}.", in_class=True)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                function = (module, prefix + node.name)
                self.defined[function] = (source, node.lineno)
                self.uses[function] |= set(_uses(node, module, imported, prefix if in_class else None))
                self._body(source, module, imported, node.body, f"{prefix}{node.name}.", in_class=False)

    def cycles(self) -> list[list[_Function]]:
        """Return the groups of functions that reach each other, by Tarjan's algorithm without recursion."""
        index: dict[_Function, int] = {}
        low: dict[_Function, int] = {}
        open_: list[_Function] = []
        found: list[list[_Function]] = []
        for start in self.defined:
            if start in index:
                continue
            work = [(start, iter(sorted(self.uses[start])))]
            index[start] = low[start] = len(index)
            open_.append(start)
            while work:
                node, rest = work[-1]
                following = next((each for each in rest if each in self.defined), None)
                if following is None:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[node])
                    if low[node] == index[node]:
                        at = open_.index(node)
                        group, open_[at:] = open_[at:], []
                        if len(group) > 1 or node in self.uses[node]:
                            found.append(sorted(group))
                elif following not in index:
                    index[following] = low[following] = len(index)
                    open_.append(following)
                    work.append((following, iter(sorted(self.uses[following]))))
                elif following in open_:
                    low[node] = min(low[node], index[following])
        return sorted(found)


def _uses(
    node: ast.AST, module: str, imported: dict[str, tuple[str, str]], of_class: str | None
) -> Iterator[_Function]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            yield module, each.id
            if each.id in imported:
                yield imported[each.id]
        elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            owner = each.value.id
            if owner in {"self", "cls"} and of_class is not None:
                yield module, of_class + each.attr
            elif owner in imported:
                outer, name = imported[owner]
                yield f"{outer}.{name}", each.attr
            else:
                yield module, f"{owner}.{each.attr}"


def recursion(tree: Tree) -> Iterator[Complaint]:
    """A function of chain code that can reach itself says above its `def` what bounds its depth."""
    graph = _Graph()
    for source in tree.chain():
        graph.add(source)
    for group in graph.cycles():
        if not any(_is_explained(*graph.defined[function]) for function in group):
            source, line = graph.defined[group[0]]
            names = ", ".join(name for _, name in group)
            yield Complaint(source.path, line, f"{names}: say above one `def` what bounds it, `{MARK}...`")


def _is_explained(source: Source, line: int) -> bool:
    """Return whether a comment above the `def` at `line`, or above its decorators, explains it."""
    lines = source.text.splitlines()
    at = line - 2
    while at >= 0 and lines[at].lstrip().startswith(("@", "#")):
        if lines[at].lstrip().startswith(MARK):
            return True
        at -= 1
    return False
