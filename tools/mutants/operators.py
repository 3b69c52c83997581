"""Operators that change a guarded statement, on its syntax tree.

    drop          An `if`, `elif` or `while` is never entered, a `for` iterates over nothing, an
        `except`
                  catches nothing, a `return` returns None, a local name without another
                      value is None;
                  any other statement is removed.
    drop:PART     The smallest part that mentions PART is removed: an operand, an argument, an
        element, a
                  condition of a comprehension, an item of a `with`, a decorator, a
                      bound of a slice; the
                  call `PART(x)` is replaced by its first argument that is not a
                      constant.
    pass          The statement is removed, of any kind.
    always        The condition, or the returned or assigned value, is True.
    negate        It is inverted.
    always:PART   The smallest condition that mentions PART is True.
    negate:PART   It is inverted.
    other:PART    A name that ends in `_on_a` ends in `_on_b`, and the reverse.
    swap          The next statement of the block comes first.
    swap:PART     All statements up to the next one that mentions PART come first.
    {OLD => NEW}  An expression, an operator or a part of a text is replaced; it must occur once.
    {=> NEW}      The statement is replaced.

PART is a name, an attribute, the name of an argument, or an expression without spaces. In a compound
statement an operator changes the header and never the body.
"""

import ast
import copy
import keyword
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Guarded = ast.stmt | ast.ExceptHandler
Block = list[ast.stmt] | list[ast.ExceptHandler]

_NAMES = ("id", "attr", "arg", "name")
_BODIES = {"body", "orelse", "finalbody", "handlers", "cases"}
_GONE_FROM = {
    (ast.BoolOp, "values"), (ast.Call, "args"), (ast.Call, "keywords"), (ast.Tuple, "elts"),
    (ast.List, "elts"), (ast.Set, "elts"), (ast.Dict, "values"), (ast.comprehension, "ifs"),
    (ast.With, "items"), (ast.Import, "names"), (ast.ImportFrom, "names"),
    (ast.FunctionDef, "decorator_list"), (ast.ClassDef, "decorator_list"), (ast.ClassDef, "bases"),
    (ast.ClassDef, "keywords"), (ast.IfExp, "test"), (ast.BinOp, "left"), (ast.BinOp, "right"),
    (ast.Slice, "lower"), (ast.Slice, "upper"), (ast.Raise, "cause"), (ast.JoinedStr, "values"),
}  # fmt: skip
"""Places where a part can be removed: the kind of node and the field that holds it."""
_CONDITIONS = {
    (ast.BoolOp, "values"), (ast.comprehension, "ifs"), (ast.IfExp, "test"), (ast.If, "test"),
    (ast.While, "test"), (ast.UnaryOp, "operand"),
}  # fmt: skip
_UNWRAPPED = {
    (ast.Call, "args"), (ast.keyword, "value"), (ast.Assign, "value"), (ast.AnnAssign, "value"),
    (ast.Return, "value"), (ast.BinOp, "left"), (ast.BinOp, "right"), (ast.Attribute, "value"),
    (ast.Subscript, "value"), (ast.For, "iter"), (ast.Compare, "left"), (ast.Compare, "comparators"),
    (ast.comprehension, "iter"), (ast.IfExp, "body"),
}  # fmt: skip
"""Places where the call of a wrapper is replaced by its argument."""
_INVERSE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.Lt: ast.GtE, ast.Gt: ast.LtE, ast.In: ast.NotIn, ast.Is: ast.IsNot,
    ast.NotEq: ast.Eq, ast.GtE: ast.Lt, ast.LtE: ast.Gt, ast.NotIn: ast.In, ast.IsNot: ast.Is,
}  # fmt: skip
_SYMBOLS: dict[str, type[ast.AST]] = {
    "==": ast.Eq, "!=": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "in": ast.In,
    "not in": ast.NotIn, "is": ast.Is, "is not": ast.IsNot, "and": ast.And, "or": ast.Or, "+": ast.Add,
    "-": ast.Sub, "*": ast.Mult, "//": ast.FloorDiv, "%": ast.Mod, "|": ast.BitOr, "&": ast.BitAnd,
}  # fmt: skip
_REPLACEMENT = re.compile(r"\{(?:(.+) )?=> (.+)\}")
OTHER_END = {"_on_a": "_on_b", "_on_b": "_on_a"}


class DoesNotApply(ValueError):
    """The operator finds nothing to change in the statement."""


