"""Empties code by its syntax tree: a function answers nothing, a check is not made, a value is empty.

Of `module.py:symbol` a function returns None before its first statement; of a class all methods do, and of
one without methods all fields are None; an assigned value is empty. Of `module.py:symbol@what` one part is
left out: the check that raises `what`, or else the first statement that names it; or else a condition that
names it is inverted. A `what` that ends in `_on_a` or `_on_b` is replaced by the other end's.

The rest of a function stays behind, unreachable, so that what it closes over and whether it is a generator do
not change.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Defined = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Raise, ast.Return, ast.Delete)
_OTHER_END = {"a": "b", "b": "a"}


class NoSuchCode(ValueError):
    """A row names code that is not there, or that cannot be emptied."""


class Emptied(NamedTuple):
    """A module without what a row names."""

    source: str
    functions: tuple[str, ...]  # changed ones, by qualified name; and what is none:
    fields: tuple[str, ...] = ()  # of a class without methods, `Class.field`
    values: tuple[str, ...] = ()  # assigned names


def emptied(source: str, symbol: str, what: str = "") -> Emptied:
    """The module without `symbol`, or without the part of it that names `what`.

    Raises:
        NoSuchCode: there is no such symbol, or no such part.
    """
    tree = ast.parse(source)
    node = find(tree, symbol)
    if what and not isinstance(node, ast.FunctionDef):
        raise NoSuchCode(f"{symbol} is no function, so it has no part {what}")
    changed: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    if isinstance(node, ast.FunctionDef):
        changed = (symbol,)
        _leave_out(node, what) if what else _return_at_once(node)
    elif isinstance(node, ast.ClassDef):
        changed = _empty_class(node, symbol)
        fields = () if changed else tuple(f"{symbol}.{name}" for each in node.body for name in _names(each))
    values = () if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else (symbol,)
    return Emptied(ast.unparse(ast.fix_missing_locations(tree)), changed, fields, values)


def find(tree: ast.Module, symbol: str) -> Defined:
    """The definition of `symbol`.

    Raises:
        NoSuchCode: there is none.
    """
    body, found = tree.body, None
    for part in symbol.split("."):
        found = next((node for node in body if part in _names(node)), None)
        if found is None:
            raise NoSuchCode(f"no {symbol}")
        body = getattr(found, "body", [])
    if not isinstance(found, Defined):
        raise NoSuchCode(f"{symbol} is nothing that can be emptied")
    return found


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _return_at_once(node: ast.FunctionDef) -> None:
    node.body.insert(int(ast.get_docstring(node) is not None), ast.Return(ast.Constant(None)))


def _empty_class(node: ast.ClassDef, symbol: str) -> tuple[str, ...]:
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name != "__init__"]
    for method in methods:
        _return_at_once(method)
    return tuple(f"{symbol}.{method.name}" for method in methods)


def _leave_out(function: ast.FunctionDef, what: str) -> None:
    if what[-5:] in {"_on_a", "_on_b"}:
        _other_end(function, what)
        return
    statements = list(_statements(function.body))
    check = next((node for node in statements if _is_check(node, what)), None)
    simple = next((node for node in statements if isinstance(node, _SIMPLE) and _mentions(node, what)), None)
    condition = next((n for n in statements if isinstance(n, ast.If) and _mentions(n.test, what)), None)
    if isinstance(check, ast.If):
        check.test = ast.Constant(False)
    elif simple is not None:
        _replace(function, simple)
    elif condition is not None:
        condition.test = ast.UnaryOp(ast.Not(), condition.test)
    else:
        raise NoSuchCode(f"{function.name} names no {what}")


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements in their order, each before those inside it."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, part, []))
        for handler in getattr(node, "handlers", []):
            yield from _statements(handler.body)


def _is_check(node: ast.stmt, what: str) -> bool:
    return isinstance(node, ast.If) and any(
        isinstance(each, ast.Raise) and _mentions(each, what) for each in node.body
    )


def _mentions(node: ast.AST, what: str) -> bool:
    return any(
        what in {getattr(each, "id", None), getattr(each, "attr", None), getattr(each, "arg", None)}
        for each in ast.walk(node)
    )


def _replace(function: ast.FunctionDef, simple: ast.stmt) -> None:
    """A value that is assigned or returned is None; any other statement is not there."""

    class Replacer(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            if node is not simple:
                return self.generic_visit(node)
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return)):
                node.value = ast.Constant(None)
                return node
            return ast.Pass()

    Replacer().visit(function)


def _other_end(function: ast.FunctionDef, what: str) -> None:
    found = [node for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.attr == what]
    if not found:
        raise NoSuchCode(f"{function.name} names no {what}")
    for node in found:
        node.attr = what[:-1] + _OTHER_END[what[-1]]
