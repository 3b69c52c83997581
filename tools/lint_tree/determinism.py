"""Rules for deterministic chain code, over the syntax trees of the code that every validator runs.

Each rule yields `(node, what)`; `RULES` lists the exceptions and their reasons.
"""

import ast
import re
from collections.abc import Collection

from tools.lint_tree.chain_rule import ChainRule, Found
from tools.lint_tree.tree import nodes

FORBIDDEN_MODULES = {
    "time", "random", "secrets", "uuid", "datetime", "calendar", "locale", "threading", "asyncio",
    "multiprocessing", "concurrent", "socket", "platform", "decimal", "fractions", "statistics", "json",
}  # fmt: skip


FORBIDDEN_CALLS = {"id", "eval", "exec", "input", "print", "open", "breakpoint", "globals"}


def parents(tree: ast.Module) -> dict[ast.AST, ast.AST]:
    """Return the parent of each node."""
    found = {}
    for node in nodes(tree):
        for child in ast.iter_child_nodes(node):
            found[child] = node
    return found


def floats(tree: ast.Module) -> Found:
    """D4: float literals, division, and functions that return floats."""
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, (float, complex)):
            yield node, "a float literal"
        elif isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
            yield node, "true division"
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"float", "round"}
        ):
            yield node, f"{node.func.id}()"


def is_set(node: ast.AST, names: Collection[str]) -> bool:
    """Return whether a node is a set, or a name of one."""
    if isinstance(node, (ast.Set, ast.SetComp)):
        return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in {"set", "frozenset"}
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor)):
        return is_set(node.left, names) or is_set(node.right, names)
    return isinstance(node, ast.Name) and node.id in names


def sets_in_order(tree: ast.Module) -> Found:
    """D1: iteration over a set, or an ordered value made of one; sorted() and membership are fine."""
    names = {
        target.id
        for node in nodes(tree)
        if isinstance(node, ast.Assign) and is_set(node.value, ())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes(tree):
        iterated = []
        if isinstance(node, (ast.For, ast.comprehension)):
            iterated = [node.iter]
        elif isinstance(node, ast.Call):
            ordered = isinstance(node.func, ast.Name) and node.func.id in {
                "list",
                "tuple",
                "enumerate",
                "iter",
                "next",
            }
            joined = isinstance(node.func, ast.Attribute) and node.func.attr in {"join", "extend"}
            iterated = node.args if ordered or joined else []
        for each in iterated:
            if is_set(each, names):
                yield each, "a set in order"


def unsorted_sets(tree: ast.Module) -> Found:
    """D1: as `sets_in_order`, except inside sorted(), sum(), any(), all(), max(), min() or a set."""
    up = parents(tree)
    orderless = {"sorted", "set", "frozenset", "sum", "any", "all", "max", "min", "len"}

    def harmless(node: ast.AST) -> bool:
        holder = up.get(node)
        if isinstance(holder, ast.SetComp):
            return True
        if isinstance(node, ast.comprehension):
            return harmless(holder)
        if isinstance(holder, (ast.GeneratorExp, ast.ListComp)):
            return harmless(holder)
        if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name):
            return holder.func.id in orderless
        return isinstance(holder, ast.comprehension) and harmless(holder)

    return [(node, what) for node, what in sets_in_order(tree) if not harmless(node)]


def imports(tree: ast.Module) -> Found:
    """D29, D30: clocks, randomness, threads, locales."""
    for node in nodes(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            if name.split(".")[0] in FORBIDDEN_MODULES | {"os"}:
                yield node, name.split(".")[0]


def calls(tree: ast.Module) -> Found:
    """D3 and worse."""
    for node in nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
            yield node, node.func.id


def hashes(tree: ast.Module) -> Found:
    """D3: hash() outside __hash__."""
    up = parents(tree)
    for node in nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hash":
            around = node
            while around in up and not isinstance(around, ast.FunctionDef):
                around = up[around]
            if getattr(around, "name", "") != "__hash__":
                yield node, "hash()"


def assertions(tree: ast.Module) -> Found:
    """D35: assert vanishes under -O."""
    for node in nodes(tree):
        if isinstance(node, ast.Assert):
            yield node, "assert"


def patterns(tree: ast.Module) -> Found:
    r"""D11, D12, D37: `$`, `\d`, `\w`, `\s` in a regular expression."""
    for node in nodes(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
        first = node.args[0]
        if of_re and node.func.attr != "escape" and isinstance(first, ast.Constant):
            text = first.value if isinstance(first.value, str) else first.value.decode("latin-1")
            if re.search(r"(?<!\\)\$|\\[dws]", text):
                yield node, f"pattern {text!r}"


RULES = (
    ChainRule("set-order", unsorted_sets, "D1: a set has another order in each process: sort it first", {}),
    ChainRule(
        "forbidden-calls",
        calls,
        "D3: what it gives differs from node to node",
        {"pyibc/isolation/call_state.py": {"id": "looks at each error of a chain once"}},
    ),
    ChainRule("hash", hashes, "D3: hash() of a text differs from process to process", {}),
    ChainRule(
        "floats",
        floats,
        "D4: floating point rounds: use integers",
        {
            "iavl/disk/": {"true division": "paths of files"},
            "iavl/sha.py": {"float()": "picks the faster of two equal hashes"},
            "iavl/gc_pause.py": {"a float literal": "how long readers wait"},
        },
    ),
    ChainRule(
        "patterns", patterns, "D11, D12: in Python it matches more than it says: write the characters out", {}
    ),
    ChainRule(
        "clocks-and-threads",
        imports,
        "D29, D30: a block's result depends on the block alone",
        {
            "iavl/engine.py": {"os": "a switch for what changes no hash"},
            "iavl/sha.py": {"time": "picks the faster of two equal hashes"},
            "iavl/multistore.py": {"threading": "a lock between blocks and queries"},
            "iavl/view.py": {"threading": "the same lock"},
            "iavl/gc_pause.py": {"threading": "a count of those who paused; readers of old versions wait"},
            "iavl/disk/database/data_file.py": {"os": "syncs a folder"},
            "iavl/disk/database/environment.py": {"threading": "a lock between readers of old versions"},
            "iavl/disk/history.py": {"threading": "readers of old versions wait for each other"},
            "pyibc/chain/queries/tx_service.py": {"time": "of simulations, which bind nobody"},
            "pyibc/chain/app.py": {"threading": "a lock between CheckTx and simulations"},
            "pyibc/core/native.py": {"os": "a switch for what changes no verdict"},
            "pyibc/core/memo.py": {"threading": "a lock for what is added to a memory"},
            "pyibc/isolation/call_state.py": {
                "threading": "what each thread remembers while it is in an application"
            },
            "pyibc/codec/gonumbers.py": {"fractions": "of whole numbers: exact"},
            "pyibc/isolation/call_depth.py": {"json": "knows Python's reader where an application calls it"},
        },
    ),
    ChainRule("assert", assertions, "D35: python -O leaves it out: raise an error of pyibc.core.errors", {}),
)