def changed(
    block: Sequence[Guarded], index: int, operator: str, scope: ast.AST | None = None
) -> list[Guarded]:
    """Return a copy of the block with the operator applied to the statement at the index.

    `scope` is the enclosing function, to find other values of a name.

    Raises:
        DoesNotApply: the operator finds nothing to change.
    """
    found = list(block)
    node = found[index] = copy.deepcopy(block[index])
    kind, _, part = operator.partition(":")
    if replacement := _REPLACEMENT.fullmatch(operator):
        found[index] = _replaced(node, *replacement.groups())
    elif kind == "swap":
        _swap(found, index, part)
    elif kind == "drop":
        found[index] = _without(node, part) if part else _dropped(node, scope)
    elif kind == "other":
        _name_other_end(node, part)
    elif kind == "pass":
        found[index] = ast.Pass()
    elif kind == "always":
        _change_condition(node, part, lambda _: ast.Constant(True))
    elif kind == "negate":
        _change_condition(node, part, _negation)
    else:
        raise DoesNotApply(f"no operator {operator}")
    return [each if hasattr(each, "lineno") else ast.copy_location(each, block[index]) for each in found]


def mentions(node: ast.AST, part: str) -> bool:
    """Return whether a name, an attribute, an argument or an expression in the node is `part`."""
    if part.isidentifier() and not keyword.iskeyword(part):
        named = [{getattr(each, name, None) for name in _NAMES} for each in ast.walk(node)]
        return any(part in names for names in named)
    return any(isinstance(each, ast.expr) and ast.unparse(each) == part for each in ast.walk(node))


def header(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Return the node's children with their fields in order, without the body of a compound statement."""
    compound = isinstance(node, (ast.stmt, ast.ExceptHandler))
    for name, value in ast.iter_fields(node):
        if compound and name in _BODIES:
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield name, each


def _walked(node: ast.AST) -> Iterator[ast.AST]:
    for _, each in header(node):
        yield each
        yield from _walked(each)


def _dropped(node: Guarded, scope: ast.AST | None) -> Guarded:
    if isinstance(node, (ast.If, ast.While)):
        node.test = ast.Constant(False)
    elif isinstance(node, ast.For):
        node.iter = ast.Tuple([], ast.Load())
    elif isinstance(node, ast.ExceptHandler):
        node.type = ast.Tuple([], ast.Load())
    elif isinstance(node, (ast.Return, ast.Assign, ast.AnnAssign)) and _must_have_value(node, scope):
        node.value = ast.Constant(None)
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Try, ast.With, ast.Match)):
        raise DoesNotApply("a definition, `try`, `with` or `match` cannot be dropped as a whole")
    else:
        return ast.Pass()
    return node


def _must_have_value(node: ast.Return | ast.Assign | ast.AnnAssign, scope: ast.AST | None) -> bool:
    """Return whether a value is needed: it is returned, or nothing else in the scope binds the name."""
    if isinstance(node, ast.Return):
        return node.value is not None
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    bound = [each.arg for each in ast.walk(scope) if isinstance(each, ast.arg)] if scope else []
    stores = [each for each in ast.walk(scope or node) if isinstance(each, ast.Name)]
    bound += [each.id for each in stores if isinstance(each.ctx, ast.Store)]
    return any(bound.count(name) < 2 for name in names)


def _without(node: Guarded, part: str) -> Guarded:
    spot = _smallest(node, part)
    if spot is None:
        raise DoesNotApply(f"no part to leave out mentions {part}")
    _visit_header(_LeaveOut(*spot), node)
    return (
        ast.If(ast.Constant(True), node.body, []) if isinstance(node, ast.With) and not node.items else node
    )


def _visit_header(transformer: ast.NodeTransformer, node: Guarded) -> None:
    """Change the header only; Python's parser shares operator nodes such as `==` with the body."""
    bodies = {name: getattr(node, name) for name in _BODIES if hasattr(node, name)}
    vars(node).update({name: [] for name in bodies})
    transformer.visit(node)
    vars(node).update(bodies)


def _smallest(node: ast.AST, part: str) -> tuple[ast.AST, bool] | None:
    """Return the part to remove, and whether it is a wrapper whose argument remains."""
    for name, each in header(node):
        if not mentions(each, part):
            continue
        if isinstance(each, ast.keyword) and each.arg == part:
            return each, False
        if (type(node), name) in _UNWRAPPED and isinstance(each, ast.Call) and _is_wrapper(each, part):
            return each, True
        inner = _smallest(each, part)
        if inner is not None:
            return inner
        if (type(node), name) in _GONE_FROM or (isinstance(node, ast.Compare) and len(node.ops) > 1):
            return each, False
    return None


def _is_wrapper(call: ast.Call, part: str) -> bool:
    name = getattr(call.func, "id", getattr(call.func, "attr", None))
    return name == part and (bool(call.args) or isinstance(call.func, ast.Attribute))


