"""Removal of code by its syntax tree: a function returns None, a check is dropped, a value is empty.

For `module.py:symbol`, a function returns None before its first statement; a class does so in all its
methods, or, without methods, has None in all fields; an assigned value is empty. For `module.py:symbol@what`,
one part is removed: the check that raises `what`, or else the first statement that names it; or else a
condition that names it is inverted. A `what` that ends in `_on_a` or `_on_b` is replaced by the other end's.

The rest of a function remains, unreachable, so that its closure variables and whether it is a generator do
not change.
"""

import ast
from collections.abc import Callable
from typing import NamedTuple

from tools.mutants.marks import places
from tools.mutants.operators import OTHER_END, Guarded, changed, mentions

Defined = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Raise, ast.Return, ast.Delete)


class NoSuchCode(ValueError):
    """A row names code that does not exist or cannot be removed."""


class Emptied(NamedTuple):
    """A module without the code that a row names."""

    source: str
    functions: tuple[str, ...]  # source of changed functions, by qualified name; other code is in:
    fields: tuple[str, ...] = ()  # fields of a class without methods, `Class.field`
    values: tuple[str, ...] = ()  # assigned names


def emptied(source: str, symbol: str, what: str = "") -> Emptied:
    """Return the module without `symbol`, or without the part of it that names `what`.

    Raises:
        NoSuchCode: the symbol or the part does not exist.
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
    """Return the definition of `symbol`.

    Raises:
        NoSuchCode: it does not exist.
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
    if what[-5:] in OTHER_END:
        _other_end(function, what)
        return
    found = list(places(ast.Module([function], [])).values())
    wanted: list[tuple[Callable[[Guarded, str], bool], str]] = [
        (_is_check, "drop"),
        (_is_simple, "drop"),
        (_is_condition, "negate"),
    ]
    for is_wanted, operator in wanted:
        for place in found:
            if is_wanted(place.block[place.index], what):
                place.block[:] = changed(place.block, place.index, operator, place.scope)
                return
    raise NoSuchCode(f"{function.name} names no {what}")


def _is_check(node: Guarded, what: str) -> bool:
    """Return whether a node is an `if` that raises `what`."""
    raised = [each for each in getattr(node, "body", []) if isinstance(each, ast.Raise)]
    return isinstance(node, ast.If) and any(mentions(each, what) for each in raised)


def _is_simple(node: Guarded, what: str) -> bool:
    return isinstance(node, _SIMPLE) and mentions(node, what)


def _is_condition(node: Guarded, what: str) -> bool:
    return isinstance(node, ast.If) and mentions(node.test, what)


def _other_end(function: ast.FunctionDef, what: str) -> None:
    found = [node for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.attr == what]
    if not found:
        raise NoSuchCode(f"{function.name} names no {what}")
    for node in found:
        node.attr = what[:-5] + OTHER_END[what[-5:]]