class _LeaveOut(ast.NodeTransformer):
    """Removes one node; the rest of its parent replaces it."""

    def __init__(self, spot: ast.AST, is_wrapper: bool) -> None:
        self._spot, self._is_wrapper = spot, is_wrapper

    def visit(self, node: ast.AST) -> ast.AST | None:
        """Return the replacement of a node."""
        if node is self._spot and not self._is_wrapper:
            return None
        if node is self._spot and isinstance(node, ast.Call):
            inner = [each for each in node.args if not isinstance(each, ast.Constant)] or node.args
            return inner[0] if inner else node.func.value
        if isinstance(node, ast.IfExp) and node.test is self._spot:
            return node.orelse
        if isinstance(node, ast.BinOp) and self._spot in {node.left, node.right}:
            return node.right if node.left is self._spot else node.left
        if isinstance(node, ast.Dict) and self._spot in node.values:
            del node.keys[node.values.index(self._spot)]
        if isinstance(node, ast.Compare) and self._spot in {node.left, *node.comparators}:
            return self._shorter(node)
        found = self.generic_visit(node)
        return found.values[0] if isinstance(found, ast.BoolOp) and len(found.values) == 1 else found

    def _shorter(self, node: ast.Compare) -> ast.Compare:
        """Return a chain of comparisons without the one that has the operand at an end."""
        operands = [node.left, *node.comparators]
        place = operands.index(self._spot)
        del operands[place], node.ops[max(place - 1, 0)]
        node.left, node.comparators = operands[0], operands[1:]
        return node


def _change_condition(node: Guarded, part: str, change: Callable[[ast.expr], ast.expr]) -> None:
    found = _condition(node, part) if part else _whole_condition(node)
    if found is None:
        raise DoesNotApply(f"no condition that mentions {part}" if part else "no condition")
    parent, name, old = found
    held = getattr(parent, name)
    if isinstance(held, list):
        held[held.index(old)] = change(old)
    else:
        setattr(parent, name, change(old))


def _whole_condition(node: Guarded) -> tuple[ast.AST, str, ast.expr] | None:
    name = "test" if isinstance(node, (ast.If, ast.While)) else "value"
    value = getattr(node, name, None)
    return (node, name, value) if isinstance(value, ast.expr) else None


def _condition(node: ast.AST, part: str) -> tuple[ast.AST, str, ast.expr] | None:
    """Return the smallest condition that mentions a part: its parent, the field, and the condition."""
    for name, each in header(node):
        if not mentions(each, part):
            continue
        inner = _condition(each, part)
        if inner is not None and not isinstance(each, ast.UnaryOp):
            return inner
        is_one = (type(node), name) in _CONDITIONS or isinstance(each, (ast.Compare, ast.BoolOp))
        if isinstance(each, ast.expr) and (is_one or inner is not None):
            return node, name, each
    return None


def _negation(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        node.ops = [_INVERSE[type(node.ops[0])]()]
        return node
    return ast.UnaryOp(ast.Not(), node)


def _name_other_end(node: Guarded, part: str) -> None:
    found = [each for each in _walked(node) if isinstance(each, ast.Attribute) and each.attr == part]
    if not found or part[-5:] not in OTHER_END:
        raise DoesNotApply(f"no {part} that has another end")
    for each in found:
        each.attr = part[:-5] + OTHER_END[part[-5:]]


def _swap(block: list[Guarded], index: int, part: str) -> None:
    later = [place for place in range(index + 1, len(block)) if not part or mentions(block[place], part)]
    if not later:
        raise DoesNotApply("no later statement in this block" + (f" mentions {part}" if part else ""))
    block.insert(later[0], block.pop(index))


def _replaced(node: Guarded, old: str | None, new: str) -> Guarded:
    if old in _SYMBOLS and new in _SYMBOLS:
        found = [each for each in _walked(node) if type(each) is _SYMBOLS[old]]
        return _exchange(node, found, old, _SYMBOLS[new]())
    try:
        if old is None:
            (statement,) = ast.parse(new).body
            return statement
        before, after = (ast.parse(text, mode="eval").body for text in (old, new))
    except (SyntaxError, ValueError) as error:
        raise DoesNotApply(f"not Python: {error}") from error
    if isinstance(before, ast.Constant) and isinstance(before.value, (str, bytes)):
        return _with_text(node, before.value, getattr(after, "value", None))
    wanted = ast.unparse(before)
    same = [each for each in _walked(node) if type(each) is type(before)]
    return _exchange(node, [each for each in same if ast.unparse(each) == wanted], old, after)


def _with_text(node: Guarded, old: Any, new: Any) -> Guarded:
    found = [
        each
        for each in _walked(node)
        if isinstance(each, ast.Constant) and type(each.value) is type(old) and old in each.value
    ]
    texts = [each.value.replace(old, new) for each in found]
    return _exchange(node, found, repr(old), ast.Constant(texts[0] if texts else new))


def _exchange(node: Guarded, found: Sequence[ast.AST], old: str, new: ast.AST) -> Guarded:
    if len(found) != 1:
        raise DoesNotApply(f"{old} is there {len(found)} times")
    _visit_header(_Exchange(found[0], new), node)
    return node


class _Exchange(ast.NodeTransformer):
    """Replaces one node by another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the new node for the old one."""
        return self._new if node is self._old else self.generic_visit(node)
